package ib.core.internal.event;

import java.util.concurrent.TimeUnit;

/**
 * Logs the detours of one device's events around a bus that is held up (D8): one line when the
 * detours begin, one when the bus has caught up, and at most one a minute in between, however often
 * the bus changes on a busy machine (B6). Only a run of the dispatcher may call these methods.
 */
final class DetourReport {
  private static final long QUIET_NS = TimeUnit.MINUTES.toNanos(1);

  private final EventHub hub;
  private final DeviceEvents events;
  private boolean begun;
  private boolean ever;
  private long lastNs;
  private int detours; // since the last end that was logged
  private long direct; // events handed directly to the handlers since then

  DetourReport(EventHub hub, DeviceEvents events) {
    this.hub = hub;
    this.events = events;
  }

  /** A detour begins, because an event on the bus is overdue. */
  void begins(long first, int handed, long nowNs) {
    detours++;
    direct += handed;
    if (begun) {
      still(nowNs);
    } else if (!ever || nowNs - lastNs >= QUIET_NS) {
      begun = true;
      tell(
          "event "
              + first
              + " did not come back from the event bus in time: handlers get events directly until"
              + " it does"
              + (detours > 1 ? "; so it was " + (detours - 1) + " times unreported" : ""),
          nowNs);
    }
  }

  /** An event went directly to the handlers, because the bus has not caught up. */
  void goesOn(long nowNs) {
    direct++;
    still(nowNs);
  }

  private void still(long nowNs) {
    if (begun && nowNs - lastNs >= QUIET_NS) {
      tell("the event bus is still held up: " + counts(), nowNs);
    }
  }

  /** {@return whether the beginning of a detour was logged, and the end was not} */
  boolean hasBegun() {
    return begun;
  }

  /** The bus has caught up. */
  void ends(long nowNs) {
    if (begun) {
      begun = false;
      tell("the event bus is back: " + counts(), nowNs);
      detours = 0;
      direct = 0;
    }
  }

  private String counts() {
    return "handlers got " + direct + " events directly, in " + detours + " detours";
  }

  private void tell(String text, long nowNs) {
    ever = true;
    lastNs = nowNs;
    hub.reports().trouble(events.name(), text, null);
  }
}
