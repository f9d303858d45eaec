package ib.core.internal.jmx;

import ib.core.verbs.IbException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.AttributeNotFoundException;
import javax.management.DynamicMBean;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanException;
import javax.management.MBeanInfo;
import javax.management.ReflectionException;

/** Values by name for JMX, read together and never written. */
abstract class ReadOnlyBean implements DynamicMBean {
  private final String description;

  /**
   * Makes a bean.
   *
   * @param description of the whole, for a console
   */
  ReadOnlyBean(String description) {
    this.description = description;
  }

  /** {@return all attributes now} */
  abstract Map<String, ?> read();

  @Override
  public Object getAttribute(String attribute) throws AttributeNotFoundException, MBeanException {
    Object value;
    try {
      value = read().get(attribute);
    } catch (IbException e) {
      throw new MBeanException(new IllegalStateException(e.getMessage()));
    }
    if (value == null) {
      throw new AttributeNotFoundException(attribute);
    }
    return value;
  }

  @Override
  public AttributeList getAttributes(String[] attributes) {
    Map<String, ?> all = read(); // one reading, so that they fit each other
    AttributeList list = new AttributeList();
    for (String name : attributes) {
      if (all.containsKey(name)) {
        list.add(new Attribute(name, all.get(name)));
      }
    }
    return list;
  }

  @Override
  public void setAttribute(Attribute attribute) throws AttributeNotFoundException {
    throw new AttributeNotFoundException(attribute.getName() + " is read-only");
  }

  @Override
  public AttributeList setAttributes(AttributeList attributes) {
    return new AttributeList();
  }

  @Override
  public Object invoke(String action, Object[] parameters, String[] signature)
      throws ReflectionException {
    throw new ReflectionException(new NoSuchMethodException(action));
  }

  @Override
  public MBeanInfo getMBeanInfo() {
    List<MBeanAttributeInfo> attributes = new ArrayList<>();
    for (Map.Entry<String, ?> entry : read().entrySet()) {
      String type = entry.getValue() instanceof Long ? "long" : String[].class.getName();
      attributes.add(
          new MBeanAttributeInfo(entry.getKey(), type, entry.getKey(), true, false, false));
    }
    return new MBeanInfo(
        getClass().getName(),
        description,
        attributes.toArray(MBeanAttributeInfo[]::new),
        null,
        null,
        null);
  }
}
