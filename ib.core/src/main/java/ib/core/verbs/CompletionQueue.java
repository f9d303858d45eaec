package ib.core.verbs;

import ib.core.verbs.ObjectControl.Amount;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A completion queue.
 *
 * <p>Two ways to poll. {@link #poll} fills reusable objects and is safe from many threads (S18).
 * The lazy form reads entries where they lie: {@code if (cq.startPoll()) { do { … cq.wrId() … }
 * while (cq.nextPoll()); cq.endPoll(); }}; it carries state, so one thread at a time. Order between
 * different poll calls on different threads is undefined (S19).
 *
 * <p>To sleep until a completion comes: {@link #await}. To be called instead: arm with {@link
 * #requestNotify}, poll once more (or ask for {@link NotifyFlags#REPORT_MISSED_EVENTS}), wait for
 * the handler. No completion is lost (B7).
 */
public abstract non-sealed class CompletionQueue extends IbObject {
  private final CqInit init;
  private volatile @Nullable CompletionNotifier notifier;

  /**
   * For drivers.
   *
   * @param control the core's book
   * @param init the attributes given at creation
   */
  protected CompletionQueue(ObjectControl control, CqInit init) {
    super(control);
    this.init = init;
  }

  /** {@return the attributes given at creation} */
  public final CqInit init() {
    return init;
  }

  /** {@return the context given at creation} */
  public final @Nullable Object context() {
    return init.context();
  }

  /** {@return the number of entries, at least what was asked for (S48)} */
  @AnyContext
  public abstract int entries();

  /**
   * Takes up to that many completions, safe from many threads; each completion is taken once (S18).
   *
   * @param into reusable objects, filled from index 0
   * @param most how many at the most, at most the length of the array
   * @return how many were taken, 0 when empty, or a negative {@link PostStatus}
   */
  @AnyContext
  public abstract int poll(WorkCompletion[] into, int most);

  /**
   * Waits for the next completion, and takes it. Of a queue that is only polled: one that was made
   * with a handler or a poll context hands its completions to these.
   *
   * @param limit how long to wait at most
   * @return the completion, whatever its status
   * @throws IbTimedOutException when none has come in that time
   * @throws IbOverrunException when the queue has overrun, and no completion is left
   * @throws IbDisassociatedException when the device or the client has gone
   * @throws IbInterruptedException when the thread is interrupted, before or meanwhile
   * @throws IbInvalidException when the queue is closed, before or meanwhile, or is not only polled
   * @throws IbContractException from an atomic section, while checking is on
   */
  @MaySleep
  public final WorkCompletion await(Duration limit) {
    WorkCompletion[] one = {new WorkCompletion()};
    await(one, limit);
    return one[0];
  }

  /**
   * Waits as {@link #await(Duration)} does, and takes all completions that are there then. Threads
   * may wait on one queue together; each completion is taken once.
   *
   * @param into reusable objects, filled from index 0; at least one
   * @param limit how long to wait at most
   * @return how many were taken, at least 1
   */
  @MaySleep
  public final int await(WorkCompletion[] into, Duration limit) {
    control().enter("await");
    control().given(into, "await", "into");
    control().given(limit, "await", "limit");
    CompletionNotifier n = notifier;
    if (n == null || into.length == 0) {
      throw new IbInvalidException(this + ".await", "no room in the array", "at least one");
    }
    return n.await(this, into, limit);
  }

  /**
   * Goes to the first completion, in place.
   *
   * @return whether there is one; when false, {@link #endPoll} must not be called
   */
  @AnyContext
  @NotThreadSafe
  public abstract boolean startPoll();

  /** {@return whether there is a next completion, which then is the current one} */
  @AnyContext
  @NotThreadSafe
  public abstract boolean nextPoll();

  /** Gives the entries that were read back to the queue. */
  @AnyContext
  @NotThreadSafe
  public abstract void endPoll();

  /** {@return the work request id of the current completion} */
  @AnyContext
  public abstract long wrId();

  /** {@return the status of the current completion} */
  @AnyContext
  public abstract WcStatus status();

  /** {@return the opcode of the current completion; valid on success} */
  @AnyContext
  public abstract WcOpcode opcode();

  /** {@return bytes received or read; a UD receive counts the 40 bytes of the GRH} */
  @AnyContext
  public abstract int byteLen();

  /** {@return immediate data, opaque 32 bits, or the invalidated rkey} */
  @AnyContext
  public abstract int immData();

  /** {@return bits of {@link WcFlags}} */
  @AnyContext
  public abstract int wcFlags();

  /** {@return the local queue pair; valid on failures too} */
  @AnyContext
  public abstract int qpn();

  /** {@return the source queue pair of a datagram} */
  @AnyContext
  public abstract int srcQp();

  /**
   * Copies the current completion of the lazy form, whole.
   *
   * @param into the target
   */
  @AnyContext
  @NotThreadSafe
  public abstract void readCurrent(WorkCompletion into);

  /**
   * Asks for one call of the handler.
   *
   * @param flags {@link NotifyFlags#SOLICITED} or {@link NotifyFlags#NEXT_COMP}, and {@link
   *     NotifyFlags#REPORT_MISSED_EVENTS}
   * @return 0; 1 when completions wait already and were asked to be reported; negative {@link
   *     PostStatus}
   */
  @AnyContext
  public abstract int requestNotify(int flags);

  /**
   * Polls a {@link PollContext#DIRECT} queue here and calls {@link Cqe#done}.
   *
   * @param budget how many completions at the most
   * @return how many were processed, or {@link PostStatus#INVALID} when the queue is not DIRECT
   */
  public final int processDirect(int budget) {
    CompletionNotifier n = notifier;
    return n == null || init.pollContext() != PollContext.DIRECT
        ? PostStatus.INVALID
        : n.processDirect(this, budget);
  }

  /**
   * Changes the number of entries; completions waiting are kept.
   *
   * @param entries the new number, at least as many as are waiting
   * @throws IbNotSupportedException without {@link Cap#CQ_RESIZE}
   * @throws IbInvalidException when out of range or fewer than are waiting
   * @throws IbNoMemoryException when there is no memory, or the client may have no more; the queue
   *     is as before then
   */
  @MaySleep
  public final void resize(int entries) {
    control().enter("resize");
    device().requireCap(Cap.CQ_RESIZE, "CompletionQueue.resize");
    QpInit.range(device(), "resize", "entries", entries, 1, device().attrs().limit(Limit.MAX_CQE));
    sized(Amount.CQ_ENTRIES, entries, "resize", () -> doResize(entries));
  }

  /**
   * Reduces the number of handler calls: the handler is called after {@code count} completions, or
   * {@code periodUs} after the first of them, whichever comes first ({@code ib_modify_cq}). For a
   * failed completion the handler is called at once.
   *
   * @param count completions, 0 to 65,535; 0 and 1 turn moderation off
   * @param periodUs microseconds, 0 to 65,535; 0 turns moderation off
   * @throws IbNotSupportedException without {@link Cap#CQ_MODERATION}
   */
  @MaySleep
  public final void moderate(int count, int periodUs) {
    control().enter("moderate");
    device().requireCap(Cap.CQ_MODERATION, "CompletionQueue.moderate");
    QpInit.range(device(), "moderate", "count", count, 0, 65_535);
    QpInit.range(device(), "moderate", "periodUs", periodUs, 0, 65_535);
    control().run("moderate", () -> doModerate(count, periodUs));
  }

  /**
   * Changes the number of entries.
   *
   * @param entries the new number, in the device's range
   */
  protected abstract void doResize(int entries);

  /**
   * Sets the moderation.
   *
   * @param count completions
   * @param periodUs microseconds
   */
  protected abstract void doModerate(int count, int periodUs);

  /**
   * For drivers: an armed queue got a completion and is no longer armed. Hands the queue to its
   * completion vector and returns at once; never runs the handler here (S20-S22), never allocates,
   * never blocks. The handler runs once at a time, and once more for every call that came while it
   * ran, at least (S24).
   */
  @AnyContext
  protected final void notifyCompletion() {
    CompletionNotifier n = notifier;
    if (n != null) {
      n.notifyCompletion(this);
    }
  }

  /**
   * For drivers: raises an event of this queue, without running a handler here.
   *
   * @param type {@link EventType#CQ_ERR}
   */
  @AnyContext
  protected final void raise(EventType type) {
    control().raise(new IbEvent(device(), type, this, 0, 0, System.nanoTime()));
  }

  /**
   * For the core: sets the notifier that is called for each notification of a completion.
   *
   * @param completionNotifier the core's part of this queue
   */
  public final void connect(CompletionNotifier completionNotifier) {
    if (notifier != null) {
      throw new IllegalStateException("connected already: " + this);
    }
    notifier = completionNotifier;
  }

  /** {@return the core's part of this queue, null before it is connected; for the core} */
  public final @Nullable CompletionNotifier notifier() {
    return notifier;
  }
}
