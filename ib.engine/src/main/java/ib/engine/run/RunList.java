package ib.engine.run;

import ib.engine.wire.RunContext;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The queue pairs that one thread has claimed and still has to run (D4): what makes requester,
 * wire, peer's responder, acknowledgement and completer a loop and not a recursion. Each queue pair
 * has one, for the thread that claimed it from outside the engine. That thread releases this claim
 * last, so the list has one user at a time. No thread locals: they would keep a driver's classes
 * alive in threads of other bundles.
 */
@SuppressWarnings("ReferenceEquality") // a queue pair is itself, whatever it says it equals
public class RunList extends RunContext {
  private static final int PACKET_COST = 256;
  private static final int MAX_DEFERRED = 16;
  private static final @Nullable Claimed[] NONE = new @Nullable Claimed[0];

  private final int budgetBytes;
  private @Nullable Claimed first;
  private @Nullable Claimed last; // meaningful when first is not null
  private long budget;
  private long thread; // the number of who uses this list
  private final @Nullable Claimed[] deferred;
  private int deferredCount;
  private boolean batch;
  private byte @Nullable [] header; // scratch for a GRH
  private @Nullable MemorySegment headerSegment;

  /**
   * Makes an empty list. Its queue pairs acknowledge at once what arrives.
   *
   * @param budgetBytes bytes to move before what is left goes to the worker
   */
  public RunList(int budgetBytes) {
    this(budgetBytes, NONE);
  }

  private RunList(int budgetBytes, @Nullable Claimed[] deferred) {
    this.budgetBytes = budgetBytes;
    this.budget = budgetBytes;
    this.deferred = deferred;
  }

  /**
   * Makes an empty list for a thread that receives packets in batches. Its queue pairs may leave an
   * acknowledgement for the end of a batch.
   *
   * @param budgetBytes bytes to move before what is left goes to the worker
   * @return the list
   */
  public static RunList ofBatches(int budgetBytes) {
    return new RunList(budgetBytes, new @Nullable Claimed[MAX_DEFERRED]);
  }

  /** Whether what was given is used up; the loops of a queue pair leave then. */
  public final boolean exhausted() {
    return budget < 0;
  }

  /** Charges a packet. */
  public final void spend(int bytes) {
    budget -= bytes + PACKET_COST;
  }

  /** Returns a buffer for the 40 bytes in front of a datagram. */
  public final byte[] header() {
    if (header == null) {
      header = new byte[40];
    }
    return header;
  }

  /** Returns {@link #header} as a segment. */
  public final MemorySegment headerSegment() {
    if (headerSegment == null) {
      headerSegment = MemorySegment.ofArray(header());
    }
    return headerSegment;
  }

  /** Appends a queue pair that the caller has just claimed or that this list owns. */
  public final void add(Claimed qp) {
    qp.owner = this;
    qp.heldBy(thread);
    qp.listed = true;
    qp.runNext = null;
    Claimed before = last;
    if (first == null || before == null) {
      first = qp;
    } else {
      before.runNext = qp;
    }
    last = qp;
  }

  /**
   * Ensures that a queue pair is run, by this run list or by the thread that holds its claim. The
   * caller has published the work before.
   */
  public final void schedule(Claimed qp) {
    if (qp.owner == this) {
      if (!qp.listed) {
        add(qp);
      }
    } else if (qp.schedule()) {
      add(qp);
    }
  }

  /** Runs a queue pair that the caller has claimed from outside, and all that follows from it. */
  public final void run(Claimed root) {
    begin(root);
    end(root, root.direct(this));
  }

  /** Begins the run of a queue pair that the caller has claimed from outside. */
  public final void begin(Claimed root) {
    budget = budgetBytes;
    thread = Thread.currentThread().threadId();
    root.heldBy(thread);
  }

  /**
   * Ends the run of a queue pair: does all that is left, and releases its claim.
   *
   * @param root the queue pair of {@link #begin}
   * @param done whether the caller knows that nothing is left for the queue pair
   */
  public final void end(Claimed root, boolean done) {
    if (done && first == null && outbox() == null && root.release()) {
      return;
    }
    if (!root.listed) { // while the control path had it, it may have got work
      add(root);
    }
    drain(root);
  }

  @Override
  public final void finish() {
    budget = budgetBytes;
    thread = Thread.currentThread().threadId();
    drain(null);
  }

  @Override
  public final void finishBatch() {
    batch = true;
    try {
      finish();
    } finally {
      batch = false;
    }
  }

  /** {@return the number of the thread that uses this list now, or did last} */
  public final long thread() {
    return thread;
  }

  /** Whether a queue pair may leave an acknowledgement for later; then it is run again soon. */
  public final boolean defers(Claimed qp) {
    for (int i = 0; i < deferredCount; i++) {
      if (deferred[i] == qp) {
        return batch;
      }
    }
    if (!batch || deferredCount == deferred.length) {
      return false;
    }
    deferred[deferredCount++] = qp;
    return true;
  }

  @Override
  public final boolean catchUp() {
    int n = deferredCount;
    deferredCount = 0;
    for (int i = 0; i < n; i++) {
      Claimed qp = deferred[i];
      deferred[i] = null;
      if (qp != null) {
        schedule(qp);
      }
    }
    return n > 0;
  }

  private void drain(@Nullable Claimed root) {
    for (; ; ) {
      Claimed qp = first;
      if (qp == null) {
        send(root); // while the list is still ours
        if (root == null || released(root)) {
          return;
        }
        add(root);
        continue;
      }
      first = qp.runNext;
      qp.runNext = null;
      qp.listed = false;
      boolean more = qp.step(this);
      if (more && !qp.listed) {
        add(qp);
      }
      if (budget < 0) {
        handOver(root, qp);
        return;
      }
      if (qp != root && !qp.listed) {
        send(root); // once released, another thread may send for it, and overtake
        if (!qp.listed && !released(qp)) {
          add(qp);
        }
      }
    }
  }

  /**
   * Sends the packets that a wire has gathered. If that throws, they are lost, as on any wire.
   * Without a root this thread holds no claim any more, and the exception goes to the wire's own
   * thread.
   */
  private void send(@Nullable Claimed root) {
    try {
      flush();
    } catch (Throwable t) {
      if (root == null) {
        throw t;
      }
      root.crashed(t);
    }
  }

  private boolean released(Claimed qp) {
    if (!qp.watch()) {
      return false;
    }
    qp.owner = null;
    if (qp.release()) {
      return true;
    }
    qp.owner = this;
    return false;
  }

  /** Hands the queue pairs that are left, still claimed, to the workers: the budget is used up. */
  private void handOver(@Nullable Claimed root, Claimed current) {
    try {
      send(root); // while they are still ours
    } finally {
      pass(root, current);
    }
  }

  private void pass(@Nullable Claimed root, Claimed current) {
    if (current != root && !current.listed && !released(current)) { // flushed by handOver
      add(current);
    }
    boolean rootListed = root != null && root.listed;
    for (Claimed qp = first; qp != null; qp = first) {
      first = qp.runNext;
      qp.runNext = null;
      qp.listed = false;
      if (qp != root) {
        qp.owner = null;
        qp.worker().submit(qp);
      }
    }
    if (root != null) { // last: this list is its
      if (rootListed || !released(root)) {
        root.owner = null;
        root.worker().submit(root);
      }
    }
  }
}
