package ib.core.internal.restrack;

import ib.core.verbs.ObjectControl.Amount;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The share of one object in its client's account. Any number of threads may change sizes at a time
 * (S15); a destroyed object holds nothing. Without a lock, because an address handle is destroyed
 * from any context (S5). While two threads change one amount, the account may count both for a
 * moment.
 */
final class Holdings {
  private static final long ENDED = -1;

  private final Account account;
  private final AtomicLongArray held = new AtomicLongArray(Amount.values().length);

  Holdings(Account account) {
    this.account = account;
  }

  /** Holds at least that much from now on, or refuses; {@return what it held before} */
  long grow(Amount what, long amount) {
    for (; ; ) {
      long before = held.get(what.ordinal());
      if (before == ENDED) {
        return 0;
      }
      if (amount <= before) {
        return before;
      }
      account.take(Quota.of(what), amount - before);
      if (held.compareAndSet(what.ordinal(), before, amount)) {
        return before;
      }
      account.add(Quota.of(what), before - amount);
    }
  }

  /** Holds exactly that much from now on. */
  void settle(Amount what, long amount) {
    for (; ; ) {
      long before = held.get(what.ordinal());
      if (before == ENDED) {
        return;
      }
      if (held.compareAndSet(what.ordinal(), before, amount)) {
        account.add(Quota.of(what), amount - before);
        return;
      }
    }
  }

  /** Gives everything back, once. */
  void end() {
    for (Amount what : Amount.values()) {
      long before = held.getAndSet(what.ordinal(), ENDED);
      if (before != ENDED) {
        account.add(Quota.of(what), -before);
      }
    }
  }
}
