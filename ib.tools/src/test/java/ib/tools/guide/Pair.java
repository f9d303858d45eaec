package ib.tools.guide;

import ib.core.verbs.Access;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.IbDevice;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.QueuePairs;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.TimeUnit;

/** What the recipes of {@code docs/cookbook.md} begin with. */
final class Pair {
  private Pair() {}

  /** One end: a queue pair, its completion queue, and memory. */
  record End(ProtectionDomain pd, CompletionQueue cq, MemoryRegion memory, QueuePair qp)
      implements AutoCloseable {
    static End of(IbDevice device, QpType type) {
      ProtectionDomain pd = device.allocPd();
      CompletionQueue cq = device.createCq(new CqInit(32));
      int rights =
          Access.LOCAL_WRITE | Access.REMOTE_READ | Access.REMOTE_WRITE | Access.REMOTE_ATOMIC;
      MemoryRegion memory = pd.allocMemory(4096, 4096, rights);
      QpCap cap = new QpCap(16, 16, 1, 1, 64); // sends, receives, pieces of each, inline bytes
      return new End(pd, cq, memory, pd.createQp(new QpInit(type, cq, cap)));
    }

    /** Waits for a completion. */
    WorkCompletion await() {
      WorkCompletion[] done = {new WorkCompletion()};
      long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
      while (cq.poll(done, 1) == 0) {
        if (System.nanoTime() - end > 0) {
          throw new IllegalStateException("no completion");
        }
        Thread.onSpinWait();
      }
      if (done[0].status() != WcStatus.SUCCESS) {
        throw new IllegalStateException(done[0].toString());
      }
      return done[0];
    }

    @Override
    public void close() { // in the order of their use
      qp.close();
      memory.close();
      cq.close();
      pd.close();
    }
  }

  /** Connects two ends of this JVM. */
  static void connect(End a, End b) {
    QueuePairs.connect(a.qp(), b.qp());
  }

  /** Reads a number of an end's memory. */
  static long number(End end, long at) {
    return end.memory().segment().get(ValueLayout.JAVA_LONG, at);
  }
}
