package ib.core.internal.event;

import java.util.concurrent.atomic.LongAdder;

/** The counters behind {@link EventStats}. */
final class EventCounters {
  final LongAdder dispatched = new LongAdder();
  final LongAdder delivered = new LongAdder();
  final LongAdder detours = new LongAdder();
  final LongAdder overflows = new LongAdder();
  final LongAdder lost = new LongAdder();
  final LongAdder handlerLost = new LongAdder();
  final LongAdder early = new LongAdder();
  final LongAdder late = new LongAdder();
  final LongAdder handlerErrors = new LongAdder();
  final LongAdder refreshErrors = new LongAdder();
  final LongAdder mirrored = new LongAdder();
  final LongAdder unposted = new LongAdder();

  EventStats stats() {
    return new EventStats(
        dispatched.sum(),
        delivered.sum(),
        detours.sum(),
        overflows.sum(),
        lost.sum(),
        handlerLost.sum(),
        early.sum(),
        late.sum(),
        handlerErrors.sum(),
        refreshErrors.sum(),
        mirrored.sum(),
        unposted.sum());
  }
}
