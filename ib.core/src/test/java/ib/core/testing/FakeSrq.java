package ib.core.testing;

import ib.core.verbs.Cqe;
import ib.core.verbs.EventHandler;
import ib.core.verbs.EventType;
import ib.core.verbs.IbEvent;
import ib.core.verbs.ObjectControl;
import ib.core.verbs.ObjectControl.Kind;
import ib.core.verbs.PostStatus;
import ib.core.verbs.RecvWr;
import ib.core.verbs.SharedReceiveQueue;
import ib.core.verbs.SrqAttr;
import ib.core.verbs.SrqInit;
import java.util.concurrent.atomic.AtomicInteger;

/** A shared receive queue of a {@link FakeDevice}; what is posted stays there. */
public final class FakeSrq extends SharedReceiveQueue {
  private final FakeDevice device;
  private final AtomicInteger deaths = new AtomicInteger();
  private volatile SrqAttr attr;

  FakeSrq(ObjectControl control, FakeDevice device, SrqInit init) {
    super(control, init);
    this.device = device;
    this.attr = init.attr();
    device.born(Kind.SRQ);
  }

  @Override
  public int postReceive(RecvWr first) {
    return deaths.get() > 0 ? PostStatus.GONE : PostStatus.OK;
  }

  @Override
  public int postReceive(long wrId, int lkey, long address, int length) {
    return deaths.get() > 0 ? PostStatus.GONE : PostStatus.OK;
  }

  @Override
  public int postReceive(Cqe cqe, int lkey, long address, int length) {
    return deaths.get() > 0 ? PostStatus.GONE : PostStatus.OK;
  }

  @Override
  protected SrqAttr doQuery() {
    return attr;
  }

  @Override
  protected void doModify(SrqAttr newAttr) {
    device.faults().hit("doModifySrq");
    attr = newAttr;
  }

  /**
   * Raises an event.
   *
   * @param type of a shared receive queue
   */
  public void event(EventType type) {
    EventHandler handler = init().eventHandler();
    if (device.callsEventHandlersDirectly && handler != null) {
      handler.handle(new IbEvent(device(), type, this, 0, 0, System.nanoTime()), init().context());
    } else {
      raise(type);
    }
  }

  @Override
  protected void doDestroy() {
    device.died(Kind.SRQ, deaths);
  }
}
