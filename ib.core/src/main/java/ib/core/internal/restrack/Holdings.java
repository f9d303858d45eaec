package ib.core.internal.restrack;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import ib.core.verbs.ObjectControl.Amount;

/**
 * The share of one object in its client's account. Any number of threads may change sizes at a time
 * (S15); a destroyed object holds nothing. The monitor is a leaf, held for a few additions; no
 * any-context method takes it.
 */
final class Holdings {
  private final Account account;

  @GuardedBy("this")
  private final long[] held = new long[Amount.values().length];

  @GuardedBy("this")
  private boolean ended;

  Holdings(Account account) {
    this.account = account;
  }

  /** Holds at least that much from now on, or refuses; {@return what it held before}. */
  synchronized long grow(Amount what, long amount) {
    long before = held[what.ordinal()];
    if (!ended && amount > before) {
      account.take(Quota.of(what), amount - before);
      held[what.ordinal()] = amount;
    }
    return before;
  }

  /** Holds exactly that much from now on. */
  synchronized void settle(Amount what, long amount) {
    if (!ended) {
      account.add(Quota.of(what), amount - held[what.ordinal()]);
      held[what.ordinal()] = amount;
    }
  }

  /** Gives everything back, once. */
  synchronized void end() {
    for (Amount what : Amount.values()) {
      settle(what, 0);
    }
    ended = true;
  }
}
