package ib.core.testing;

import ib.core.spi.CopiedCompletionQueue;
import ib.core.verbs.CompHandler;
import ib.core.verbs.CqInit;
import ib.core.verbs.EventType;
import ib.core.verbs.NotifyFlags;
import ib.core.verbs.ObjectControl;
import ib.core.verbs.ObjectControl.Kind;
import ib.core.verbs.PostStatus;
import ib.core.verbs.WcOpcode;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** A completion queue of a {@link FakeDevice}. */
public final class FakeCq extends CopiedCompletionQueue {
  private final FakeDevice device;
  private final AtomicInteger deaths = new AtomicInteger();
  private final AtomicInteger armed = new AtomicInteger();
  private final Queue<WorkCompletion> entries = new ConcurrentLinkedQueue<>();
  private volatile int size;

  /**
   * Makes a queue.
   *
   * @param control its book
   * @param device its device
   * @param init its attributes
   */
  public FakeCq(ObjectControl control, FakeDevice device, CqInit init) {
    super(control, init);
    this.device = device;
    this.size = init.entries();
    device.born(Kind.CQ);
  }

  /**
   * Adds a completion and tells the handler if the queue is armed.
   *
   * @param wc the completion; not copied
   */
  public void complete(WorkCompletion wc) {
    entries.add(wc);
    if (armed.getAndSet(0) != 0) {
      if (device.callsHandlersDirectly) {
        callHandler();
      } else {
        notifyCompletion();
      }
    }
  }

  /**
   * Adds a successful completion.
   *
   * @param wrId its id
   */
  public void complete(long wrId) {
    complete(new WorkCompletion().wrId(wrId).status(WcStatus.SUCCESS).opcode(WcOpcode.SEND));
  }

  /**
   * Calls the handler that the driver was given, here: legal on a thread of the driver's own only.
   */
  public void callHandler() {
    CompHandler handler = init().compHandler();
    if (handler != null) {
      handler.complete(this, init().context());
    }
  }

  /** {@return whether the next completion is notified} */
  public boolean isArmed() {
    return armed.get() != 0;
  }

  /** Tells the core of a completion, armed or not. */
  public void wake() {
    notifyCompletion();
  }

  /** Raises CQ_ERR. */
  public void error() {
    raise(EventType.CQ_ERR);
  }

  @Override
  public int entries() {
    device.touch(deaths);
    device.faults().hit("entries");
    return size;
  }

  @Override
  public int poll(WorkCompletion[] into, int most) {
    device.faults().hit("poll");
    if (deaths.get() > 0) {
      return PostStatus.GONE;
    }
    int planted = device.nextPoll.getAndSet(0);
    if (planted != 0) {
      return planted;
    }
    int n = 0;
    while (n < most) {
      WorkCompletion wc = entries.poll();
      if (wc == null) {
        break;
      }
      into[n++].set(wc);
    }
    return n;
  }

  @Override
  protected boolean take(WorkCompletion into) {
    WorkCompletion wc = deaths.get() > 0 ? null : entries.poll();
    if (wc != null) {
      into.set(wc);
    }
    return wc != null;
  }

  @Override
  public int requestNotify(int flags) {
    if (deaths.get() > 0) {
      return PostStatus.GONE;
    }
    device.faults().hit("requestNotify");
    int planted = device.nextArming.getAndSet(0);
    if (planted != 0) {
      return planted;
    }
    armed.set(flags);
    boolean report = (flags & NotifyFlags.REPORT_MISSED_EVENTS) != 0;
    return report && !entries.isEmpty() ? 1 : 0;
  }

  @Override
  protected void doResize(int newSize) {
    device.faults().hit("doResize");
    size = newSize;
  }

  @Override
  protected void doModerate(int count, int periodUs) {
    device.faults().hit("doModerate");
  }

  @Override
  protected void doDestroy() {
    device.died(Kind.CQ, deaths);
  }
}
