package ib.core.internal.restrack;

import ib.core.verbs.IbNoMemoryException;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Supplier;

/**
 * The amounts that one client uses on one device, by quota. Lock-free, because any context may make
 * an address handle.
 */
final class Account {
  private final AtomicLongArray used = new AtomicLongArray(Quota.values().length);
  private final String owner;
  private final Supplier<Quotas> quotas;

  /**
   * An account on which nothing is.
   *
   * @param owner whose, for errors, for example {@code client kv on soft0}
   * @param quotas the limits now
   */
  Account(String owner, Supplier<Quotas> quotas) {
    this.owner = owner;
    this.quotas = quotas;
  }

  /** Takes that many, or all of it is refused. */
  void take(Quota quota, long n) {
    int i = quota.ordinal();
    for (; ; ) {
      long now = used.get(i);
      if (n > quotas.get().limit(quota) - now) {
        throw refusal(quota, n, now);
      }
      if (used.compareAndSet(i, now, now + n)) {
        return;
      }
    }
  }

  /** Adds what cannot be refused any more, or, below 0, gives back. */
  void add(Quota quota, long n) {
    used.getAndAdd(quota.ordinal(), n);
  }

  long used(Quota quota) {
    return used.get(quota.ordinal());
  }

  private IbNoMemoryException refusal(Quota quota, long n, long now) {
    long unit = quota.unit;
    return new IbNoMemoryException(
        owner,
        Math.ceilDiv(n, unit)
            + " more "
            + quota.label
            + " than the "
            + Math.ceilDiv(now, unit)
            + " that it has are over its limit of "
            + quotas.get().limit(quota) / unit,
        "close some, or raise " + quota.key() + " in the configuration ib.core");
  }
}
