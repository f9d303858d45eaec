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
import ib.core.verbs.WorkCompletion;
import java.lang.foreign.ValueLayout;
import java.time.Duration;

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

    /** Waits for a completion, which must be a success. */
    WorkCompletion await() {
      return cq.await(Duration.ofMinutes(1)).check();
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
