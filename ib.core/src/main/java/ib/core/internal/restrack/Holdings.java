package ib.core.internal.restrack;

import ib.core.verbs.ObjectControl.Amount;

/**
 * What one object holds of its client's account. Sizes change on any number of threads at a time
 * (S15), and after the object has ended it holds nothing. The monitor is a leaf and held for a few
 * additions; no any-context method comes here.
 */
final class Holdings {
  private final Account account;
  private final long[] held = new long[Amount.values().length];
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
