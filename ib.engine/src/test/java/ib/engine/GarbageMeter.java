package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;

/** Measures what rounds of posts and polls allocate, and whether they block (D3, G5). */
abstract class GarbageMeter {
  private static final int OPERATIONS = 1_000_000;
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  final WorkCompletion[] wc = {new WorkCompletion(), new WorkCompletion()};
  private int failures;

  /**
   * One round of posts and polls; counts what went wrong, so that nothing is allocated to say so.
   */
  interface Round {
    void run();
  }

  final void measure(Round round) {
    long me = Thread.currentThread().threadId();
    for (int i = 0; i < OPERATIONS / 10; i++) {
      round.run(); // compiled, and every lazily made packet is there
    }
    measured(round, OPERATIONS / 100, me);
    ThreadInfo before = THREADS.getThreadInfo(me);
    long allocated = measured(round, OPERATIONS, me);
    ThreadInfo after = THREADS.getThreadInfo(me);
    assertEquals(0, failures, "failed operations");
    assertTrue(allocated < OPERATIONS / 10, allocated + " bytes in " + OPERATIONS + " operations");
    assertEquals(before.getBlockedCount(), after.getBlockedCount(), "blocked");
    assertEquals(before.getWaitedCount(), after.getWaitedCount(), "waited or parked");
  }

  private static long measured(Round round, int n, long me) {
    long bytes = THREADS.getThreadAllocatedBytes(me);
    for (int i = 0; i < n; i++) {
      round.run();
    }
    return THREADS.getThreadAllocatedBytes(me) - bytes;
  }

  final void expect(boolean ok) {
    failures += ok ? 0 : 1;
  }

  final void sent(Rig.Side s) {
    expect(s.sendCq.poll(wc, 1) == 1 && wc[0].status() == WcStatus.SUCCESS);
  }

  final void received(Rig.Side s) {
    boolean there = s.recvCq.startPoll() && s.recvCq.status() == WcStatus.SUCCESS;
    expect(there);
    if (there) {
      s.recvCq.endPoll();
    }
  }
}
