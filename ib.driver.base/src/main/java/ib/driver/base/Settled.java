package ib.driver.base;

import ib.core.serial.End;
import ib.core.serial.Waits;
import ib.core.verbs.IbDeadlockException;
import ib.core.verbs.IbException;
import ib.core.verbs.IbTimedOutException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A wait until a slot has carried out all requests up to a number.
 *
 * @param slot the slot, whose worker carries them out
 * @param until number of the last request
 */
record Settled(Slot<?> slot, long until) implements Waits.Target {
  private static final long LIMIT_S = 120; // longer than any client may take (CC-19)

  /** How long a thread waits for a slot. */
  static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(LIMIT_S);

  @Override
  public boolean over() {
    return slot.reached(until);
  }

  @Override
  public void holders(Consumer<? super Thread> to) {
    Thread t = slot.worker();
    if (t != null) {
      to.accept(t);
    }
  }

  @Override
  public String text() {
    return "the worker of slot " + slot.pid();
  }

  /** {@return the exception of a call whose wait was refused or has timed out} */
  static IbException refusal(String call, End end) {
    String queued = "; it is queued and happens afterwards";
    String hint = "another thread, and do not wait for it here";
    return switch (end.kind()) {
      case TIMEOUT, DONE ->
          new IbTimedOutException(
              call, "not done after " + LIMIT_S + " s, it goes on", "ib:clients");
      case INSIDE ->
          new IbDeadlockException(
              call, "called from a callback of this very device" + queued, hint);
      case REFUSED ->
          new IbDeadlockException(
              call,
              "its worker waits, in the end, for the caller"
                  + queued
                  + ": "
                  + end.cycle().stream().map(Thread::getName).toList(),
              hint);
    };
  }
}
