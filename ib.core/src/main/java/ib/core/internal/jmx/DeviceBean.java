package ib.core.internal.jmx;

import ib.core.spi.DeviceOps;
import ib.core.verbs.IbException;
import ib.core.verbs.IbNotSupportedException;
import ib.core.verbs.PortCounter;
import ib.core.verbs.PortCounter.Form;
import java.util.ArrayList;
import java.util.LinkedHashMap;
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

/**
 * A device for JMX: an attribute for each counter of each port, {@code port1.sent_pkts} or {@code
 * port1.PortXmitData}, so that a console can plot them. Port counters are the 64-bit ones where
 * there are such.
 */
final class DeviceBean implements DynamicMBean {
  private final DeviceOps ops;
  private final int ports;

  DeviceBean(DeviceOps ops, int ports) {
    this.ops = ops;
    this.ports = ports;
  }

  /**
   * All counters of a port now.
   *
   * @param ops the device
   * @param port from 1
   * @return hardware counters, then port counters
   */
  static Map<String, Long> counters(DeviceOps ops, int port) {
    Map<String, Long> all = new LinkedHashMap<>(ops.counters(port));
    try {
      Map<PortCounter, Long> classic = ops.portCounters(port, Form.CLASSIC);
      Map<PortCounter, Long> extended = ops.portCounters(port, Form.EXTENDED);
      for (PortCounter c : PortCounter.values()) {
        Long value = c.in(Form.EXTENDED) ? extended.get(c) : classic.get(c);
        if (value != null) {
          all.put(c.label(), value);
        }
      }
    } catch (IbNotSupportedException e) {
      return all; // a driver without port counters
    }
    return all;
  }

  private Map<String, Long> read() {
    Map<String, Long> all = new LinkedHashMap<>();
    for (int port = 1; port <= ports; port++) {
      String prefix = "port" + port + ".";
      counters(ops, port).forEach((name, value) -> all.put(prefix + name, value));
    }
    return all;
  }

  @Override
  public Object getAttribute(String attribute) throws AttributeNotFoundException, MBeanException {
    Long value;
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
    Map<String, Long> all = read(); // one reading, so that they fit each other
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
    for (String name : read().keySet()) {
      attributes.add(new MBeanAttributeInfo(name, "long", "counter", true, false, false));
    }
    return new MBeanInfo(
        DeviceBean.class.getName(),
        "counters of an InfiniBand device",
        attributes.toArray(MBeanAttributeInfo[]::new),
        null,
        null,
        null);
  }
}
