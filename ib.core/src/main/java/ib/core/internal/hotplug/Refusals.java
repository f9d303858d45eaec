package ib.core.internal.hotplug;

import ib.core.client.Violation;
import ib.core.verbs.IbDeadlockException;
import ib.core.verbs.IbException;
import ib.core.verbs.IbTimedOutException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Reports waits that were refused or ended early, with the stacks of both threads (B15, CC-19). */
final class Refusals {
  private final Book book;

  Refusals(Book book) {
    this.book = book;
  }

  /**
   * Runs an operation, or waits for it: at once, or, if called inside a callback, after the
   * callback has returned (CC-10). In the second case a refused wait is recorded as a violation.
   *
   * @param op the operation
   * @param clause the corner case that a violation names
   * @return why the operation, which was to run at once, has not run; else null
   */
  @Nullable Refusal performOrLater(Op op, String clause) {
    boolean later =
        book.compute(
            () -> {
              Tenure t = book.tenures.get(Thread.currentThread());
              return t != null && t.later.add(() -> record(clause, op.device.actor.perform(op)));
            });
    return later ? null : op.device.actor.perform(op);
  }

  /**
   * Records a violation where no caller could catch an exception.
   *
   * @param clause the corner case
   * @param refusal the refused wait, or null if none was refused
   */
  void record(String clause, @Nullable Refusal refusal) {
    if (refusal != null) {
      tell(clause, refusal, Form.RECORD);
    }
  }

  /**
   * Records the violation and, if {@code form} is THROW, throws.
   *
   * @param clause the corner case, for example CC-7
   * @param refusal the refused wait
   * @param form how the caller learns of it
   */
  void tell(String clause, Refusal refusal, Form form) {
    Thread me = Thread.currentThread();
    List<String> mine = Watchdog.stack(me);
    Thread other = refusal.path().stream().filter(t -> !t.equals(me)).findFirst().orElse(me);
    List<String> theirs = other.equals(me) ? List.of() : Watchdog.stack(other);
    String why = why(refusal);
    book.observer.violation(
        new Violation(
            refusal.late() ? "CC-19" : clause,
            refusal.party(),
            refusal.op() + ": " + why,
            mine,
            theirs));
    if (form == Form.THROW) {
      String stacks = text(me, mine) + (other.equals(me) ? "" : text(other, theirs));
      throw exception(refusal, refusal.op() + " by thread " + me.getName(), why, stacks);
    }
  }

  private static IbException exception(Refusal refusal, String what, String why, String stacks) {
    return refusal.late()
        ? new IbTimedOutException(
            what, why + "; it stays queued and runs when that has returned" + stacks, "ib:clients")
        : new IbDeadlockException(
            what,
            why + "; it is queued and runs when that has returned" + stacks,
            "the queued form, or another thread");
  }

  private static String why(Refusal refusal) {
    String inside = refusal.owner().isEmpty() ? "" : " (now in " + refusal.owner() + ")";
    if (refusal.late()) {
      long s = TimeUnit.NANOSECONDS.toSeconds(refusal.waitedNs());
      return "not done after " + s + " s, since a call does not return" + inside;
    }
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
