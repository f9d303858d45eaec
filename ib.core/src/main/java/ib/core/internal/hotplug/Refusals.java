package ib.core.internal.hotplug;

import ib.core.client.Violation;
import ib.core.verbs.IbDeadlockException;
import java.util.ArrayList;
import java.util.List;

/** Tells of a refused wait, with both stacks (contract 2.6, 4). */
final class Refusals {
  private final Observer observer;

  Refusals(Observer observer) {
    this.observer = observer;
  }

  /**
   * Records the violation and, in the API's form, throws.
   *
   * @param clause the corner case, for example CC-7
   * @param refusal what was refused
   * @param form whose form
   */
  void tell(String clause, Refusal refusal, Form form) {
    Thread me = Thread.currentThread();
    List<String> mine = Watchdog.stack(me);
    Thread other = refusal.path().stream().filter(t -> !t.equals(me)).findFirst().orElse(me);
    List<String> theirs = other.equals(me) ? List.of() : Watchdog.stack(other);
    String why = why(refusal);
    observer.violation(
        new Violation(clause, refusal.owner(), refusal.op() + ": " + why, mine, theirs));
    if (form == Form.THROW) {
      throw new IbDeadlockException(
          refusal.op() + " by thread " + me.getName(),
          why
              + "; it is queued and runs when that has returned"
              + text(me, mine)
              + (other.equals(me) ? "" : text(other, theirs)),
          "the queued form, or another thread");
    }
  }

  private static String why(Refusal refusal) {
    String inside = refusal.owner().isEmpty() ? "" : " (now in " + refusal.owner() + ")";
    if (refusal.path().size() <= 2) {
      return "called where the device is held by the caller itself" + inside;
    }
    List<String> names = new ArrayList<>();
    refusal.path().forEach(t -> names.add(t.getName()));
    return "the wait would close a cycle of threads: " + String.join(" -> ", names) + inside;
  }

  private static String text(Thread thread, List<String> stack) {
    return "\n  stack of " + thread.getName() + ":\n    " + String.join("\n    ", stack) + "\n";
  }
}
