package ib.engine.cq;

import ib.core.spi.Trace;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.Cqe;
import ib.core.verbs.EventType;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.NotifyFlags;
import ib.core.verbs.ObjectControl;
import ib.core.verbs.PostStatus;
import ib.core.verbs.WcOpcode;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import ib.engine.run.RunList;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A completion queue: a chain of rings, of which all but the last are being emptied after a resize.
 */
public final class SoftCq extends CompletionQueue {
  private static final int IDLE = 0;
  private static final int SOLICITED = 1;
  private static final int ANY = 2;
  private static final VarHandle ARMED;
  private static final VarHandle POLLED;

  static {
    try {
      ARMED = MethodHandles.lookup().findVarHandle(SoftCq.class, "armed", int.class);
      POLLED = MethodHandles.lookup().findVarHandle(SoftCq.class, "polled", CompletionRing.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final CqHost host;
  private final long nodeGuid; // read for each completion
  private volatile CompletionRing
      filled; // where producers begin; the last ring of the chain or soon so
  private volatile CompletionRing polled; // the first ring that is not empty
  private volatile int armed;
  private volatile boolean lost; // overrun
  private volatile boolean destroyed;
  private final CqUsers users = new CqUsers(this);
  private final Moderation moderation;
  private final Stragglers stragglers;

  private final PolledEntry current = new PolledEntry(); // one thread at a time

  public SoftCq(ObjectControl control, CqInit init, CqHost host) {
    super(control, init);
    this.host = host;
    this.nodeGuid = host.nodeGuid();
    CompletionRing ring = new CompletionRing(init.entries());
    this.moderation = new Moderation(host.worker(), this::periodOver);
    this.stragglers = new Stragglers(host.worker(), this::straggling);
    this.filled = ring;
    this.polled = ring;
  }

  // ---- producers ----

  /** Adds a completion; for the holder of the claim of a queue pair that uses this queue. */
  public void push(
      RunList run,
      long wrId,
      WcStatus status,
      WcOpcode opcode,
      int flags,
      int vendorError,
      int byteLen,
      int immData,
      int qpn,
      int srcQp,
      long path,
      int sl,
      @Nullable Cqe cqe,
      boolean solicited) {
    Trace.completion(nodeGuid, qpn, wrId, status, opcode, byteLen);
    CompletionRing ring = filled;
    long index = ring.claim(); // nothing throws from here: an unpublished entry blocks later ones
    while (index == CompletionRing.CLOSED) {
      ring = ring.successor();
      index = ring.claim();
    }
    if (index == CompletionRing.FULL) {
      overrun(run);
      return;
    }
    ring.publish(
        index,
        wrId,
        CompletionRing.what(status.ordinal(), opcode.ordinal(), flags, sl, vendorError),
        (byteLen & 0xffffffffL) | (long) immData << 32,
        (qpn & 0xffffffffL) | (long) srcQp << 32,
        path,
        cqe);
    int a = armed; // after the claim, which is a full fence: see requestNotify
    boolean failed = status != WcStatus.SUCCESS;
    if (a != IDLE && (a == ANY || solicited || failed) && (moderation.due() || failed)) {
      fire(a);
    }
  }

  private void fire(int was) {
    if (ARMED.compareAndSet(this, was, IDLE)) {
      try {
        notifyCompletion();
      } catch (Throwable t) { // no memory for it, say: the worker tries again soon
        host.notifyFailed();
        ARMED.compareAndSet(this, IDLE, was);
        stragglers.start();
      }
    }
  }

  /** Ends the queue after an overrun, with CQ_ERR; no entry is overwritten (IBA 10.8.2). */
  private void overrun(RunList run) {
    if (lost) {
      return;
    }
    lost = true;
    raise(EventType.CQ_ERR);
    users.lost(run);
  }

  public void attach(Member qp) {
    users.add(qp);
  }

  public void detach(Member qp) {
    users.remove(qp);
  }

  // ---- pollers ----

  /** The ring to read from: goes on when one is closed and empty. */
  private CompletionRing ring() {
    CompletionRing r = polled;
    while (r.drained()) {
      CompletionRing n = r.successor();
      POLLED.compareAndSet(this, r, n);
      r = polled;
    }
    return r;
  }

  private int empty() {
    return destroyed ? PostStatus.GONE : lost ? PostStatus.OVERRUN : 0;
  }

  @Override
  public int poll(WorkCompletion[] into, int most) {
    if (most > into.length || most < 0) {
      return PostStatus.INVALID;
    }
    boolean looked = most == 0;
    for (; ; ) {
      CompletionRing r = ring();
      long h = r.head();
      int n = 0;
      while (n < most && r.valid(h + n)) {
        CompletionEntry.read(r, h + n, into[n]);
        n++;
      }
      if (n > 0) {
        if (r.take(h, n)) {
          release(into, n);
          return n;
        }
        Thread.onSpinWait();
      } else if (most == 0 || (h == r.head() && !r.drained())) {
        if (looked || !host.progress()) {
          return empty();
        }
        looked = true;
      }
    }
  }

  /** Frees the slots of requests whose completions were polled (IBA 10.8.5). */
  private void release(WorkCompletion[] polled, int n) {
    int from = 0;
    for (int i = 1; i <= n; i++) {
      WorkCompletion first = polled[from];
      boolean receive = first.opcode().isReceive();
      if (i == n || polled[i].qpn() != first.qpn() || polled[i].opcode().isReceive() != receive) {
        host.polled(first.qpn(), receive, i - from);
        from = i;
      }
    }
  }

  @Override
  public boolean startPoll() {
    return next(true);
  }

  private boolean next(boolean progress) {
    boolean looked = !progress;
    for (; ; ) {
      CompletionRing r = ring();
      long h = r.head();
      if (r.valid(h)) {
        current.read(r, h);
        if (r.take(h, 1)) {
          host.polled(qpn(), opcode().isReceive(), 1);
          return true;
        }
      } else if (h == r.head() && !r.drained()) {
        if (looked || !host.progress()) {
          return false;
        }
        looked = true;
      }
    }
  }

  @Override
  public boolean nextPoll() {
    return next(false);
  }

  @Override
  public void endPoll() {
    if (current.cqe != null) {
      current.cqe = null;
    }
  }

  @Override
  public long wrId() {
    return current.wrId;
  }

  @Override
  public WcStatus status() {
    return CompletionEntry.status(current.what);
  }

  @Override
  public WcOpcode opcode() {
    return CompletionEntry.opcode(current.what);
  }

  @Override
  public int byteLen() {
    return (int) current.lengths;
  }

  @Override
  public int immData() {
    return (int) (current.lengths >>> 32);
  }

  @Override
  public int wcFlags() {
    return CompletionEntry.flags(current.what);
  }

  @Override
  public int qpn() {
    return (int) current.numbers;
  }

  @Override
  public int srcQp() {
    return (int) (current.numbers >>> 32);
  }

  @Override
  public void readCurrent(WorkCompletion into) {
    into.cqe(current.cqe);
    CompletionEntry.decode(
        into, current.wrId, current.what, current.lengths, current.numbers, current.path);
  }

  // ---- notification ----

  /**
   * No completion is lost between the last poll and the arming (B7): a producer claims (full
   * fence), fills, publishes, reads {@code armed}; we write {@code armed} (full fence) and look at
   * the claims. One of the two sees the other. The producer of a claim that is not published yet
   * may not have seen us; the worker looks again a little later, so that a producer that was
   * preempted there costs no call of a handler that finds nothing. One that is published may have
   * been so only since then, its producer's look at {@code armed} before its store: so what can be
   * polled is asked last.
   */
  @Override
  public int requestNotify(int flags) {
    int want =
        (flags & NotifyFlags.NEXT_COMP) != 0
            ? ANY
            : (flags & NotifyFlags.SOLICITED) != 0 ? SOLICITED : IDLE;
    if (want == IDLE) {
      return PostStatus.INVALID;
    }
    if (destroyed) {
      return PostStatus.GONE;
    }
    host.pollersRest();
    int a = armed;
    if (a == IDLE) {
      moderation.armed();
    }
    while (a < want && !ARMED.compareAndSet(this, a, want)) { // NEXT_COMP includes SOLICITED
      a = armed;
    }
    VarHandle.fullFence();
    boolean unpublished = ring().anyUnpublished();
    boolean report = (flags & NotifyFlags.REPORT_MISSED_EVENTS) != 0;
    boolean waiting = (unpublished || report) && waiting();
    if (unpublished && !waiting) {
      stragglers.start();
    } else if (unpublished && !report) {
      fire(armed);
    }
    return report && waiting ? 1 : 0;
  }

  /** Tells of what was claimed when the consumer armed; whether there may be more of it. */
  private boolean straggling() {
    boolean more = ring().anyUnpublished();
    periodOver();
    return more && armed != IDLE;
  }

  /**
   * Whether an entry can be polled; what {@link CompletionRing#unpublished} has seen published is
   * seen here.
   */
  private boolean waiting() {
    for (; ; ) {
      CompletionRing r = ring();
      long h = r.head();
      if (r.valid(h)) {
        return true;
      }
      if (h == r.head() && !r.drained()) {
        return false;
      }
    }
  }

  // ---- control path ----

  @Override
  public int entries() {
    return filled.capacity();
  }

  @Override
  protected synchronized void doResize(int entries) {
    CompletionRing last = filled;
    int waiting = 0;
    for (CompletionRing r = ring(); r != null; r = r.next()) {
      waiting += r.size();
    }
    if (entries < waiting) {
      throw new IbInvalidException(
          this + ".resize",
          waiting + " completions are waiting",
          "at least " + waiting + ", or poll first");
    }
    CompletionRing fresh = new CompletionRing(entries);
    last.close(fresh);
    filled = fresh;
  }

  @Override
  protected void doModerate(int count, int periodUs) {
    moderation.set(count, periodUs);
    periodOver(); // notifies a consumer that waits under the old settings
  }

  /** Tells a consumer that was to wait a little; the worker, or who changes the moderation. */
  private void periodOver() {
    int a = armed;
    if (a != IDLE && waiting()) {
      fire(a);
    }
  }

  @Override
  protected void doDestroy() {
    destroyed = true;
    moderation.cancel();
    stragglers.cancel();
    host.cqClosed();
  }
}
