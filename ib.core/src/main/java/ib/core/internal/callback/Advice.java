package ib.core.internal.callback;

import ib.core.client.Violation;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The advice that belongs to a clause, for reports that have none of their own. */
final class Advice {
  private static final String OWN_THREAD = "hand the work to a thread of your own, and return";
  private static final String QUEUED = "use the queued form, or another thread";
  private static final Map<String, String> BY_CLAUSE = new HashMap<>();

  static {
    BY_CLAUSE.put("S9", "answer negatively from requestNotify when the queue cannot notify");
    BY_CLAUSE.put("S20", "call handlers from a thread of the driver, never below a verb");
    BY_CLAUSE.put("S24", "call the handler of one object from one thread at a time");
    BY_CLAUSE.put("S26", OWN_THREAD);
    BY_CLAUSE.put("S28", "let the device work until its unregistration has returned");
    BY_CLAUSE.put("S29", "register and unregister on a thread of your own");
    BY_CLAUSE.put("S30", "release the lock first, or do not take it in methods of the device");
    BY_CLAUSE.put("S32", "close it and let go of it before IbClient.remove returns");
    BY_CLAUSE.put("CC-17", "do not wait inside a callback for callbacks: do so on another thread");
    BY_CLAUSE.put("CC-19", "return soon: " + OWN_THREAD);
    List.of("CC-7", "CC-8", "CC-9", "CC-10").forEach(c -> BY_CLAUSE.put(c, QUEUED));
  }

  private Advice() {}

  /** {@return the violation, with the advice of its clause unless it has one} */
  static Violation to(Violation v) {
    String advice = BY_CLAUSE.getOrDefault(v.clause(), "");
    return advice.isEmpty() || !v.instead().isEmpty()
        ? v
        : new Violation(v.clause(), v.culprit(), v.text(), advice, v.stack(), v.otherStack());
  }
}
