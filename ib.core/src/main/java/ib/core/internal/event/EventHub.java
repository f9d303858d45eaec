package ib.core.internal.event;

import ib.core.client.EventTopics;
import ib.core.internal.waits.WaitGraph;
import ib.core.serial.Place;
import ib.core.spi.DriverDevice;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * The parts of the event path that all devices share: the bus, the threads of handlers, the clock,
 * the reports.
 */
public final class EventHub implements AutoCloseable {
  final EventConfig config;
  private final EventReports reports;
  final AtomicSection section;
  final EventClock clock;
  final Place handlers = Place.virtual("ib-event-handler-"); // never the caller's thread
  final WaitGraph waits;
  final ThreadFactory posters;
  private final Map<String, DeviceEvents> devices = new ConcurrentHashMap<>();
  private final EventWatch watch;
  private volatile @Nullable EventBus bus; // null: the dispatcher calls the handlers (F24)

  /**
   * Makes a hub without a bus, whose handlers run on virtual threads.
   *
   * @param config sizes and times
   * @param reports where trouble is reported
   * @param section how a thread is marked while it runs a handler
   * @param waits the wait-for graph of the midlayer
   */
  public EventHub(
      EventConfig config, EventReports reports, AtomicSection section, WaitGraph waits) {
    // virtual: as many as there are devices
    this(
        config,
        reports,
        section,
        EventClock.SYSTEM,
        Thread.ofVirtual().inheritInheritableThreadLocals(false).factory(),
        waits);
  }

  /**
   * Makes a hub with a clock and posters of the caller's choice.
   *
   * @param config sizes and times
   * @param reports where trouble is reported
   * @param section how a thread is marked while it runs a handler
   * @param clock the time of the event path
   * @param posters makes the threads of posters
   * @param waits the wait-for graph of the midlayer
   */
  EventHub(
      EventConfig config,
      EventReports reports,
      AtomicSection section,
      EventClock clock,
      ThreadFactory posters,
      WaitGraph waits) {
    this.config = config;
    this.reports = reports;
    this.section = section;
    this.clock = clock;
    this.waits = waits;
    this.posters = posters;
    this.watch = new EventWatch(this, devices);
  }

  /**
   * Makes the events of a device that is about to be connected.
   *
   * @param device the device
   * @return its events
   */
  public DeviceEvents device(DriverDevice device) {
    return new DeviceEvents(this, device);
  }

  void opened(DeviceEvents events) {
    devices.put(events.name(), events);
    watch.wake();
  }

  /**
   * Enters the new name of a device (CC-15). Events that are on the bus under the old name still
   * reach the device.
   *
   * @param events the events of the device
   * @param newName the new name
   */
  public void renamed(DeviceEvents events, String newName) {
    devices.put(newName, events);
  }

  void forget(DeviceEvents events) {
    devices.values().removeIf(e -> e.equals(events));
  }

  /**
   * Sets the bus.
   *
   * @param newBus the bus, or null when there is none; the dispatcher then hands events directly to
   *     the handlers (F24)
   */
  public void bus(@Nullable EventBus newBus) {
    bus = newBus;
  }

  /**
   * Takes an event back that the bus delivers. Never blocks and runs no handler; foreign, forged,
   * repeated and late events do no harm.
   *
   * @param topic the topic of the event
   * @param properties the properties of the event
   */
  public void onEvent(String topic, Map<String, ?> properties) {
    if (topic.startsWith(EventTopics.PREFIX)
        && properties.get(EventTopics.DEVICE) instanceof String name) {
      DeviceEvents events = devices.get(name);
      if (events != null) {
        events.returned(properties);
      }
    }
  }

  /** Ends the watch. The caller has closed all devices before. */
  @Override
  public void close() {
    watch.close();
  }

  /** An event of a device is under way: the watch looks after it. Any context. */
  void stir() {
    watch.stir();
  }

  /** {@return where the event path and the bus report trouble} */
  public EventReports reports() {
    return reports;
  }

  @Nullable EventBus bus() {
    return bus;
  }
}
