package ib.core.verbs;

import ib.core.verbs.ObjectControl.Amount;

/** A shared receive queue: one pool of receives for many queue pairs (IBA 10.2.9). */
public abstract non-sealed class SharedReceiveQueue extends IbObject {

  private final SrqInit init;

  /**
   * For drivers.
   *
   * @param control the core's book
   * @param init the attributes given at creation
   */
  protected SharedReceiveQueue(ObjectControl control, SrqInit init) {
    super(control);
    this.init = init;
  }

  /** {@return the attributes given at creation} */
  public final SrqInit init() {
    return init;
  }

  /**
   * Posts a list of receives, all or nothing.
   *
   * @param first head of a list linked by {@link RecvWr#next}
   * @return {@link PostStatus#OK} or a negative {@link PostStatus}; {@link RecvWr#badWr} of the
   *     head names the first that did not fit
   */
  @AnyContext
  public abstract int postReceive(RecvWr first);

  /**
   * Posts one receive of one element.
   *
   * @param wrId returned in the completion
   * @param lkey local key
   * @param address in the region's space, see {@link MemoryRegion#iova}
   * @param length in bytes
   * @return {@link PostStatus#OK} or a negative {@link PostStatus}
   */
  @AnyContext
  public abstract int postReceive(long wrId, int lkey, long address, int length);

  /**
   * Posts one receive of one element with its own callback, safe from many threads. Allocates
   * nothing.
   *
   * @param cqe hears the completion, whose wrId is 0, when the queue that gets it is managed
   *     ({@link CqInit#managed})
   * @param lkey local key
   * @param address in the region's space, see {@link MemoryRegion#iova}
   * @param length in bytes
   * @return {@link PostStatus#OK} or a negative {@link PostStatus}
   */
  @AnyContext
  public abstract int postReceive(Cqe cqe, int lkey, long address, int length);

  /** {@return capacities and limit; a limit of 0 is not armed} */
  @MaySleep
  public final SrqAttr query() {
    control().enter("query");
    return control().call("query", this::doQuery);
  }

  /**
   * Arms the limit event or resizes the queue.
   *
   * @param attr a limit (0 disarms; at most the capacity) and a capacity (0 keeps it; needs {@link
   *     Cap#SRQ_RESIZE})
   */
  @MaySleep
  public final void modify(SrqAttr attr) {
    control().enter("modify");
    if (control().given(attr, "modify", "attr").maxWr() != 0) {
      device().requireCap(Cap.SRQ_RESIZE, "SharedReceiveQueue.modify");
    }
    int capacity = attr.maxWr() == 0 ? doQuery().maxWr() : attr.maxWr();
    if (attr.srqLimit() < 0 || attr.srqLimit() > capacity) {
      throw new IbInvalidException(
          this + ".modify", "limit " + attr.srqLimit(), "0 to " + capacity);
    }
    if (attr.maxWr() == 0) {
      control().run("modify", () -> doModify(attr));
    } else {
      sized(Amount.WORK_REQUESTS, attr.maxWr(), "modify", () -> doModify(attr));
    }
  }

  /**
   * For drivers: raises an event of this queue, without running a handler here (S20).
   *
   * @param type an event of a shared receive queue
   */
  @AnyContext
  protected final void raise(EventType type) {
    control().raise(new IbEvent(device(), type, this, 0, 0, System.nanoTime()));
  }

  /**
   * Arms the limit event or resizes.
   *
   * @param attr what to change, checked
   */
  protected abstract void doModify(SrqAttr attr);

  /** {@return capacities and limit} */
  protected abstract SrqAttr doQuery();
}
