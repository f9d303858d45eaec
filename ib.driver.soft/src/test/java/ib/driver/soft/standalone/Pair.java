package ib.driver.soft.standalone;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.core.spi.StandaloneFabric;
import ib.core.verbs.Access;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.IbDevice;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.PostStatus;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.QueuePairs;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import java.lang.foreign.ValueLayout;

/** Two ends that are connected. */
record Pair(End a, End b) implements AutoCloseable {
  private static final int BYTES = 64;

  /** One end. */
  record End(ProtectionDomain pd, CompletionQueue cq, MemoryRegion mr, QueuePair qp)
      implements AutoCloseable {

    static End open(IbDevice device, QpType type) {
      ProtectionDomain pd = device.allocPd();
      CompletionQueue cq = device.createCq(new CqInit(16));
      MemoryRegion mr = pd.allocMemory(BYTES, 8, Access.LOCAL_WRITE | Access.REMOTE_WRITE);
      return new End(pd, cq, mr, pd.createQp(new QpInit(type, cq, new QpCap(8, 8, 1, 1, 0))));
    }

    void completed() {
      WorkCompletion[] one = {new WorkCompletion()};
      while (cq.poll(one, 1) == 0) {
        Thread.onSpinWait(); // the test has a limit
      }
      assertEquals(WcStatus.SUCCESS, one[0].status());
    }

    @Override
    public void close() {
      qp.close();
      mr.close();
      cq.close();
      pd.close();
    }
  }

  static Pair open(StandaloneFabric fabric) {
    Pair pair = unconnected(fabric, QpType.RC);
    QueuePairs.connect(pair.a.qp, pair.b.qp);
    return pair;
  }

  static Pair unconnected(StandaloneFabric fabric, QpType type) {
    IbDevice first = fabric.devices().getFirst();
    return new Pair(End.open(first, type), End.open(fabric.devices().getLast(), type));
  }

  int[] exchange(int there, int back) {
    return new int[] {send(a, b, there), send(b, a, back)};
  }

  private static int send(End from, End to, int what) {
    from.mr.segment().set(ValueLayout.JAVA_INT, 0, what);
    assertEquals(PostStatus.OK, to.qp.postReceive(1, to.mr.lkey(), to.mr.iova(), BYTES));
    SendWr wr = new SendWr(1).flags(SendFlags.SIGNALED);
    assertEquals(PostStatus.OK, from.qp.postSend(wr.addSge(from.mr.lkey(), from.mr.iova(), 4)));
    to.completed();
    from.completed();
    return to.mr.segment().get(ValueLayout.JAVA_INT, 0);
  }

  @Override
  public void close() {
    b.close();
    a.close();
  }
}
