package ib.core.internal.event;

import ib.core.client.EventTopics;
import ib.core.internal.waits.WaitGraph;
import ib.core.serial.Waits;
import ib.core.spi.DeviceSink;
import ib.core.spi.DriverDevice;
import ib.core.verbs.AnyContext;
import ib.core.verbs.EventType;
import ib.core.verbs.Fence;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbEvent;
import ib.core.verbs.IbEventHandler;
import ib.core.verbs.IbObject;
import ib.core.verbs.MaySleep;
import ib.core.verbs.QueuePair;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Everything about the asynchronous events of one device, from its connection to its end (D8).
 *
 * <p>Order of use: made by {@link EventHub#device}; {@link #sink} and {@link #caches} given to
 * {@code DriverDevice.connect}; {@link #open}; handlers come and go; {@link #closeOwner} for each
 * client at the end of its remove; {@link #close} and {@link #drain} before the device is gone.
 */
public final class DeviceEvents implements DeviceSink {
  private final EventHub hub;
  private final DriverDevice device;
  private final EventCounters counters;
  private final AtomicLong sequence;
  private final PortCaches caches;
  private final HandlerTable handlers;
  private final ReturnWindow window;
  private final EventRing ring;
  private final Poster poster;
  private final Dispatcher dispatcher;
  private volatile boolean over;

  DeviceEvents(EventHub hub, DriverDevice device) {
    this(hub, device, new EventCounters(), 0);
  }

  private DeviceEvents(EventHub hub, DriverDevice device, EventCounters counters, long sequence) {
    EventConfig config = hub.config();
    this.counters = counters;
    this.sequence = new AtomicLong(sequence);
    this.hub = hub;
    this.device = device;
    this.caches = new PortCaches(device);
    this.handlers = new HandlerTable(hub, counters);
    this.window = new ReturnWindow(config.queueCapacity(), counters.detours, handlers::offer);
    this.ring = new EventRing(config.queueCapacity());
    this.poster = new Poster(hub, this);
    CacheRefresher refresher = new CacheRefresher(hub, counters, caches);
    this.dispatcher = new Dispatcher(hub, this, refresher, window, ring, poster);
  }

  /** {@return where the device's events go; accepts from now on} */
  public DeviceSink sink() {
    return this;
  }

  /** {@return the caches; before {@link #open} they ask the driver} */
  public DeviceCaches caches() {
    return caches;
  }

  /**
   * Loads the caches and starts dispatching. The device must be connected already: then no change
   * of state is missed, since what changes after the load brings an event that refreshes (B12).
   *
   * @throws RuntimeException whatever the driver throws; nothing has been dispatched, call {@link
   *     #closeAndDrain}
   */
  @MaySleep
  public void open() {
    for (int port = 1; port <= caches.portCount(); port++) {
      caches.refresh(port);
    }
    hub.opened(this);
    poster.open();
  }

  @Override
  @AnyContext
  public void dispatch(EventType type, int port) {
    if (!type.unaffiliated()) {
      throw new IllegalArgumentException(type + " belongs to an object: use its raise()");
    }
    if (ring.offer(type, port, hub.clock().nanoTime()) == EventRing.Offer.CLOSED) {
      counters.late.increment();
    } else {
      dispatcher.schedule();
    }
  }

  /**
   * Shows an affiliated event to the listeners on the bus, without a sequence number; the object's
   * own handler hears it from the object.
   *
   * @param event an affiliated event
   */
  @AnyContext
  public void mirror(IbEvent event) {
    Map<String, Object> properties = new LinkedHashMap<>();
    properties.put(EventTopics.DEVICE, name());
    properties.put(EventTopics.TIME, event.timeNs());
    describe(event.element(), properties);
    if (!poster.mirror(event.type(), Map.copyOf(properties), event.timeNs())) {
      counters.late.increment();
    }
  }

  private static void describe(@Nullable IbObject element, Map<String, Object> properties) {
    if (element == null) {
      return;
    }
    properties.put(EventTopics.OBJECT, element.control().kind() + " " + element.control().id());
    if (element instanceof QueuePair qp) {
      properties.put(EventTopics.QPN, qp.qpn());
    }
  }

  /**
   * Registers a typed handler: it hears every event from now on (S43, I7).
   *
   * @param owner the client's handle, for which the handler was made
   * @param handler the handler
   * @throws ib.core.verbs.IbInvalidException when it is registered or was made for another handle
   * @throws ib.core.verbs.IbDisassociatedException when the owner or the device are closed
   */
  public void register(IbDevice owner, IbEventHandler handler) {
    handlers.register(owner, handler);
  }

  /**
   * Unregisters a typed handler: when this returns it does not run and will not run (S43); but from
   * inside of itself it ends when it returns (CC-17, reported). Unknown handlers are ignored.
   *
   * @param owner the client's handle
   * @param handler the handler
   * @throws ib.core.verbs.IbDeadlockException from inside of a handler that the other one waits for
   */
  @MaySleep
  @Fence
  public void unregister(IbDevice owner, IbEventHandler handler) {
    handlers.unregister(owner, handler);
  }

  /**
   * Closes the gate of one client: none of its handlers will be called any more, none can be
   * registered (I4).
   *
   * @param owner the client's handle
   * @param timeoutNs how long to wait for handlers that run, Long.MAX_VALUE for as long as it takes
   * @return what was left registered, and whether nothing runs
   */
  @MaySleep
  @Fence
  public ClosedHandlers closeOwner(IbDevice owner, long timeoutNs) {
    return handlers.closeOwner(owner, timeoutNs);
  }

  /**
   * Asks whether the calling thread is inside a typed handler of this device, so that a fence would
   * never end.
   *
   * @param owner whose handlers, or null for all
   * @return whether it is
   */
  public boolean insideHandler(@Nullable IbDevice owner) {
    return handlers.inside(owner);
  }

  /**
   * Asks whether the calling thread is inside a handler.
   *
   * @param handler the handler
   * @return whether it is
   */
  public boolean inside(IbEventHandler handler) {
    return handlers.inside(handler);
  }

  /**
   * Closes the gate of the device (CC-16): later events are counted and dropped; those accepted are
   * handed on without waiting for the bus. Never blocks; a second call does nothing.
   */
  @AnyContext
  public void close() {
    window.close();
    poster.close();
    boolean first = ring.close();
    if (first && !poster.isOpen()) { // what was accepted never will be dispatched
      counters.late.add(ring.size());
      dispatcher.close();
    } else if (ring.isDone()) {
      dispatcher.close();
      poster.wake();
    } else {
      dispatcher.schedule();
    }
  }

  /**
   * After {@link #close}: waits until all events accepted are dispatched, and heard by the handlers
   * that are left; then nothing is delivered any more, no handler can be registered, and the
   * dispatcher's thread has ended. A second call waits as well.
   *
   * @param timeoutNs how long to wait for handlers, Long.MAX_VALUE for as long as it takes; for a
   *     query of the driver it waits as long as for any fence
   * @return whether all that is so; false after a timeout, while a handler runs that {@link
   *     #closeOwner} gave up, or from inside a handler or a query of the driver
   */
  @MaySleep
  @Fence
  public boolean drain(long timeoutNs) {
    WaitGraph waits = hub.waits();
    boolean ended = waits.await(poster.end(), Waits.Rank.CLOSES, waits.deadlineNs()).done();
    over = true;
    boolean fenced = handlers.closeAll(timeoutNs);
    hub.forget(this);
    return ended && fenced;
  }

  /**
   * Closes and drains.
   *
   * @param timeoutNs as for {@link #drain}
   * @return as {@link #drain}
   */
  @MaySleep
  @Fence
  public boolean closeAndDrain(long timeoutNs) {
    close();
    return drain(timeoutNs);
  }

  /**
   * After {@link #drain}, when the device was reset and goes on (CC-23): the events of the same
   * device, which continue numbers and counters.
   *
   * @return to be connected and opened in place of this
   */
  public DeviceEvents next() {
    return new DeviceEvents(hub, device, counters, sequence.get());
  }

  /** {@return the counters} */
  public EventStats stats() {
    return counters.stats();
  }

  String name() {
    return device.name();
  }

  /** An event of this device has come back from the bus. */
  void returned(Map<String, ?> properties) {
    if (properties.get(EventTopics.SEQUENCE) instanceof Long number) {
      poster.returned(number);
      if (window.returned(number)) {
        dispatcher.schedule();
      }
    } else if (properties.get(EventTopics.TIME) instanceof Long time) {
      poster.returned(time);
    }
  }

  /**
   * For the watch, every now and then.
   *
   * @return nanoseconds until it is to look again at the latest; 0 or less when it has looked
   */
  long watch(long nowNs) {
    poster.seize(nowNs);
    long remaining = dispatcher.remainingNs(nowNs);
    if (remaining <= 0 || ring.hasWork()) { // work: there may have been no memory for a thread
      dispatcher.schedule();
    }
    return remaining;
  }

  // ---- for the dispatcher and its poster ----

  /** Gives an event its number. */
  DeviceEvent number(EventType type, int port, int lost, long timeNs) {
    if (lost > 0) {
      counters.overflows.increment();
      counters.lost.add(lost);
    }
    counters.dispatched.increment();
    return new DeviceEvent(type, port, lost, sequence.incrementAndGet(), timeNs);
  }

  /** {@return the last number given} */
  long sequence() {
    return sequence.get();
  }

  /** The bus has refused an event: nothing waits for it, and there is room for others. */
  void refused() {
    window.flush();
    dispatcher.schedule();
  }

  /** {@return whether the device goes without its bus, since nobody waits any more} */
  boolean isOver() {
    return over;
  }

  /** {@return whether nothing is dispatched any more} */
  boolean hasEnded() {
    return dispatcher.hasEnded();
  }

  EventCounters counters() {
    return counters;
  }
}
