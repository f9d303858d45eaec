package ib.driver.soft.flawed;

import ib.core.verbs.AddressHandle;
import ib.core.verbs.Cqe;
import ib.core.verbs.EventHandler;
import ib.core.verbs.EventType;
import ib.core.verbs.Gid;
import ib.core.verbs.IbEvent;
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
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.WrBuilder;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.LockSupport;

/** The queue pair of a flawed device. */
final class FlawedQp extends QueuePair {
  private static final long MODIFY_NS = 1_000_000;

  private final QueuePair inner;
  private final Flaw flaw;
  private volatile SendWr shared;

  FlawedQp(ObjectControl control, QpInit init, QueuePair inner, Flaw flaw) {
    super(control, init);
    this.inner = inner;
    this.flaw = flaw;
  }

  @Override
  public int postSend(SendWr first) {
    switch (flaw) {
      case POSTS_IN_RESET -> {
        if (inner.state() == QpState.RESET) {
          return PostStatus.OK;
        }
      }
      case NOT_REENTRANT -> {
        shared = first;
        for (int i = 0; i < 20; i++) {
          Thread.yield();
        }
        return inner.postSend(shared);
      }
      case SIGNALS_ALL -> {
        for (SendWr wr = first; wr != null; wr = wr.next()) {
          wr.flags(wr.flags() | SendFlags.SIGNALED);
        }
      }
      case PARKS_IN_POST -> LockSupport.parkNanos(1);
      case LOCKS_POST_AND_MODIFY -> {
        synchronized (this) {
          return inner.postSend(first);
        }
      }
      case LOCKED_REGISTRATION, LOCKED_REMOVAL -> {
        synchronized (flaw) { // the lock that the driver holds meanwhile
          return inner.postSend(first);
        }
      }
      default -> {
        // the other flaws are elsewhere
      }
    }
    int status = inner.postSend(first);
    if (status == PostStatus.QUEUE_FULL && flaw == Flaw.FULL_THROWS) {
      throw new IllegalStateException("full");
    }
    if (status == PostStatus.QUEUE_FULL && flaw == Flaw.HALF_A_LIST) {
      SendWr rest = first.next();
      SendWr bad = first.badWr();
      first.next(null);
      inner.postSend(first);
      first.next(rest).badWr(bad);
    }
    return status;
  }

  @Override
  public int postReceive(RecvWr first) {
    return inner.postReceive(first);
  }

  @Override
  public int postReceive(long wrId, int lkey, long address, int length) {
    return inner.postReceive(wrId, lkey, address, length);
  }

  @Override
  public int postReceive(Cqe cqe, int lkey, long address, int length) {
    return inner.postReceive(cqe, lkey, address, length);
  }

  @Override
  public int qpn() {
    return inner.qpn();
  }

  @Override
  public QpState state() {
    return inner.state();
  }

  @Override
  public QpCap cap() {
    return inner.cap();
  }

  @Override
  public QueuePair wrFlags(int flags) {
    inner.wrFlags(flags);
    return this;
  }

  @Override
  public WrBuilder wrSetInline(MemorySegment data, long offset, int length) {
    if (flaw == Flaw.INLINE_LATE) {
      MemorySegment other = MemorySegment.ofArray(new byte[length]); // what it will be later
      inner.wrSetInline(other, 0, length);
    } else {
      inner.wrSetInline(data, offset, length);
    }
    return this;
  }

  @Override
  public WrBuilder wrStart() {
    inner.wrStart();
    return this;
  }

  @Override
  public QueuePair wrId(long wrId) {
    inner.wrId(wrId);
    return this;
  }

  @Override
  public QueuePair wrCqe(Cqe cqe) {
    inner.wrCqe(cqe);
    return this;
  }

  @Override
  public WrBuilder wrSend() {
    inner.wrSend();
    return this;
  }

  @Override
  public WrBuilder wrSendImm(int immData) {
    inner.wrSendImm(immData);
    return this;
  }

  @Override
  public WrBuilder wrRdmaWrite(int rkey, long remoteAddress) {
    inner.wrRdmaWrite(rkey, remoteAddress);
    return this;
  }

  @Override
  public WrBuilder wrRdmaWriteImm(int rkey, long remoteAddress, int immData) {
    inner.wrRdmaWriteImm(rkey, remoteAddress, immData);
    return this;
  }

  @Override
  public WrBuilder wrRdmaRead(int rkey, long remoteAddress) {
    inner.wrRdmaRead(rkey, remoteAddress);
    return this;
  }

  @Override
  public WrBuilder wrSendInv(int invalidateRkey) {
    inner.wrSendInv(invalidateRkey);
    return this;
  }

  @Override
  public WrBuilder wrAtomicCmpSwp(int rkey, long remoteAddress, long compare, long swap) {
    inner.wrAtomicCmpSwp(rkey, remoteAddress, compare, swap);
    return this;
  }

  @Override
  public WrBuilder wrAtomicFetchAdd(int rkey, long remoteAddress, long add) {
    inner.wrAtomicFetchAdd(rkey, remoteAddress, add);
    return this;
  }

  @Override
  public WrBuilder wrAtomicWrite(int rkey, long remoteAddress, long value) {
    inner.wrAtomicWrite(rkey, remoteAddress, value);
    return this;
  }

  @Override
  public WrBuilder wrSendTso(MemorySegment header, long offset, int headerLength, int mss) {
    inner.wrSendTso(header, offset, headerLength, flaw == Flaw.MSS_IGNORED ? mss + 1 : mss);
    return this;
  }

  @Override
  public WrBuilder wrFlush(int rkey, long remoteAddress, long length, int type, int level) {
    inner.wrFlush(rkey, remoteAddress, length, type, level);
    return this;
  }

  @Override
  public WrBuilder wrBindMw(
      MemoryWindow window, int rkey, MemoryRegion region, long address, long length, int access) {
    inner.wrBindMw(window, rkey, region, address, length, access);
    return this;
  }

  @Override
  public WrBuilder wrLocalInv(int rkey) {
    inner.wrLocalInv(rkey);
    return this;
  }

  @Override
  public WrBuilder wrRegMr(MemoryRegion region, int key, int access) {
    inner.wrRegMr(region, key, access);
    return this;
  }

  @Override
  public WrBuilder wrSetUdAddress(AddressHandle ah, int remoteQpn, int remoteQkey) {
    inner.wrSetUdAddress(ah, remoteQpn, remoteQkey);
    return this;
  }

  @Override
  public WrBuilder wrSetSge(int lkey, long address, int length) {
    inner.wrSetSge(lkey, address, length);
    return this;
  }

  @Override
  public WrBuilder wrAddSge(int lkey, long address, int length) {
    inner.wrAddSge(lkey, address, length);
    return this;
  }

  @Override
  public int wrComplete() {
    return inner.wrComplete();
  }

  @Override
  public void wrAbort() {
    inner.wrAbort();
  }

  @Override
  protected void doModify(QpAttr attr, QpState to) {
    if (flaw == Flaw.LOCKS_POST_AND_MODIFY) {
      synchronized (this) {
        LockSupport.parkNanos(MODIFY_NS);
        Inner.call(inner, "doModify", attr, to);
      }
      return;
    }
    EventHandler handler = init().eventHandler();
    if (flaw == Flaw.EVENT_IN_CHAIN && to == QpState.SQD && handler != null) {
      long now = System.nanoTime();
      handler.handle(
          new IbEvent(device(), EventType.SQ_DRAINED, this, 0, 0, now), init().context());
    }
    if (flaw != Flaw.STATE_NOT_CHANGED || to == QpState.ERR || to == QpState.RESET) {
      Inner.call(inner, "doModify", attr, to);
    }
  }

  @Override
  protected QpAttr doQuery() {
    return flaw == Flaw.FORGETS_ATTRIBUTES
        ? new QpAttr().state(inner.state())
        : Inner.call(inner, "doQuery");
  }

  @Override
  protected int outstanding() {
    return Inner.<Integer>call(inner, "outstanding");
  }

  @Override
  protected void doAttachMulticast(Gid group, int mlid) {
    Inner.call(inner, "doAttachMulticast", group, mlid);
  }

  @Override
  protected void doDetachMulticast(Gid group, int mlid) {
    Inner.call(inner, "doDetachMulticast", group, mlid);
  }

  @Override
  protected void doDestroy() {
    if (flaw == Flaw.NO_FLUSH_ON_CLOSE) {
      Inner.call(inner, "doModify", new QpAttr().state(QpState.RESET), QpState.RESET);
    }
    if (flaw != Flaw.LEAKS_QPS) {
      Inner.call(inner, "doDestroy");
    }
  }
}
