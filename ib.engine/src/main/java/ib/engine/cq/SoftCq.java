package ib.engine.cq;

import ib.core.spi.Trace;
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
public final class SoftCq extends ArmedWord {
  private static final VarHandle POLLED;
  private static final VarHandle STRAGGLERS;

  static {
    try {
      POLLED = MethodHandles.lookup().findVarHandle(SoftCq.class, "polled", CompletionRing.class);
      STRAGGLERS =
          MethodHandles.lookup().findVarHandle(SoftCq.class, "stragglers", Stragglers.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final CqHost host;
  private final long nodeGuid; // read for each completion
  private volatile CompletionRing
      filled; // where producers begin; the last ring of the chain or soon so
  private volatile CompletionRing polled; // the first ring that is not empty
  // of the closed queue; made early, so that closing needs no memory, and this queue's own, since a
  // thread that was stuck may still push into it
  private final CompletionRing last = new CompletionRing(1);
  private volatile boolean lost; // overrun
  private volatile boolean destroyed;
  private final Members members = new Members(this);
  private volatile @Nullable Moderation moderation; // made when it is first set
  private volatile @Nullable Stragglers stragglers; // made when the queue is first armed

  private final PolledEntry current = new PolledEntry(); // one thread at a time

  public SoftCq(ObjectControl control, CqInit init, CqHost host) {
    super(control, init);
    this.host = host;
    this.nodeGuid = host.nodeGuid();
    CompletionRing ring = new CompletionRing(init.entries());
    this.filled = ring;
    this.polled = ring;
  }

  // ---- producers ----

  /**
   * Adds a completion; for the holder of the claim of a queue pair that uses this queue. The pair
   * is named by its place and serial, the request by the index after it in its queue, 0 for nothing
   * to release.
   */
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
      long place,
      long end,
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
        place,
        end,
        cqe);
    long a = armed; // after the claim, which is a full fence: see requestNotify
    boolean failed = status != WcStatus.SUCCESS;
    if (a != IDLE && (a == ANY || solicited || failed) && (due() || failed)) {
      fire(a);
    }
  }

  private boolean due() {
    Moderation m = moderation;
    return m == null || m.due();
  }

  private void fire(long was) {
    if (ARMED.compareAndSet(this, was, IDLE)) {
      try {
        notifyCompletion();
      } catch (Throwable t) { // no memory for it, say: the worker tries again soon
        host.notifyFailed();
        ARMED.compareAndSet(this, IDLE, was);
        late().start(); // made when the queue was armed, so no memory is needed here
      }
    }
  }

  /** The timer of notifications that are late, which the first that arms makes. */
  private Stragglers late() {
    Stragglers s = stragglers;
    while (s == null) {
      STRAGGLERS.compareAndSet(this, null, new Stragglers(host.worker(), this::straggling));
      s = stragglers;
    }
    return s;
  }

  /** Ends the queue after an overrun, with CQ_ERR; no entry is overwritten (IBA 10.8.2). */
  private void overrun(RunList run) {
    if (lost) {
      return;
    }
    lost = true;
    raise(EventType.CQ_ERR);
    members.lost(run);
  }

  /** {@return whether it has overrun} */
  public boolean isLost() {
    return lost;
  }

  public void attach(Member qp) {
    members.add(qp);
  }

  public void detach(Member qp) {
    members.remove(qp);
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
    int n = 0;
    for (; ; ) {
      CompletionRing r = ring();
      long h = r.head();
      int more = r.copy(h, into, n, most);
      if (more > 0) {
        long place = r.word(h, Entry.PLACE);
        long end = r.word(h + more - 1, Entry.END);
        if (r.take(h, more)) {
          members.release(place, into[n].opcode().isReceive(), end);
          n += more;
          if (n == most) {
            return n;
          }
        } else {
          Thread.onSpinWait();
        }
      } else if (n > 0) {
        return n;
      } else if (most == 0 || (h == r.head() && !r.drained())) {
        if (looked || !host.progress()) {
          return empty();
        }
        looked = true;
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
        long place = r.word(h, Entry.PLACE);
        long end = r.word(h, Entry.END);
        if (r.take(h, 1)) {
          members.release(place, opcode().isReceive(), end);
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
    return Entry.status(current.what);
  }

  @Override
  public WcOpcode opcode() {
    return Entry.opcode(current.what);
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
    return Entry.flags(current.what);
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
    Entry.decode(into, current.wrId, current.what, current.lengths, current.numbers, current.path);
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
    long want =
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
    Stragglers late = late(); // before the queue is armed: who fires may need it
    long a = armed;
    Moderation m = moderation;
    if (a == IDLE && m != null) {
      m.armed();
    }
    while (a < want && !ARMED.compareAndSet(this, a, want)) { // NEXT_COMP includes SOLICITED
      a = armed;
    }
    VarHandle.fullFence();
    boolean unpublished = ring().anyUnpublished();
    boolean report = (flags & NotifyFlags.REPORT_MISSED_EVENTS) != 0;
    boolean waiting = (unpublished || report) && waiting();
    if (unpublished && !waiting) {
      late.start();
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
    CompletionRing newest = filled;
    int waiting = countWaiting();
    if (entries < waiting) {
      throw new IbInvalidException(
          this + ".resize",
          waiting + " completions are waiting",
          "at least " + waiting + ", or poll first");
    }
    CompletionRing fresh = new CompletionRing(entries);
    newest.close(fresh);
    filled = fresh;
  }

  /** {@return the completions that wait in all rings, counted while no poller takes one} */
  private int countWaiting() {
    for (; ; ) {
      CompletionRing oldest = ring();
      long h = oldest.head();
      int waiting = 0;
      for (CompletionRing r = oldest; r != null; r = r.next()) {
        waiting += r.size();
      }
      if (oldest.isHead(h)) { // pollers take from a later ring only once this one is empty
        return waiting;
      }
    }
  }

  @Override
  protected synchronized void doModerate(int count, int periodUs) {
    Moderation m = moderation;
    if (m == null) {
      m = new Moderation(host.worker(), this::periodOver);
    }
    m.set(count, periodUs);
    moderation = m;
    periodOver(); // notifies a consumer that waits under the old settings
  }

  /** Tells a consumer that was to wait a little; the worker, or who changes the moderation. */
  private void periodOver() {
    long a = armed;
    if (a != IDLE && waiting()) {
      fire(a);
    }
  }

  @Override
  protected synchronized void doDestroy() {
    if (destroyed) {
      return;
    }
    destroyed = true;
    filled.close(last); // the closed object keeps no entries but those that can still be polled
    filled = last;
    ring();
    CqTimer.cancel(moderation);
    CqTimer.cancel(stragglers);
    host.cqClosed();
  }
}
