package ib.engine.verbs;

import ib.core.verbs.Cqe;
import ib.core.verbs.EventType;
import ib.core.verbs.IbNotSupportedException;
import ib.core.verbs.Limit;
import ib.core.verbs.ObjectControl;
import ib.core.verbs.RecvWr;
import ib.core.verbs.SharedReceiveQueue;
import ib.core.verbs.SrqAttr;
import ib.core.verbs.SrqInit;
import ib.engine.port.HcaCore;
import ib.engine.qp.SharedReceives;
import ib.engine.ring.ReceiveRing;

/** A shared receive queue: one ring that many queue pairs take from. */
public final class SoftSrq extends SharedReceiveQueue {
  private final HcaCore hca;
  final SharedReceives shared;

  SoftSrq(ObjectControl control, SrqInit init, HcaCore hca) {
    super(control, init);
    this.hca = hca;
    SrqAttr attr = init.attr();
    this.shared =
        new SharedReceives(
            new ReceiveRing(attr.maxWr(), attr.maxSge()),
            attr.srqLimit(),
            () -> raise(EventType.SRQ_LIMIT_REACHED));
  }

  @Override
  public int postReceive(RecvWr first) {
    return ReceivePost.list(shared.ring(), first);
  }

  @Override
  public int postReceive(long wrId, int lkey, long address, int length) {
    return ReceivePost.one(shared.ring(), wrId, null, lkey, address, length);
  }

  @Override
  public int postReceive(Cqe cqe, int lkey, long address, int length) {
    return ReceivePost.one(shared.ring(), 0, cqe, lkey, address, length);
  }

  @Override
  protected SrqAttr doQuery() {
    ReceiveRing ring = shared.ring();
    return new SrqAttr(ring.capacity(), ring.sgeMost(), shared.limit());
  }

  @Override
  protected void doModify(SrqAttr attr) {
    if (attr.maxWr() != 0) {
      throw new IbNotSupportedException(
          this + ".modify", "no resize", "IbDevice.has(Cap.SRQ_RESIZE)");
    }
    shared.limit(attr.srqLimit());
  }

  @Override
  protected void doDestroy() {
    try {
      shared.close();
    } finally {
      hca.discount(Limit.MAX_SRQ);
    }
  }
}
