package ib.engine.qp;

import ib.core.verbs.Cqe;
import ib.core.verbs.EventType;
import ib.core.verbs.IbNotSupportedException;
import ib.core.verbs.Limit;
import ib.core.verbs.ObjectControl;
import ib.core.verbs.RecvWr;
import ib.core.verbs.SharedReceiveQueue;
import ib.core.verbs.SrqAttr;
import ib.core.verbs.SrqInit;
import ib.engine.ring.HeldReceive;
import ib.engine.ring.ReceiveRing;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** A shared receive queue: one ring that many queue pairs take from. */
public final class SoftSrq extends SharedReceiveQueue {
  private static final VarHandle LIMIT;

  static {
    try {
      LIMIT = MethodHandles.lookup().findVarHandle(SoftSrq.class, "limit", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final HcaCore hca;
  private final ReceiveRing ring;
  private volatile int limit;

  SoftSrq(ObjectControl control, SrqInit init, HcaCore hca) {
    super(control, init);
    this.hca = hca;
    this.ring = new ReceiveRing(init.attr().maxWr(), init.attr().maxSge());
    this.limit = init.attr().srqLimit();
  }

  public ReceiveRing ring() {
    return ring;
  }

  /** Takes a receive; raises the limit event once when fewer are left (IBA 10.2.9.3). */
  boolean take(HeldReceive into) {
    if (!ring.take(into)) {
      return false;
    }
    int l = limit;
    if (l > 0 && ring.size() < l && LIMIT.compareAndSet(this, l, 0)) {
      raise(EventType.SRQ_LIMIT_REACHED);
    }
    return true;
  }

  @Override
  public int postReceive(RecvWr first) {
    return ReceivePost.list(ring, first);
  }

  @Override
  public int postReceive(long wrId, int lkey, long address, int length) {
    return ReceivePost.one(ring, wrId, null, lkey, address, length);
  }

  @Override
  public int postReceive(Cqe cqe, int lkey, long address, int length) {
    return ReceivePost.one(ring, 0, cqe, lkey, address, length);
  }

  @Override
  protected SrqAttr doQuery() {
    return new SrqAttr(ring.capacity(), ring.sgeMost(), limit);
  }

  @Override
  protected void doModify(SrqAttr attr) {
    if (attr.maxWr() != 0) {
      throw new IbNotSupportedException(
          this + ".modify", "no resize", "IbDevice.has(Cap.SRQ_RESIZE)");
    }
    limit = attr.srqLimit();
  }

  @Override
  protected void doDestroy() {
    ring.seal();
    hca.discount(Limit.MAX_SRQ);
  }
}
