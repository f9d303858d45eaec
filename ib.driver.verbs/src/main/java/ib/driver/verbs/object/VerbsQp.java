package ib.driver.verbs.object;

import ib.core.verbs.AddressHandle;
import ib.core.verbs.Cqe;
import ib.core.verbs.EventType;
import ib.core.verbs.Gid;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.MemoryWindow;
import ib.core.verbs.ObjectControl;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpState;
import ib.core.verbs.QueuePair;
import ib.core.verbs.RecvWr;
import ib.core.verbs.SendWr;
import ib.core.verbs.WrBuilder;
import ib.core.verbs.WrOpcode;
import java.lang.foreign.MemorySegment;

/** A queue pair of the kernel as its user sees it; {@link QpParts} has its parts. */
final class VerbsQp extends QueuePair implements VerbsContext.EventTarget {
  private final QpParts core;
  private final SendBuild build;
  private final SendList list;

  VerbsQp(ObjectControl control, QpInit init, VerbsPd pd) {
    super(control, init);
    this.core = new QpParts(pd, init, this);
    this.build = new SendBuild(core.sends);
    this.list = new SendList(core.sends);
  }

  @Override
  public void event(int type) {
    EventType event = EventType.of(type);
    core.event(event);
    raise(event);
  }

  QpParts parts() {
    return core;
  }

  @Override
  public int qpn() {
    return core.qpn;
  }

  @Override
  public QpState state() {
    return core.state();
  }

  @Override
  public QpCap cap() {
    return core.cap;
  }

  // ---- list form ----

  @Override
  public int postSend(SendWr first) {
    return core.posted(list.post(first));
  }

  @Override
  public int postReceive(RecvWr first) {
    int status = core.mayReceive();
    if (status != PostStatus.OK) {
      first.badWr(first);
      return status;
    }
    return core.posted(core.receives.list(first));
  }

  @Override
  public int postReceive(long wrId, int lkey, long address, int length) {
    int status = core.mayReceive();
    return status == PostStatus.OK
        ? core.posted(core.receives.one(wrId, null, lkey, address, length))
        : status;
  }

  @Override
  public int postReceive(Cqe cqe, int lkey, long address, int length) {
    int status = core.mayReceive();
    return status == PostStatus.OK
        ? core.posted(core.receives.one(0, cqe, lkey, address, length))
        : status;
  }

  // ---- builder ----

  @Override
  public WrBuilder wrStart() {
    build.start();
    return this;
  }

  @Override
  public QueuePair wrId(long wrId) {
    build.wrId(wrId);
    return this;
  }

  @Override
  public QueuePair wrFlags(int flags) {
    build.flags(flags);
    return this;
  }

  @Override
  public QueuePair wrCqe(Cqe cqe) {
    build.cqe(cqe);
    return this;
  }

  @Override
  public WrBuilder wrSend() {
    build.begin(WrOpcode.SEND);
    return this;
  }

  @Override
  public WrBuilder wrSendImm(int immData) {
    SendRequest r = build.begin(WrOpcode.SEND_WITH_IMM);
    if (r != null) {
      r.imm(immData);
    }
    return this;
  }

  @Override
  public WrBuilder wrSendInv(int invalidateRkey) {
    SendRequest r = build.begin(WrOpcode.SEND_WITH_INV);
    if (r != null) {
      r.invalidate(invalidateRkey);
    }
    return this;
  }

  @Override
  public WrBuilder wrSendTso(MemorySegment header, long offset, int headerLength, int mss) {
    build.begin(WrOpcode.LSO); // refused: the device does not report the capability
    return this;
  }

  private WrBuilder rdma(WrOpcode opcode, int rkey, long remoteAddress, int immData) {
    SendRequest r = build.begin(opcode);
    if (r != null) {
      r.rdma(remoteAddress, rkey);
      r.imm(immData);
    }
    return this;
  }

  @Override
  public WrBuilder wrRdmaWrite(int rkey, long remoteAddress) {
    return rdma(WrOpcode.RDMA_WRITE, rkey, remoteAddress, 0);
  }

  @Override
  public WrBuilder wrRdmaWriteImm(int rkey, long remoteAddress, int immData) {
    return rdma(WrOpcode.RDMA_WRITE_WITH_IMM, rkey, remoteAddress, immData);
  }

  @Override
  public WrBuilder wrRdmaRead(int rkey, long remoteAddress) {
    return rdma(WrOpcode.RDMA_READ, rkey, remoteAddress, 0);
  }

  @Override
  public WrBuilder wrAtomicCmpSwp(int rkey, long remoteAddress, long compare, long swap) {
    SendRequest r = build.begin(WrOpcode.ATOMIC_CMP_AND_SWP);
    if (r != null) {
      r.atomic(remoteAddress, rkey, compare, swap);
    }
    return this;
  }

  @Override
  public WrBuilder wrAtomicFetchAdd(int rkey, long remoteAddress, long add) {
    SendRequest r = build.begin(WrOpcode.ATOMIC_FETCH_AND_ADD);
    if (r != null) {
      r.atomic(remoteAddress, rkey, add, 0);
    }
    return this;
  }

  @Override
  public WrBuilder wrAtomicWrite(int rkey, long remoteAddress, long value) {
    build.begin(WrOpcode.ATOMIC_WRITE);
    return this;
  }

  @Override
  public WrBuilder wrFlush(int rkey, long remoteAddress, long length, int type, int level) {
    build.begin(WrOpcode.FLUSH);
    return this;
  }

  @Override
  public WrBuilder wrBindMw(
      MemoryWindow window, int rkey, MemoryRegion region, long address, long length, int access) {
    build.bind(window, rkey, region, address, length);
    build.rights(access);
    return this;
  }

  @Override
  public WrBuilder wrLocalInv(int rkey) {
    SendRequest r = build.begin(WrOpcode.LOCAL_INV);
    if (r != null) {
      r.invalidate(rkey);
    }
    return this;
  }

  @Override
  public WrBuilder wrRegMr(MemoryRegion region, int key, int access) {
    build.begin(WrOpcode.REG_MR);
    return this;
  }

  @Override
  public WrBuilder wrSetUdAddress(AddressHandle ah, int remoteQpn, int remoteQkey) {
    build.address(ah, remoteQpn, remoteQkey);
    return this;
  }

  @Override
  public WrBuilder wrSetSge(int lkey, long address, int length) {
    build.sge(lkey, address, length, true);
    return this;
  }

  @Override
  public WrBuilder wrAddSge(int lkey, long address, int length) {
    build.sge(lkey, address, length, false);
    return this;
  }

  @Override
  public WrBuilder wrSetInline(MemorySegment data, long offset, int length) {
    build.inline(data, offset, length);
    return this;
  }

  @Override
  public int wrComplete() {
    return core.posted(build.complete());
  }

  @Override
  public void wrAbort() {
    build.abort();
  }

  // ---- control path ----

  @Override
  protected void doModify(QpAttr attr, QpState to) {
    core.modify(attr, to);
  }

  @Override
  protected QpAttr doQuery() {
    return core.query();
  }

  @Override
  protected int outstanding() {
    return core.outstanding();
  }

  @Override
  protected void doAttachMulticast(Gid group, int mlid) {
    core.multicast("attachMulticast", true, group, mlid);
  }

  @Override
  protected void doDetachMulticast(Gid group, int mlid) {
    core.multicast("detachMulticast", false, group, mlid);
  }

  @Override
  protected void doDestroy() {
    core.destroy();
  }
}
