package ib.core.internal.jmx;

import java.lang.management.ManagementFactory;
import javax.management.DynamicMBean;
import javax.management.InstanceAlreadyExistsException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;

/** Shows beans to the platform's JMX server. */
final class Beans {
  private static final int MAX_INSTANCES = 1000;

  private Beans() {}

  /**
   * Shows a bean. Of two beans with one key in this JVM (two midlayers) the second has a number.
   *
   * @param bean the bean
   * @param key its name
   * @return the name that it has got
   */
  static ObjectName show(DynamicMBean bean, String key) {
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    for (int i = 1; ; i++) {
      try {
        ObjectName candidate = new ObjectName(i == 1 ? key : key + ",instance=" + i);
        server.registerMBean(bean, candidate);
        return candidate;
      } catch (InstanceAlreadyExistsException e) {
        if (i == MAX_INSTANCES) {
          throw new IllegalStateException(key + " and 999 more are in use", e);
        }
      } catch (JMException e) {
        throw new IllegalStateException("cannot show " + key + " to JMX", e);
      }
    }
  }

  /**
   * Takes a bean back.
   *
   * @param shown its name, or null for none
   */
  static void hide(@Nullable ObjectName shown) {
    if (shown != null) {
      try {
        ManagementFactory.getPlatformMBeanServer().unregisterMBean(shown);
      } catch (JMException e) {
        throw new IllegalStateException("cannot take " + shown + " from JMX", e);
      }
    }
  }
}
