package ib.engine.verbs;

import ib.core.spi.Trace;
import ib.core.verbs.AddressHandle;
import ib.core.verbs.Cqe;
import ib.core.verbs.EventType;
import ib.core.verbs.Gid;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.IbNotSupportedException;
import ib.core.verbs.Limit;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.MemoryWindow;
import ib.core.verbs.ObjectControl;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpCreateFlags;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.RecvWr;
import ib.core.verbs.SendWr;
import ib.core.verbs.WrBuilder;
import ib.core.verbs.WrOpcode;
import ib.engine.control.QpSteps;
import ib.engine.cq.SoftCq;
import ib.engine.link.Refusals;
import ib.engine.port.HcaCore;
import ib.engine.qp.ControlPath;
import ib.engine.qp.QpConsumer;
import ib.engine.qp.QpCore;
import ib.engine.qp.SharedReceives;
import ib.engine.qp.Verb;
import ib.engine.ring.ReceiveRing;
import ib.engine.wire.Opcode;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A queue pair as its user sees it. */
public final class SoftQp extends QueuePair implements QpConsumer {
  /** Of a queue pair that its domain does not know. */
  static final int NO_PLACE = -1;

  int domainPlace = NO_PLACE; // of its domain, under the domain's lock

  private final SoftPd pd;
  final QpCore engine;
  private @Nullable SendBuilder builder; // made when it is first used
  final long opcodes;

  SoftQp(ObjectControl control, QpInit init, SoftPd pd) {
    super(control, init);
    this.pd = pd;
    HcaCore hca = pd.hca;
    if (!(init.sendCq() instanceof SoftCq sendCq) || !(init.recvCq() instanceof SoftCq recvCq)) {
      throw new IbInvalidException(
          "createQp", "a completion queue of another driver", "one of this device");
    }
    if (init.srq() != null && !(init.srq() instanceof SoftSrq)) {
      throw new IbInvalidException(
          "createQp", "a receive queue of another driver", "one of this device");
    }
    SharedReceives srq = init.srq() instanceof SoftSrq s ? s.shared : null;
    if (Opcode.service(init.type()) == Opcode.RC && init.type() != QpType.RC) {
      throw new IbNotSupportedException(
          "createQp", init.type() + " is not offered", "IbDevice.has(Cap.XRC)");
    }
    this.engine = new QpSteps(hca, init, pd.domain, sendCq, recvCq, srq);
    this.opcodes = Verb.offered(engine.service);
    engine.verbs = this;
    boolean made = false;
    try {
      hca.enter(engine);
      sendCq.attach(engine);
      if (recvCq != sendCq) {
        recvCq.attach(engine);
      }
      made = !hca.gone(); // else it was shut down while this was made
    } finally {
      if (!made) {
        destroy();
      }
    }
    if (!made) {
      throw Refusals.gone("createQp");
    }
  }

  /** Whether it takes large sends. */
  boolean large() {
    return (init().createFlags() & QpCreateFlags.IPOIB_UD_LSO) != 0;
  }

  boolean datagram() {
    return engine.service == Opcode.UD;
  }

  int sendSgeMost() {
    return init().cap().maxSendSge();
  }

  int inlineMost() {
    return init().cap().maxInlineData();
  }

  /** Whether an address handle starts from this queue pair's port, which it has from INIT on. */
  boolean reaches(SoftAh ah) {
    return engine.state != QpState.RESET && ah.route().port() == engine.port().number();
  }

  @Override
  public void tell(EventType type) {
    raise(type);
  }

  @Override
  public int qpn() {
    return engine.qpn;
  }

  @Override
  public QpState state() {
    return engine.state;
  }

  @Override
  public QpCap cap() {
    return new QpCap(
        engine.sends.capacity(),
        engine.receives.capacity(),
        sendSgeMost(),
        init().cap().maxRecvSge(),
        inlineMost());
  }

  // ---- list form ----

  @Override
  public int postSend(SendWr first) {
    return SendPost.list(this, first);
  }

  @Override
  public int postReceive(RecvWr first) {
    QpState s = engine.state;
    if (s == QpState.RESET || engine.srq != null) {
      first.badWr(first);
      return engine.dead() ? PostStatus.GONE : PostStatus.INVALID;
    }
    ReceiveRing ring = engine.receives;
    int status = posted(ReceivePost.list(ring, first));
    for (RecvWr wr = first; Trace.posts() && status == PostStatus.OK && wr != null; ) {
      Trace.post(engine.hca.config().nodeGuid(), engine.qpn, false, wr.wrId(), 0);
      wr = wr.next();
    }
    return status;
  }

  @Override
  public int postReceive(long wrId, int lkey, long address, int length) {
    return receive(wrId, null, lkey, address, length);
  }

  @Override
  public int postReceive(Cqe cqe, int lkey, long address, int length) {
    return receive(0, cqe, lkey, address, length);
  }

  private int receive(long wrId, @Nullable Cqe cqe, int lkey, long address, int length) {
    QpState s = engine.state;
    if (s == QpState.RESET || engine.srq != null) {
      return engine.dead() ? PostStatus.GONE : PostStatus.INVALID;
    }
    int status = posted(ReceivePost.one(engine.receives, wrId, cqe, lkey, address, length));
    if (status == PostStatus.OK) {
      Trace.post(engine.hca.config().nodeGuid(), engine.qpn, false, wrId, 0);
    }
    return status;
  }

  /**
   * In ERR a receive must be flushed: either the flusher saw our claim and insists, or we see the
   * state (the claim's CAS stands between).
   */
  private int posted(int status) {
    if (engine.state == QpState.ERR && status == PostStatus.OK && engine.schedule()) {
      engine.runList.run(engine);
    }
    return status;
  }

  // ---- builder ----

  private SendBuilder builder() {
    SendBuilder b = builder;
    if (b == null) {
      b = new SendBuilder(this); // two threads that misuse it may make one each
      builder = b;
    }
    return b;
  }

  @Override
  public WrBuilder wrStart() {
    builder().start();
    return this;
  }

  @Override
  public QueuePair wrId(long wrId) {
    builder().wrId(wrId);
    return this;
  }

  @Override
  public QueuePair wrFlags(int flags) {
    builder().flags(flags);
    return this;
  }

  @Override
  public QueuePair wrCqe(Cqe cqe) {
    builder().cqe(cqe);
    return this;
  }

  @Override
  public WrBuilder wrSend() {
    builder().begin(WrOpcode.SEND, 0, 0, 0);
    return this;
  }

  @Override
  public WrBuilder wrSendImm(int immData) {
    builder().begin(WrOpcode.SEND_WITH_IMM, 0, 0, immData);
    return this;
  }

  @Override
  public WrBuilder wrSendTso(MemorySegment header, long offset, int headerLength, int mss) {
    builder().begin(WrOpcode.LSO, 0, 0, 0);
    builder().large(header, offset, headerLength, mss);
    return this;
  }

  @Override
  public WrBuilder wrRdmaWrite(int rkey, long remoteAddress) {
    builder().begin(WrOpcode.RDMA_WRITE, rkey, remoteAddress, 0);
    return this;
  }

  @Override
  public WrBuilder wrRdmaWriteImm(int rkey, long remoteAddress, int immData) {
    builder().begin(WrOpcode.RDMA_WRITE_WITH_IMM, rkey, remoteAddress, immData);
    return this;
  }

  @Override
  public WrBuilder wrRdmaRead(int rkey, long remoteAddress) {
    builder().begin(WrOpcode.RDMA_READ, rkey, remoteAddress, 0);
    return this;
  }

  @Override
  public WrBuilder wrSendInv(int invalidateRkey) {
    builder().begin(WrOpcode.SEND_WITH_INV, 0, 0, invalidateRkey);
    return this;
  }

  @Override
  public WrBuilder wrAtomicCmpSwp(int rkey, long remoteAddress, long compare, long swap) {
    builder().begin(WrOpcode.ATOMIC_CMP_AND_SWP, rkey, remoteAddress, 0);
    builder().atomic(swap, compare);
    return this;
  }

  @Override
  public WrBuilder wrAtomicFetchAdd(int rkey, long remoteAddress, long add) {
    builder().begin(WrOpcode.ATOMIC_FETCH_AND_ADD, rkey, remoteAddress, 0);
    builder().atomic(add, 0);
    return this;
  }

  @Override
  public WrBuilder wrAtomicWrite(int rkey, long remoteAddress, long value) {
    builder().begin(WrOpcode.ATOMIC_WRITE, rkey, remoteAddress, 0);
    builder().atomic(value, 0);
    return this;
  }

  @Override
  public WrBuilder wrFlush(int rkey, long remoteAddress, long length, int type, int level) {
    builder().begin(WrOpcode.FLUSH, rkey, remoteAddress, type | level << 4);
    builder().flush(length);
    return this;
  }

  @Override
  public WrBuilder wrBindMw(
      MemoryWindow window, int rkey, MemoryRegion region, long address, long length, int access) {
    builder().begin(WrOpcode.BIND_MW, rkey, address, 0);
    builder().bind(window, region, length, access);
    return this;
  }

  @Override
  public WrBuilder wrLocalInv(int rkey) {
    builder().begin(WrOpcode.LOCAL_INV, 0, 0, rkey);
    return this;
  }

  @Override
  public WrBuilder wrRegMr(MemoryRegion region, int key, int access) {
    builder().begin(WrOpcode.REG_MR, key, 0, 0);
    builder().register(region, access);
    return this;
  }

  @Override
  public WrBuilder wrSetUdAddress(AddressHandle ah, int remoteQpn, int remoteQkey) {
    builder().address(ah, remoteQpn, remoteQkey);
    return this;
  }

  @Override
  public WrBuilder wrSetSge(int lkey, long address, int length) {
    builder().sge(lkey, address, length, true);
    return this;
  }

  @Override
  public WrBuilder wrAddSge(int lkey, long address, int length) {
    builder().sge(lkey, address, length, false);
    return this;
  }

  @Override
  public WrBuilder wrSetInline(MemorySegment data, long offset, int length) {
    builder().inline(data, offset, length);
    return this;
  }

  @Override
  public int wrComplete() {
    return builder().complete();
  }

  @Override
  public void wrAbort() {
    builder().abort();
  }

  // ---- control path ----

  @Override
  protected void doModify(QpAttr attr, QpState to) {
    engine.control.modify(attr, to);
  }

  @Override
  protected QpAttr doQuery() {
    return engine.control.query().cap(cap());
  }

  @Override
  protected int outstanding() {
    int own = engine.sends.size() + engine.receives.size();
    return own + (engine.responder.holdsShared() ? 1 : 0);
  }

  @Override
  protected void doAttachMulticast(Gid group, int mlid) {
    pd.hca.multicast().attach(engine, engine.control.port("attachMulticast"), group, mlid);
  }

  @Override
  protected void doDetachMulticast(Gid group, int mlid) {
    pd.hca.multicast().detach(engine, group);
  }

  @Override
  protected void doDestroy() {
    try {
      destroy();
    } finally {
      pd.hca.discount(Limit.MAX_QP);
    }
  }

  private void destroy() {
    HcaCore hca = pd.hca;
    hca.leave(engine);
    try {
      hca.keep(engine.control.kill(ControlPath.deadline()));
      pd.forget(this); // not while a thread still holds its claim: its memory must stay
    } finally {
      hca.tally().leave(engine);
      engine.sendCq.detach(engine);
      engine.recvCq.detach(engine);
    }
  }
}
