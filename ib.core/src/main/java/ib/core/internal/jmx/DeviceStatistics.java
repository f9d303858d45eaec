package ib.core.internal.jmx;

import ib.core.internal.trace.CounterEvent;
import ib.core.spi.DriverDevice;
import ib.core.verbs.AnyContext;
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

  private void register() {
    boolean plain = device.name().matches("[A-Za-z0-9_.-]+");
    String quoted = plain ? device.name() : ObjectName.quote(device.name());
    DeviceBean bean = new DeviceBean(device.ops(), device.info().portCount());
    name = Beans.show(bean, "ib:type=Device,name=" + quoted);
  }

  private void unregister() {
    ObjectName shown = name;
    name = null;
    Beans.hide(shown);
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
