package ib.core.internal.event;

import ib.core.client.EventTopics;
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
  /** A bus that stays away is told again after so many timeouts. */
  private static final int NAG_FACTOR = 20;

  private final EventHub hub;
  private final DriverDevice device;
  private final EventCounters counters;
  private final AtomicLong sequence;
  private final PortCaches caches;
  private final CacheRefresher refresher;
  private final HandlerTable handlers;
  private final ReturnWindow window;
  private final BusPoster poster;
  private final EventRing events;
  private final EventRing mirrors;
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
    this.refresher = new CacheRefresher(hub, counters, caches);
    this.handlers = new HandlerTable(hub, counters);
    this.window = new ReturnWindow(config.queueCapacity(), counters.detours, handlers::offer);
    this.poster = new BusPoster(hub, counters);
    this.events = new EventRing(config.queueCapacity());
    this.mirrors = new EventRing(config.queueCapacity());
    this.dispatcher = new Dispatcher(hub, device.name(), new Work(), events, mirrors);
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
    dispatcher.open();
  }

  @Override
  @AnyContext
  public void dispatch(EventType type, int port) {
    if (!type.unaffiliated()) {
      throw new IllegalArgumentException(type + " belongs to an object: use its raise()");
    }
    if (events.offer(type, port, hub.clock().nanoTime(), null) == EventRing.Offer.CLOSED) {
      counters.late.increment();
    } else {
      dispatcher.wake();
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
    if (mirrors.offer(event.type(), 0, event.timeNs(), event) == EventRing.Offer.CLOSED) {
      counters.late.increment();
    } else {
      dispatcher.wake();
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
    counters.late.add(dispatcher.close());
  }

  /**
   * After {@link #close}: waits until all events accepted are dispatched, and heard by the handlers
   * that are left; then nothing is delivered any more, no handler can be registered, and the
   * dispatcher's thread has ended. A second call waits as well.
   *
   * @param timeoutNs how long to wait for handlers, Long.MAX_VALUE for as long as it takes; for a
   *     query of the driver it waits as long as that takes, and reports it
   * @return whether all that is so; false after a timeout, while a handler runs that {@link
   *     #closeOwner} gave up, or from inside a handler or a query of the driver
   */
  @MaySleep
  @Fence
  public boolean drain(long timeoutNs) {
    boolean ended = dispatcher.awaitEnd();
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
    if (properties.get(EventTopics.SEQUENCE) instanceof Long sequence) {
      poster.returned(sequence);
      boolean detour = window.detour();
      if (window.returned(sequence) || (detour && !window.detour())) { // room, or to be told of
        dispatcher.wake();
      }
    } else if (properties.get(EventTopics.TIME) instanceof Long time) {
      poster.returned(time);
    }
  }

  /** For the watch, every now and then. */
  void watch(long nowNs) {
    if (poster.seize(nowNs)) {
      hub.reports().trouble(name(), "the event bus blocks its poster: going on without it", null);
      dispatcher.start();
    }
  }

  /** What the dispatcher does, on its thread only. */
  private final class Work implements Dispatcher.Work {
    private final DetourReport report = new DetourReport(hub, DeviceEvents.this);
    private long nagNs;
    private int unmirrored; // affiliated events not posted and not told of

    @Override
    public boolean event(EventType type, int port, int lost, long timeNs) {
      refresher.before(type, port); // B13: before anybody hears of it
      if (lost > 0) {
        counters.overflows.increment();
        counters.lost.add(lost);
      }
      counters.dispatched.increment();
      return hand(new DeviceEvent(type, port, lost, sequence.incrementAndGet(), timeNs));
    }

    private boolean hand(DeviceEvent event) {
      long now = hub.clock().nanoTime();
      EventBus bus = over ? null : poster.ready(now, false);
      if (bus == null) {
        if (poster.present()) {
          counters.detours.increment();
        }
        window.direct(event);
        return true;
      }
      if (!window.posted(event, now + hub.config().returnTimeoutNs())) {
        report.goesOn(now);
        nag(bus, event.sequence(), now);
      }
      BusPoster.Result result =
          poster.post(bus, name(), event.topic(), event.properties(name()), event.sequence());
      if (result == BusPoster.Result.REFUSED) {
        window.flush();
      }
      return result != BusPoster.Result.DISOWNED;
    }

    private void nag(EventBus bus, long since, long now) {
      if (now - nagNs >= 0) {
        nagNs = now + NAG_FACTOR * hub.config().returnTimeoutNs();
        bus.overdue(name(), since);
      }
    }

    @Override
    public void tick(long nowNs) {
      int overdue = window.expire(nowNs);
      if (overdue > 0) {
        reportOverdue(overdue, nowNs);
      } else if (!window.detour()) {
        report.ends(nowNs);
      }
      refresher.retry(nowNs);
    }

    private void reportOverdue(int overdue, long now) {
      long first = sequence.get() - overdue + 1;
      report.begins(first, overdue, now);
      nagNs = now;
      EventBus bus = hub.bus();
      if (bus != null) {
        nag(bus, first, now);
      }
    }

    @Override
    public boolean mirror(@Nullable IbEvent event, int lost) {
      long now = hub.clock().nanoTime();
      EventBus bus = over ? null : poster.ready(now, true);
      if (bus == null) {
        unmirrored += event == null ? lost : 1;
        return true;
      }
      int untold = unmirrored + lost;
      unmirrored = 0;
      if (untold > 0 && !mirrorOverflow(bus, untold, now)) {
        return false;
      }
      return event == null || mirrorEvent(bus, event);
    }

    private boolean mirrorOverflow(EventBus bus, int lost, long now) {
      return mirror(
          bus,
          EventType.EVENT_OVERFLOW,
          Map.of(EventTopics.DEVICE, name(), EventTopics.TIME, now, EventTopics.LOST, lost),
          now);
    }

    private boolean mirrorEvent(EventBus bus, IbEvent event) {
      Map<String, Object> properties = new LinkedHashMap<>();
      properties.put(EventTopics.DEVICE, name());
      properties.put(EventTopics.TIME, event.timeNs());
      describe(event.element(), properties);
      return mirror(bus, event.type(), Map.copyOf(properties), event.timeNs());
    }

    private boolean mirror(EventBus bus, EventType type, Map<String, Object> properties, long key) {
      counters.mirrored.increment();
      String topic = EventTopics.PREFIX + type.name();
      return poster.post(bus, name(), topic, properties, key) != BusPoster.Result.DISOWNED;
    }

    private void describe(@Nullable IbObject element, Map<String, Object> properties) {
      if (element == null) {
        return;
      }
      properties.put(EventTopics.OBJECT, element.control().kind() + " " + element.control().id());
      if (element instanceof QueuePair qp) {
        properties.put(EventTopics.QPN, qp.qpn());
      }
    }

    @Override
    public boolean ready() {
      return !window.full();
    }

    @Override
    public long remainingNs(long nowNs) {
      return Math.min(window.remainingNs(nowNs), refresher.remainingNs(nowNs));
    }

    @Override
    public void end() {
      window.close();
    }
  }
}
