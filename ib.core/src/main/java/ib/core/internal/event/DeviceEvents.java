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
 * The asynchronous events of one device, from its connection to its removal (D8).
 *
 * <p>Order of use: {@link EventHub#device} makes the object; the core passes {@link #sink} and
 * {@link #caches} to {@code DriverDevice.connect} and calls {@link #open}; clients register and
 * unregister handlers; the core calls {@link #closeOwner} for each client after the client's {@code
 * remove}, and {@link #close} and {@link #drain} before the device is gone.
 */
public final class DeviceEvents implements DeviceSink {
  private final EventHub hub;
  private final DriverDevice device;
  final EventCounters counters;
  private final AtomicLong sequence;
  private final PortCaches caches;
  private final HandlerTable handlers;
  private final ReturnWindow window;
  private final EventRing ring;
  private final Poster poster;
  private final Dispatcher dispatcher;
  private volatile boolean over;

  DeviceEvents(EventHub hub, DriverDevice device) {
    this(hub, device, new PortCaches(device), new EventCounters(), 0);
  }

  private DeviceEvents(
      EventHub hub, DriverDevice device, PortCaches caches, EventCounters counters, long sequence) {
    EventConfig config = hub.config;
    this.counters = counters;
    this.sequence = new AtomicLong(sequence);
    this.hub = hub;
    this.device = device;
    this.caches = caches;
    this.handlers = new HandlerTable(hub, counters);
    this.window = new ReturnWindow(config.queueCapacity(), counters.detours, handlers::offer);
    this.ring = new EventRing(config.queueCapacity());
    this.poster = new Poster(hub, this);
    CacheRefresher refresher = new CacheRefresher(hub, counters, caches);
    this.dispatcher = new Dispatcher(hub, this, refresher, window, ring, poster);
  }

  /** {@return the sink that takes the device's events; the sink accepts events at once} */
  public DeviceSink sink() {
    return this;
  }

  /** {@return the caches; before {@link #load} the caches query the driver} */
  public DeviceCaches caches() {
    return caches;
  }

  /**
   * Loads the caches before the device is connected, so that no read of a connected device queries
   * the driver (S11).
   *
   * @throws RuntimeException any exception of the driver
   */
  @MaySleep
  public void load() {
    for (int port = 1; port <= caches.portCount; port++) {
      caches.refresh(port);
    }
  }

  /**
   * Loads the caches again and starts dispatching. The device must be connected already. Then no
   * change of state is missed, because a change after the load raises an event, which refreshes the
   * caches (B12).
   *
   * @throws RuntimeException any exception of the driver; no event has been dispatched, and the
   *     caller calls {@link #closeAndDrain}
   */
  @MaySleep
  public void open() {
    counters.early.add(device.takeUnheardEvents());
    load();
    hub.opened(this);
    poster.open();
  }

  @Override
  @AnyContext
  public void dispatch(EventType type, int port) {
    if (!type.unaffiliated()) {
      throw new IllegalArgumentException(type + " belongs to an object: use its raise()");
    }
    if (ring.offer(type, port, hub.clock.nanoTime()) == EventRing.Offer.CLOSED) {
      counters.late.increment();
    } else {
      dispatcher.schedule();
    }
  }

  /**
   * Posts an affiliated event on the bus, without a sequence number. The object delivers the event
   * to its own handler. Only the device's vector for events calls this method, after that handler;
   * the vector waits for the poster's lock at most, which is held for a few instructions.
   *
   * @param event an affiliated event
   */
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
   * Registers a typed handler, which gets every event dispatched after this call (S43, I7).
   *
   * @param owner the client's handle, for which the handler was made
   * @param handler the handler
   * @throws ib.core.verbs.IbInvalidException when the handler is registered or was made for another
   *     handle
   * @throws ib.core.verbs.IbDisassociatedException when the owner or the device are closed
   */
  public void register(IbDevice owner, IbEventHandler handler) {
    handlers.register(owner, handler);
  }

  /**
   * Unregisters a typed handler. When this method returns, the handler does not run and will not
   * run (S43). A handler that unregisters itself inside its own call ends when that call returns
   * (CC-17, reported). Unknown handlers are ignored.
   *
   * @param owner the client's handle
   * @param handler the handler
   * @throws ib.core.verbs.IbDeadlockException inside a call that the handler waits for
   */
  @MaySleep
  @Fence
  public void unregister(IbDevice owner, IbEventHandler handler) {
    handlers.unregister(owner, handler);
  }

  /**
   * Closes the events of one client: the core calls no handler of the client any more, and the
   * client can register none (I4).
   *
   * @param owner the client's handle
   * @param timeoutNs how long to wait for handlers that run, Long.MAX_VALUE for as long as it takes
   * @return the handlers that were left registered, and whether none of them runs
   */
  @MaySleep
  @Fence
  public ClosedHandlers closeOwner(IbDevice owner, long timeoutNs) {
    return handlers.closeOwner(owner, timeoutNs);
  }

  /**
   * Returns whether the calling thread is inside a typed handler of this device. A fence of that
   * handler would never end.
   *
   * @param owner the client's handle, or null for the handlers of all clients
   * @return whether the calling thread is inside a handler
   */
  public boolean insideHandler(@Nullable IbDevice owner) {
    return handlers.inside(owner);
  }

  /**
   * Returns whether the calling thread is inside a handler.
   *
   * @param handler the handler
   * @return whether the calling thread is inside it
   */
  public boolean inside(IbEventHandler handler) {
    return handlers.inside(handler);
  }

  /**
   * Ends the acceptance of events (CC-16). Later events are counted and dropped; accepted events go
   * to the handlers without waiting for the bus. Waits for the poster's lock at most, which is held
   * for a few instructions; a second call does nothing.
   */
  @MaySleep
  public void close() {
    window.close();
    poster.close();
    boolean first = ring.close();
    if (first && !poster.isOpen()) { // the accepted events are never dispatched
      counters.late.add(ring.size());
      dispatcher.close();
    } else if (ring.isDone()) {
      dispatcher.close();
      poster.wake();
    } else {
      dispatcher.schedule();
      poster.resume(); // the dispatcher may wait already, for a thread that could not start
    }
  }

  /**
   * Waits, after {@link #close}, until all accepted events are dispatched and the handlers that are
   * left have handled them. Afterwards no event is delivered, no handler can be registered, and the
   * dispatcher's thread has ended. A second call waits as well.
   *
   * @param timeoutNs how long to wait for handlers, Long.MAX_VALUE for as long as it takes; for a
   *     query of the driver this method waits as long as any fence does
   * @return true when all of this is done; false after a timeout, while a handler runs for which
   *     {@link #closeOwner} stopped waiting, or inside a handler or a query of the driver
   */
  @MaySleep
  @Fence
  public boolean drain(long timeoutNs) {
    WaitGraph waits = hub.waits;
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
   * Makes the events of the same device after a reset (CC-23), when {@link #drain} has returned.
   * The new object continues the numbers and the counters; its caches hold what was known before
   * the reset until {@link #load} has loaded them.
   *
   * @return the object to connect and open in place of this one
   */
  public DeviceEvents next() {
    return new DeviceEvents(hub, device, caches.next(), counters, sequence.get());
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
   * Checks the poster and wakes the dispatcher when it has work. Only the watch calls this method.
   *
   * @return nanoseconds until the next check is due at the latest; 0 or less when the dispatcher
   *     was woken for an overdue event
   */
  long watch(long nowNs) {
    poster.seize(nowNs);
    poster.resume(); // an earlier start of the thread may have failed
    long remaining = dispatcher.remainingNs(nowNs);
    if (remaining <= 0 || ring.hasWork()) {
      dispatcher.schedule();
    }
    return remaining;
  }

  /** {@return whether no event is under way, so that the watch has nothing to do here} */
  boolean rests() {
    // the poster last: its thread is awake from before it takes an event until it has posted it
    return !ring.hasWork() && dispatcher.remainingNs(0) == Long.MAX_VALUE && poster.rests();
  }

  // ---- for the dispatcher and the poster ----

  /** Gives an event the next number. */
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

  /** The bus has refused an event: hands on all events of the window, which frees the window. */
  void refused() {
    window.flush();
    dispatcher.schedule();
  }

  /** {@return whether {@link #drain} has ended its wait, so that events no longer go on the bus} */
  boolean isOver() {
    return over;
  }

  /** {@return whether the dispatcher has ended} */
  boolean hasEnded() {
    return dispatcher.hasEnded();
  }
}
