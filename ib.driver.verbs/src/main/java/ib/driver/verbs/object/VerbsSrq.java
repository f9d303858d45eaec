package ib.driver.verbs.object;

import ib.core.verbs.Cqe;
import ib.core.verbs.EventType;
import ib.core.verbs.IbNotSupportedException;
import ib.core.verbs.ObjectControl;
import ib.core.verbs.RecvWr;
import ib.core.verbs.SharedReceiveQueue;
import ib.core.verbs.SrqAttr;
import ib.core.verbs.SrqInit;
import ib.driver.verbs.abi.Frame;
import ib.driver.verbs.abi.Layout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A shared receive queue of the kernel. */
final class VerbsSrq extends SharedReceiveQueue implements VerbsContext.EventTarget {
  private static final long INIT_BYTES = Layout.size("ibv_srq_init_attr");
  private static final long CONTEXT = Layout.at("ibv_srq_init_attr", "srq_context", 8);
  private static final long ATTR = Layout.at("ibv_srq_init_attr", "attr");
  private static final long ATTR_BYTES = Layout.size("ibv_srq_attr");
  private static final long MAX_WR = Layout.at("ibv_srq_attr", "max_wr", 4);
  private static final long MAX_SGE = Layout.at("ibv_srq_attr", "max_sge", 4);
  private static final long LIMIT = Layout.at("ibv_srq_attr", "srq_limit", 4);
  private static final int SRQ_LIMIT = 1 << 1; // of ibv_srq_attr_mask

  private final VerbsContext context;
  private final int number;
  private final Held held = new Held();
  final long address;
  private final int sges;
  private final SharedBook book;
  private final ReceiveQueue queue;

  VerbsSrq(ObjectControl control, SrqInit init, VerbsPd pd) {
    super(control, init);
    this.context = pd.context;
    this.number = context.targets.add(this);
    if (number == 0) {
      throw context.full("createSrq");
    }
    SrqAttr asked = init.attr();
    this.book = new SharedBook(asked.maxWr());
    this.sges = asked.maxSge();
    this.queue = new ReceiveQueue(context, context.postSharedReceive, book, sges);
    long made = 0;
    boolean done = false;
    try (Frame frame = new Frame()) {
      MemorySegment c = frame.zeros(INIT_BYTES);
      c.set(ValueLayout.JAVA_LONG, CONTEXT, number);
      c.set(ValueLayout.JAVA_INT, ATTR + MAX_WR, asked.maxWr());
      c.set(ValueLayout.JAVA_INT, ATTR + MAX_SGE, asked.maxSge());
      made = context.make(frame, "createSrq", context.library.createSrq, pd.address, c.address());
      this.address = made;
      if (!queue.open(made)) {
        throw context.full("createSrq");
      }
      if (asked.srqLimit() != 0) {
        limit(frame, asked.srqLimit());
      }
      done = true;
    } finally {
      if (!done) {
        queue.close();
        context.targets.remove(number);
        if (made != 0) {
          destroy(made);
        }
      }
    }
  }

  private void destroy(long srq) {
    try (Frame frame = new Frame()) {
      context.destroyed("SRQ", frame.check(context.library.destroySrq, srq));
    }
  }

  private void limit(Frame frame, int limit) {
    MemorySegment c = frame.zeros(ATTR_BYTES);
    c.set(ValueLayout.JAVA_INT, LIMIT, limit);
    context.check(frame, "modifySrq", context.library.modifySrq, address, c.address(), SRQ_LIMIT);
  }

  @Override
  public void event(int type) {
    raise(EventType.of(type));
  }

  @Override
  public int postReceive(RecvWr first) {
    return queue.list(first);
  }

  @Override
  public int postReceive(long wrId, int lkey, long where, int length) {
    return queue.one(wrId, null, lkey, where, length);
  }

  @Override
  public int postReceive(Cqe cqe, int lkey, long where, int length) {
    return queue.one(0, cqe, lkey, where, length);
  }

  @Override
  protected void doModify(SrqAttr attr) {
    if (attr.maxWr() != 0) {
      throw new IbNotSupportedException(
          this + ".modify", "no resize", "IbDevice.has(Cap.SRQ_RESIZE)");
    }
    held.need("modifySrq");
    try (Frame frame = new Frame()) {
      limit(frame, attr.srqLimit());
    } finally {
      held.letGo();
    }
  }

  @Override
  protected SrqAttr doQuery() {
    held.need("querySrq");
    try (Frame frame = new Frame()) {
      MemorySegment c = frame.zeros(ATTR_BYTES);
      context.check(frame, "querySrq", context.library.querySrq, address, c.address());
      return new SrqAttr(book.capacity(), sges, Math.max(0, c.get(ValueLayout.JAVA_INT, LIMIT)));
    } finally {
      held.letGo();
    }
  }

  @Override
  protected void doDestroy() {
    held.end();
    queue.end();
    destroy(address);
    queue.close();
    context.targets.remove(number);
  }
}
