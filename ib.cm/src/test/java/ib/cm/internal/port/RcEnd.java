package ib.cm.internal.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import ib.cm.CmEndpoint;
import ib.cm.CmPath;
import ib.cm.CmTerms;
import ib.cm.QpSteps;
import ib.core.verbs.Access;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.IbDevice;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.PostStatus;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import java.util.concurrent.locks.LockSupport;

/** A reliable connected queue pair with a receive posted. */
final class RcEnd implements AutoCloseable {
  private static final int AREA = 4096;

  private final ProtectionDomain pd;
  private final CompletionQueue cq;
  private final MemoryRegion memory;
  private final QueuePair qp;
  private final CmEndpoint mine;

  RcEnd(IbDevice device, CmPath path) {
    pd = device.allocPd();
    cq = device.createCq(new CqInit(8));
    memory = pd.allocMemory(2 * AREA, AREA, Access.LOCAL_WRITE);
    qp = pd.createQp(new QpInit(QpType.RC, cq, new QpCap(4, 4, 1, 1, 0)).withRecvCq(cq));
    mine = CmEndpoint.of(qp.qpn(), QueuePair.randomPsn());
    qp.modify(QpSteps.init(path, 0));
    qp.postReceive(1, memory.lkey(), memory.iova(), AREA);
  }

  CmEndpoint mine() {
    return mine;
  }

  void connect(CmPath path, CmEndpoint peer, CmTerms terms) {
    qp.modify(QpSteps.rtr(path, mine, peer));
    qp.modify(QpSteps.rts(mine, peer, terms));
  }

  void send(int length) {
    qp.wrStart();
    qp.wrId(2).wrFlags(SendFlags.SIGNALED).wrSend();
    qp.wrSetSge(memory.lkey(), memory.iova() + AREA, length);
    assertEquals(PostStatus.OK, qp.wrComplete());
  }

  /** Waits for the completion of the send, 2, or of the receive, 1. */
  int completed(int id) {
    WorkCompletion[] one = {new WorkCompletion()};
    for (int i = 0; i < 60_000; i++) {
      if (cq.poll(one, 1) == 1) {
        assertEquals(WcStatus.SUCCESS, one[0].status());
        assertEquals(id, one[0].wrId());
        return one[0].byteLen();
      }
      LockSupport.parkNanos(1_000_000);
    }
    return fail("no completion");
  }

  void error() {
    qp.modify(new QpAttr().state(QpState.ERR));
  }

  @Override
  public void close() {
    qp.close();
    memory.close();
    cq.close();
    pd.close();
  }
}
