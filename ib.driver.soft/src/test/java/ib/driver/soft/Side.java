package ib.driver.soft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.Access;
import ib.core.verbs.AhAttr;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.IbDevice;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.Mtu;
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
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;

/** One end of a test: the objects that it needs, through a client's handle. */
final class Side implements AutoCloseable {
  static final int BYTES = 1 << 20;
  static final int QKEY = 0x11111111;
  static final int ALL = Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ;

  final IbDevice device;
  final int port;
  final ProtectionDomain pd;
  final CompletionQueue cq;
  final MemoryRegion mr;
  QueuePair qp;

  Side(IbDevice device, int port) {
    this.device = device;
    this.port = port;
    pd = device.allocPd();
    cq = device.createCq(new CqInit(4096));
    mr = pd.allocMemory(BYTES, 4096, ALL);
  }

  MemorySegment memory() {
    return mr.segment();
  }

  int lid() {
    return device.queryPort(port).lid();
  }

  void open(QpType type) {
    if (qp != null) {
      qp.close();
    }
    qp = pd.createQp(new QpInit(type, cq, new QpCap(256, 256, 4, 4, 64)));
  }

  /** Opens a connected pair, or two datagram ends. */
  static void connect(QpType type, Side a, Side b, Mtu mtu) {
    a.open(type);
    b.open(type);
    a.bringUp(b, mtu);
    b.bringUp(a, mtu);
  }

  void bringUp(Side peer, Mtu mtu) {
    boolean rc = qp.type() == QpType.RC;
    QpAttr init = new QpAttr().state(QpState.INIT).pkeyIndex(0).port(port);
    QpAttr rtr = new QpAttr().state(QpState.RTR);
    QpAttr rts = new QpAttr().state(QpState.RTS).sqPsn(0xfffff0);
    if (qp.type() == QpType.UD) {
      init.qkey(QKEY);
    } else {
      init.accessFlags(ALL);
      rtr.av(AhAttr.ofLid(port, peer.lid(), 0))
          .pathMtu(mtu)
          .destQpn(peer.qp.qpn())
          .rqPsn(0xfffff0); // wraps soon
    }
    if (rc) {
      rtr.maxDestRdAtomic(4).minRnrTimer(1);
      // 67 ms, three times: a thread may be preempted that long
      rts.timeout(14).retryCount(2).rnrRetry(7).maxRdAtomic(4);
    }
    qp.modify(init);
    qp.modify(rtr);
    qp.modify(rts);
  }

  void receive(long wrId, long offset, int bytes) {
    assertEquals(0, qp.postReceive(wrId, mr.lkey(), mr.iova() + offset, bytes));
  }

  void send(long wrId, long offset, int bytes) {
    qp.wrStart();
    qp.wrId(wrId).wrFlags(SendFlags.SIGNALED);
    qp.wrSend();
    qp.wrSetSge(mr.lkey(), mr.iova() + offset, bytes);
    assertEquals(0, qp.wrComplete());
  }

  /** The next completion, which must come in time and be a success. */
  WorkCompletion next(long wrId) {
    WorkCompletion wc = next();
    assertEquals(WcStatus.SUCCESS, wc.status(), wc.toString());
    assertEquals(wrId, wc.wrId(), wc.toString());
    return wc;
  }

  WorkCompletion next() {
    WorkCompletion[] one = {new WorkCompletion()};
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
    while (cq.poll(one, 1) == 0) {
      assertTrue(System.nanoTime() < end, "no completion within 5 minutes");
      Thread.onSpinWait();
    }
    return one[0];
  }

  @Override
  public void close() {
    if (qp != null) {
      qp.close();
    }
    mr.close();
    cq.close();
    pd.close();
  }
}
