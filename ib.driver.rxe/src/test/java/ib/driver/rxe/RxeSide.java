package ib.driver.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.Access;
import ib.core.verbs.AddressHandle;
import ib.core.verbs.AhAttr;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.Gid;
import ib.core.verbs.GlobalRoute;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbObject;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.Mtu;
import ib.core.verbs.PostStatus;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** One end of a test: the objects that it needs, through a client's handle. */
final class RxeSide implements AutoCloseable {
  static final int BYTES = 1 << 20;
  static final int QKEY = 0x11111111;
  static final int ALL =
      Access.LOCAL_WRITE
          | Access.REMOTE_WRITE
          | Access.REMOTE_READ
          | Access.REMOTE_ATOMIC
          | Access.FLUSH_GLOBAL;
  static final int PSN = 0xfffff0; // wraps soon

  final IbDevice device;
  final ProtectionDomain pd;
  final CompletionQueue cq;
  final MemoryRegion mr;
  private final WorkCompletion[] one = {new WorkCompletion()};
  private final List<IbObject> more = new ArrayList<>();
  private Gid peer = Gid.ZERO;
  private AddressHandle ah;
  int gidIndex;
  int trafficClass;
  int timeout = 17; // 0.54 s, so that a busy machine is no loss
  int retries = 7;
  int rnrRetries = 7;
  int rights = ALL;
  QueuePair qp;

  RxeSide(IbDevice device) {
    this(device, new CqInit(4096));
  }

  RxeSide(IbDevice device, CqInit queue) {
    this.device = device;
    pd = device.allocPd();
    cq = device.createCq(queue);
    mr = pd.allocMemory(BYTES, 4096, ALL);
  }

  MemorySegment memory() {
    return mr.segment();
  }

  Gid gid() {
    return device.gid(1, gidIndex);
  }

  void open(QpType type) {
    if (qp != null) {
      qp.close();
    }
    qp = pd.createQp(new QpInit(type, cq, new QpCap(256, 256, 4, 4, 64)));
  }

  /** Opens a connected pair, or two datagram ends. */
  static void connect(QpType type, RxeSide a, RxeSide b, Mtu mtu) {
    a.open(type);
    b.open(type);
    a.bringUp(b.gid(), b.qp.qpn(), mtu);
    b.bringUp(a.gid(), a.qp.qpn(), mtu);
  }

  AhAttr to(Gid gid) {
    return AhAttr.ofGid(1, new GlobalRoute(gid, 0, gidIndex, 64, trafficClass));
  }

  void bringUp(Gid gid, int peerQpn, Mtu mtu) {
    peer = gid;
    QpAttr init = new QpAttr().state(QpState.INIT).pkeyIndex(0).port(1);
    QpAttr rtr = new QpAttr().state(QpState.RTR);
    QpAttr rts = new QpAttr().state(QpState.RTS).sqPsn(PSN);
    if (qp.type() == QpType.UD) {
      init.qkey(QKEY);
    } else {
      init.accessFlags(rights);
      rtr.av(to(peer)).pathMtu(mtu).destQpn(peerQpn).rqPsn(PSN);
    }
    if (qp.type() == QpType.RC) {
      rtr.maxDestRdAtomic(4).minRnrTimer(1);
      rts.timeout(timeout).retryCount(retries).rnrRetry(rnrRetries).maxRdAtomic(4);
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

  void post(SendWr wr) {
    assertEquals(PostStatus.OK, qp.postSend(wr));
  }

  /** A region of 64 bytes at offset 4096 that a request registers; closed with this side. */
  MemoryRegion fast() {
    MemoryRegion region = pd.allocFastRegistration(1);
    region.map(memory().asSlice(4096, 64));
    more.add(region);
    return region;
  }

  /** The way to the peer that {@link #bringUp} named; closed with this side. */
  AddressHandle ah() {
    if (ah == null) {
      ah = pd.createAh(to(peer));
      more.add(ah);
    }
    return ah;
  }

  /** Takes all completions that are there, and says how many. */
  int count() {
    int n = 0;
    while (cq.poll(one, 1) == 1) {
      n++;
    }
    return n;
  }

  /** The next completion, which must come in time and be a success. */
  WorkCompletion next(long wrId) {
    WorkCompletion wc = next();
    assertEquals(WcStatus.SUCCESS, wc.status(), wc.toString());
    assertEquals(wrId, wc.wrId(), wc.toString());
    return wc;
  }

  WorkCompletion next() {
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
    more.forEach(IbObject::close);
    mr.close();
    cq.close();
    pd.close();
  }
}
