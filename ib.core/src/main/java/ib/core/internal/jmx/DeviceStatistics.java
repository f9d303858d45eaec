package ib.core.internal.jmx;

import ib.core.internal.trace.CounterEvent;
import ib.core.spi.DriverDevice;
import ib.core.verbs.AnyContext;
import java.lang.management.ManagementFactory;
import javax.management.InstanceAlreadyExistsException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import jdk.jfr.FlightRecorder;
import org.jspecify.annotations.Nullable;

/**
 * Shows the counters of one device to JMX and to Flight Recorder while it is open. Its device's
 * actor calls, one call at a time, and never waits: the work is done on the {@link
 * StatisticsThread}.
 */
public final class DeviceStatistics {
  private final DriverDevice device;
  private final StatisticsThread thread;
  private final Runnable periodic = this::record;
  private boolean open;
  private @Nullable ObjectName name; // this and the next are the statistics thread's
  private boolean recorded;

  /**
   * Shows nothing yet.
   *
   * @param device the driver's device
   * @param thread where the work is done
   */
  public DeviceStatistics(DriverDevice device, StatisticsThread thread) {
    this.device = device;
    this.thread = thread;
  }

  /** Shows the device, under the name that it has then; again when the name has changed. */
  @AnyContext
  public void open() {
    open = true;
    thread.later("showing " + device.name() + " to JMX and Flight Recorder", this::show);
  }

  private void show() {
    if (!recorded) {
      FlightRecorder.addPeriodicEvent(CounterEvent.class, periodic);
      recorded = true;
    }
    unregister();
    register();
  }

  /** {@return whether it is shown, or will be} */
  public boolean isOpen() {
    return open;
  }

  /** Shows it no more; when the thread has done so, nothing refers to the device. */
  @AnyContext
  public void close() {
    if (open) {
      open = false;
      thread.later("taking " + device.name() + " from JMX and Flight Recorder", this::hide);
    }
  }

  private void hide() {
    if (recorded) {
      recorded = false;
      FlightRecorder.removePeriodicEvent(periodic);
    }
    unregister();
  }

  /** Of two devices with one name in this JVM (two midlayers) the second has a number. */
  private void register() {
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    DeviceBean bean = new DeviceBean(device.ops(), device.info().portCount());
    String key = "ib:type=Device,name=" + ObjectName.quote(device.name());
    if (device.name().matches("[A-Za-z0-9_.-]+")) {
      key = "ib:type=Device,name=" + device.name();
    }
    for (int i = 1; ; i++) {
      try {
        ObjectName candidate = new ObjectName(i == 1 ? key : key + ",instance=" + i);
        server.registerMBean(bean, candidate);
        name = candidate;
        return;
      } catch (InstanceAlreadyExistsException e) {
        if (i == 1000) {
          throw new IllegalStateException(key + " and 999 more are in use", e);
        }
      } catch (JMException e) {
        throw new IllegalStateException("cannot show " + key + " to JMX", e);
      }
    }
  }

  private void unregister() {
    ObjectName shown = name;
    name = null;
    if (shown != null) {
      try {
        ManagementFactory.getPlatformMBeanServer().unregisterMBean(shown);
      } catch (JMException e) {
        throw new IllegalStateException("cannot take " + shown + " from JMX", e);
      }
    }
  }

  private void record() {
    for (int port = 1; port <= device.info().portCount(); port++) {
      int number = port;
      DeviceBean.counters(device.ops(), port)
          .forEach(
              (counter, value) -> {
                CounterEvent e = new CounterEvent();
                e.device = device.name();
                e.port = number;
                e.counter = counter;
                e.value = value;
                e.commit();
              });
    }
  }
}
