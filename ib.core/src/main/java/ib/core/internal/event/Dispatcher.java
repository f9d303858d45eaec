package ib.core.internal.event;

import ib.core.serial.Serial;
import ib.core.verbs.EventType;
import org.jspecify.annotations.Nullable;

/**
 * Takes the events of a device from the device's ring, one at a time. The dispatcher refreshes the
 * caches, numbers the event, and hands it to the {@link Poster}, or to the handlers when the bus
 * cannot be used. The dispatcher also hands the handlers the events that the bus holds up. It
 * closes itself when the ring is closed and empty.
 */
final class Dispatcher extends Serial {
  private static final int PORTION = 16;

  /** After so many return timeouts the dispatcher notifies an overdue bus again. */
  private static final int NAG_FACTOR = 20;

  private final EventHub hub;
  private final DeviceEvents events;
  private final CacheRefresher refresher;
  private final ReturnWindow window;
  private final EventRing ring;
  private final Poster poster;
  // used in a run of this serial only
  private final EventRing.Entry entry = new EventRing.Entry();
  private final DetourReport report;
  private long nagNs;

  Dispatcher(
      EventHub hub,
      DeviceEvents events,
      CacheRefresher refresher,
      ReturnWindow window,
      EventRing ring,
      Poster poster) {
    super(poster);
    this.hub = hub;
    this.events = events;
    this.refresher = refresher;
    this.window = window;
    this.ring = ring;
    this.poster = poster;
    this.report = new DetourReport(hub, events);
  }

  @Override
  protected void call() {
    tick(hub.clock.nanoTime());
    int left = PORTION;
    while (left > 0 && !window.full() && ring.poll(entry)) {
      left--;
      EventType type = entry.type;
      if (type == null) {
        event(EventType.EVENT_OVERFLOW, 0, entry.lost, hub.clock.nanoTime());
      } else {
        event(type, entry.port, 0, entry.timeNs);
      }
    }
    if (left == 0) {
      again();
    } else if (ring.isDone()) {
      close();
    }
  }

  @Override
  protected void failed(Throwable thrown) {
    if (isInside()) {
      hub.reports().trouble(events.name(), "the event dispatcher failed, and goes on", thrown);
      again(); // for the events that are left in the ring
    } else {
      hub.reports().trouble(events.name(), "cannot start the event dispatcher", thrown);
    }
  }

  private void tick(long nowNs) {
    int overdue = window.expire(nowNs);
    if (overdue > 0) {
      long first = events.sequence() - overdue + 1;
      report.begins(first, overdue, nowNs);
      nagNs = nowNs;
      nag(hub.bus(), first, nowNs);
    } else if (report.hasBegun() && !window.detour()) {
      report.ends(nowNs);
    }
    refresher.retry(nowNs);
  }

  private void event(EventType type, int port, int lost, long timeNs) {
    refresher.before(type, port); // B13: before any handler gets the event
    DeviceEvent event = events.number(type, port, lost, timeNs);
    long now = hub.clock.nanoTime();
    EventBus bus = events.isOver() ? null : poster.offer(event, now);
    if (bus == null) {
      if (hub.bus() != null) {
        events.counters.detours.increment();
      }
      window.direct(event);
    } else if (!window.posted(event, now + hub.config.returnTimeoutNs())) {
      report.goesOn(now);
      nag(bus, event.sequence(), now);
    }
  }

  private void nag(@Nullable EventBus bus, long since, long now) {
    if (bus != null && now - nagNs >= 0) {
      nagNs = now + NAG_FACTOR * hub.config.returnTimeoutNs();
      bus.overdue(events.name(), since);
    }
  }

  /** {@return nanoseconds until a run is due even if no event comes} */
  long remainingNs(long nowNs) {
    return Math.min(window.remainingNs(nowNs), refresher.remainingNs(nowNs));
  }
}
