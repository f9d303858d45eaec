package ib.core.internal.event;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Counters of a device's events since it was connected.
 *
 * @param dispatched events given a sequence number
 * @param delivered handler calls that have ended
 * @param detours events handed to the typed handlers without waiting longer for the bus
 * @param overflows EVENT_OVERFLOW events of the device queue
 * @param lost events for which these EVENT_OVERFLOW events stand
 * @param handlerLost events that single handlers lost; each handler got an EVENT_OVERFLOW for them
 * @param early events dropped because they came before the core had connected (B12)
 * @param late events dropped because they came after the close (CC-16)
 * @param handlerErrors handler calls that threw
 * @param refreshErrors refreshes of the caches that failed
 * @param mirrored affiliated events posted on the bus
 * @param unposted events, including mirrored ones, that were not posted because the bus was full,
 *     stuck or gone
 */
public record EventStats(
    long dispatched,
    long delivered,
    long detours,
    long overflows,
    long lost,
    long handlerLost,
    long early,
    long late,
    long handlerErrors,
    long refreshErrors,
    long mirrored,
    long unposted) {

  /** {@return the counters by name, in the order above} */
  public Map<String, Long> named() {
    Map<String, Long> named = new LinkedHashMap<>();
    named.put("dispatched", dispatched);
    named.put("delivered", delivered);
    named.put("detours", detours);
    named.put("overflows", overflows);
    named.put("lost", lost);
    named.put("handler_lost", handlerLost);
    named.put("early", early);
    named.put("late", late);
    named.put("handler_errors", handlerErrors);
    named.put("refresh_errors", refreshErrors);
    named.put("mirrored", mirrored);
    named.put("unposted", unposted);
    return named;
  }
}
