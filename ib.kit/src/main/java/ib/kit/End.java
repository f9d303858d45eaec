package ib.kit;

import ib.core.verbs.AddressHandle;
import ib.core.verbs.AhAttr;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.EventType;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbEvent;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.Mtu;
import ib.core.verbs.PostStatus;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.SharedReceiveQueue;
import ib.core.verbs.SrqAttr;
import ib.core.verbs.SrqInit;
import ib.core.verbs.WrOpcode;
import java.lang.foreign.Arena;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assertions;

/** One end: the objects that most cases need, made through one handle. */
final class End implements AutoCloseable {
  static final int BYTES = 256 << 10;
  static final int QKEY = 0x11111111;
  static final int CQ_ENTRIES = 512;

  final IbDevice device;
  final Shape shape;
  final ProtectionDomain pd;
  final CompletionQueue sendCq;
  final CompletionQueue recvCq;
  final MemoryRegion mr;
  final @Nullable SharedReceiveQueue srq;
  final QueuePair qp;
  final Queue<IbEvent> events = new ConcurrentLinkedQueue<>();

  /** The address of this end's own port. */
  final AhAttr self;

  private final Map<AhAttr, AddressHandle> handles;

  End(IbDevice device, Shape shape, Bench bench) {
    this(device, shape, bench.path(device, device), null, null);
  }

  /** With completion queues of the caller's making, which this end closes. */
  End(
      IbDevice device,
      Shape shape,
      AhAttr self,
      @Nullable CompletionQueue sends,
      @Nullable CompletionQueue receives) {
    this.device = device;
    this.shape = shape;
    this.self = self;
    handles = new ConcurrentHashMap<>();
    pd = device.allocPd();
    sendCq = sends == null ? device.createCq(cq()) : sends;
    recvCq = receives == null ? device.createCq(cq()) : receives;
    mr = pd.allocMemory(BYTES, 4096, rights());
    SrqAttr attr = new SrqAttr(Shape.DEPTH, Shape.SGES, 0);
    srq = shape.shared() ? pd.createSrq(new SrqInit(attr, this::heard, this)) : null;
    qp = pd.createQp(init());
  }

  private End(End from, QueuePair other) {
    device = from.device;
    shape = from.shape;
    self = from.self;
    pd = from.pd;
    sendCq = from.sendCq;
    recvCq = from.recvCq;
    mr = from.mr;
    srq = from.srq;
    qp = other;
    handles = from.handles;
  }

  /** Returns this end with another queue pair, which the end does not close. */
  End with(QueuePair other) {
    return new End(this, other);
  }

  private int rights() {
    return shape.access() | Shape.ALL;
  }

  private CqInit cq() {
    return new CqInit(CQ_ENTRIES, 0, null, this::heard, this, null);
  }

  private void heard(IbEvent event, @Nullable Object context) {
    events.add(event);
  }

  /** How its queue pair was made. */
  QpInit init() {
    return new QpInit(shape.type(), sendCq, shape.cap())
        .withRecvCq(recvCq)
        .withSrq(srq)
        .withSigType(shape.sig())
        .withEventHandler(this::heard, this);
  }

  /** An address handle, closed with this end. */
  AddressHandle ah(AhAttr path) {
    return handles.computeIfAbsent(path, pd::createAh);
  }

  /** A small region, which this end does not close. */
  MemoryRegion region() {
    return pd.allocMemory(64, 8, Shape.ALL);
  }

  /** A region of another domain of the device. */
  MemoryRegion foreign(Trial t) {
    return t.later(t.later(device.allocPd()).allocMemory(64, 8, Shape.ALL));
  }

  /** A region that is deregistered already. */
  MemoryRegion deregistered() {
    MemoryRegion region = region();
    region.close();
    return region;
  }

  /** A region whose arena is closed, if the driver lets that be. */
  MemoryRegion unbacked(Trial t) {
    Arena arena = Arena.ofShared();
    MemoryRegion region = t.later(pd.registerMemory(arena.allocate(64), Shape.ALL));
    t.close(arena);
    return region;
  }

  long addr() {
    return mr.iova();
  }

  int lkey() {
    return mr.lkey();
  }

  /** A send request of this end on its own memory, signaled. */
  SendWr wr(WrOpcode opcode, long wrId, long offset, int length) {
    return new SendWr(Shape.SGES)
        .wrId(wrId)
        .opcode(opcode)
        .flags(SendFlags.SIGNALED)
        .addSge(lkey(), addr() + offset, length);
  }

  /** Makes a request that is aimed at the memory of a peer. */
  SendWr wr(WrOpcode opcode, long wrId, long offset, int length, End peer, long remoteOffset) {
    return wr(opcode, wrId, offset, length)
        .rkey(peer.mr.rkey())
        .remoteAddr(peer.addr() + remoteOffset);
  }

  void send(SendWr wr) {
    Assertions.assertEquals(PostStatus.OK, qp.postSend(wr), "postSend");
  }

  void receive(long wrId, long offset, int length) {
    SharedReceiveQueue s = srq;
    int status =
        s == null
            ? qp.postReceive(wrId, lkey(), addr() + offset, length)
            : s.postReceive(wrId, lkey(), addr() + offset, length);
    Assertions.assertEquals(PostStatus.OK, status, "postReceive");
  }

  void init(int access) {
    QpAttr a = new QpAttr().state(QpState.INIT).pkeyIndex(0).port(1);
    qp.modify(shape.type() == QpType.UD ? a.qkey(QKEY) : a.accessFlags(access));
  }

  void rtr(AhAttr path, int peerQpn) {
    QpAttr a = new QpAttr().state(QpState.RTR);
    if (shape.type() != QpType.UD) {
      a.av(path).pathMtu(mtu()).destQpn(peerQpn).rqPsn(shape.psn());
    }
    if (shape.type() == QpType.RC) {
      a.maxDestRdAtomic(4).minRnrTimer(1);
    }
    qp.modify(a);
  }

  void rts() {
    QpAttr a = new QpAttr().state(QpState.RTS).sqPsn(shape.psn());
    if (shape.type() == QpType.RC) {
      a.timeout(shape.timeout())
          .retryCount(shape.retries())
          .rnrRetry(shape.rnrRetries())
          .maxRdAtomic(4);
    }
    qp.modify(a);
  }

  void error() {
    qp.modify(new QpAttr().state(QpState.ERR));
  }

  /** The path MTU that is used: what was asked for, as far as the port goes. */
  Mtu mtu() {
    Mtu active = device.queryPort(1).activeMtu();
    return active.bytes() < shape.mtu() ? active : Mtu.ofBytes(shape.mtu());
  }

  boolean heard(EventType type) {
    return events.stream().anyMatch(e -> e.type() == type);
  }

  void awaitEvent(EventType type) {
    Await.until(type + " at " + qp + ", heard " + events, () -> heard(type));
  }

  @Override
  public void close() {
    qp.close();
    handles.values().forEach(AddressHandle::close);
    if (srq != null) {
      srq.close();
    }
    mr.close();
    sendCq.close();
    recvCq.close();
    pd.close();
  }
}
