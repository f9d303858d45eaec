package ib.core.internal.callback;

import ib.core.serial.Serial;
import ib.core.verbs.CompletionNotifier;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.Cqe;
import ib.core.verbs.NotifyFlags;
import ib.core.verbs.PollContext;
import ib.core.verbs.PostStatus;
import ib.core.verbs.WorkCompletion;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The poller of a managed completion queue (kernel: cq.c). It polls up to its budget, calls {@link
 * Cqe#done} for each completion, arms the queue, and polls again if completions were missed. {@code
 * DIRECT} polls on the calling thread and is never armed; {@code EVENT_LOOP} runs on the vector;
 * the vector hands {@code WORKQUEUE} and {@code UNBOUND} to threads where {@code done} may sleep.
 */
final class ManagedCompletions extends Serial implements CompletionNotifier {
  static final int BUDGET_EVENT_LOOP = 256; // IB_POLL_BUDGET_IRQ
  static final int BUDGET_WORKQUEUE = 65_536; // IB_POLL_BUDGET_WORKQUEUE
  private static final int BATCH = 16; // IB_POLL_BATCH
  private static final int REARM = NotifyFlags.NEXT_COMP | NotifyFlags.REPORT_MISSED_EVENTS;

  private final PollContext where;
  private final Contract contract;
  private final String driver;
  private final CallbackPool pool;
  private final WorkCompletion[] batch = new WorkCompletion[BATCH];
  private volatile @Nullable CompletionQueue cq;
  private int budget;
  private int processed;

  ManagedCompletions(
      PollContext where,
      Contract contract,
      String driver,
      CompletionVector vector,
      CallbackPool pool) {
    super(vector);
    this.where = where;
    this.contract = contract;
    this.driver = driver;
    this.pool = pool;
    this.budget = where == PollContext.EVENT_LOOP ? BUDGET_EVENT_LOOP : BUDGET_WORKQUEUE;
    for (int i = 0; i < BATCH; i++) {
      batch[i] = new WorkCompletion();
    }
  }

  void connect(CompletionQueue queue) {
    cq = queue;
    queue.connect(this);
    if (where == PollContext.DIRECT) {
      return;
    }
    if (arm(queue)) {
      schedule();
    }
  }

  /** Arms the queue; {@return whether completions have come that no notification will tell of} */
  private boolean arm(CompletionQueue queue) {
    int armed = queue.requestNotify(REARM);
    if (armed < 0) {
      failed("arming", queue, armed);
    }
    return armed > 0;
  }

  private void failed(String what, CompletionQueue queue, int status) {
    if (status != PostStatus.GONE && !isClosed()) { // what is closed may fail
      contract.report("S9", driver, what + " " + queue + " failed: " + status, List.of());
    }
  }

  @Override
  protected void call() {
    CompletionQueue queue = cq;
    if (queue == null) {
      return;
    }
    boolean atomic = where == PollContext.DIRECT || where == PollContext.EVENT_LOOP;
    if (atomic) {
      Contract.enterAtomic();
    }
    try {
      int last = poll(queue);
      if (last < 0) {
        failed("polling", queue, last);
      }
      // after a failed poll no run follows at once, because it would fail again, and so on
      if (where != PollContext.DIRECT && (processed >= budget || arm(queue) && last >= 0)) {
        again();
      }
    } catch (Throwable e) { // thrown by the driver: the method done below catches the client's
      contract.handlerThrew("polling " + queue, e);
    } finally {
      if (atomic) {
        Contract.exitAtomic();
      }
    }
  }

  /** {@return the last result of the queue's poll} */
  private int poll(CompletionQueue queue) {
    processed = 0;
    int n = 0;
    while (processed < budget && !isClosed()) {
      int most = Math.min(BATCH, budget - processed);
      n = queue.poll(batch, most);
      for (int i = 0; i < n; i++) {
        done(queue, batch[i]);
      }
      processed += Math.max(0, n);
      if (n < most) {
        break;
      }
    }
    return n;
  }

  private void done(CompletionQueue queue, WorkCompletion wc) {
    Cqe cqe = wc.cqe();
    if (cqe == null) {
      contract.report(
          "D3",
          "the poster on " + queue,
          "a request without Cqe completed on a managed completion queue: no consumer is notified",
          List.of());
      return;
    }
    try {
      cqe.done(queue, wc);
    } catch (Throwable e) {
      contract.handlerThrew("done() on " + queue, e);
    }
  }

  @Override
  public void arrived() {
    switch (where) {
      case WORKQUEUE -> submit(task -> pool.workqueue(task::run));
      case UNBOUND -> submit(task -> pool.unbound(task::run));
      case EVENT_LOOP, DIRECT -> run();
    }
  }

  @Override
  public void notifyCompletion(CompletionQueue queue) {
    if (where != PollContext.DIRECT) {
      schedule();
    }
  }

  @Override
  public int processDirect(CompletionQueue queue, int most) {
    if (where != PollContext.DIRECT) {
      return PostStatus.INVALID;
    }
    if (isClosed()) {
      return PostStatus.GONE;
    }
    if (!claim()) {
      return 0; // another thread polls the queue, or this thread does further out in its stack
    }
    budget = most;
    return run();
  }

  @Override
  protected void failed(Throwable thrown) {
    contract.handlerThrew("a managed completion queue", thrown);
  }

  @Override
  protected int outcome() {
    return processed;
  }
}
