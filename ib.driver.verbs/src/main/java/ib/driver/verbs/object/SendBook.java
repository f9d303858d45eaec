package ib.driver.verbs.object;

import ib.core.verbs.Cqe;
import ib.core.verbs.QpState;
import ib.core.verbs.WorkCompletion;
import org.jspecify.annotations.Nullable;

/**
 * The send requests of a queue pair that are outstanding, in their order. The holder of the send
 * claim adds; the holder of the claim of the send completion queue takes out: a completion retires
 * the requests before it, too, which were unsignaled and have succeeded.
 */
final class SendBook implements WorkQueue, ClosedQueue {
  /** The consumer has asked for the completion. */
  static final int ALWAYS = 0;

  /** The driver has asked for the completion; it shows when the request fails. */
  static final int UNLESS_FAILED = 1;

  /** A request of the driver itself. */
  static final int NEVER = 2;

  /** No completion when the request succeeds. */
  static final int SILENT = 3;

  private final LastState state;
  private final QpState afterFailure;
  private final int mask;
  final int capacity;
  private final long[] wrIds;
  private final @Nullable Cqe[] cqes;
  private final byte[] shows;
  private final @Nullable NativeAh[] ahs;
  private final @Nullable VerbsMw[] windows;
  private final int[] keys;
  private volatile int tail; // counts up; written by the holder of the send claim
  private volatile int arrivedTo; // these three by the holder of the completion queue's claim
  private volatile int head;
  private int waiting; // arrived for the consumer, and not taken

  /** A book for one request of the driver beside those of the consumer. */
  SendBook(int capacity, LastState state, QpState afterFailure) {
    this.state = state;
    this.afterFailure = afterFailure;
    this.capacity = capacity;
    int places = Integer.highestOneBit(Math.max(1, capacity)) << 1;
    this.mask = places - 1;
    this.wrIds = new long[places];
    this.cqes = new @Nullable Cqe[places];
    this.shows = new byte[places];
    this.ahs = new @Nullable NativeAh[places];
    this.windows = new @Nullable VerbsMw[places];
    this.keys = new int[places];
  }

  /** {@return how many requests fit} */
  int free() {
    return capacity - (tail - head);
  }

  /** {@return how many requests have no completion in the completion queue yet} */
  int outstanding() {
    return tail - arrivedTo;
  }

  /** {@return the number that the next request gets} */
  int next() {
    return tail;
  }

  /** {@return whether the last request brings no completion when it succeeds} */
  boolean endsSilent() {
    return tail != arrivedTo && shows[tail - 1 & mask] == SILENT;
  }

  /** {@return the address handle of the last request, while that is outstanding} */
  @Nullable NativeAh lastAh() {
    return ahs[tail - 1 & mask];
  }

  /** Enters the next request: those after it are not entered before it is posted or taken back. */
  void enter(SendRequest r, int ahead) {
    int place = tail + ahead & mask;
    wrIds[place] = r.wrId;
    cqes[place] = r.cqe;
    shows[place] = (byte) r.shows;
    ahs[place] = r.ah;
    windows[place] = r.window;
    keys[place] = r.key;
  }

  /** The next requests are posted; a negative number takes the last ones back. */
  void posted(int count) {
    int to = tail + count; // one writer
    tail = to;
  }

  @Override
  public Fate arrived(int request, int status) {
    if (request - tail >= 0 || request - head < 0) {
      return Fate.HIDDEN; // of a time before a reset
    }
    arrivedTo = request + 1;
    boolean failed = status != 0;
    if (failed) {
      state.failed(status, state.now == QpState.ERR ? QpState.ERR : afterFailure);
    }
    int show = shows[request & mask];
    if (show == NEVER || (show != ALWAYS && !failed)) {
      if (waiting == 0) {
        retire(request + 1);
      }
      return Fate.HIDDEN;
    }
    waiting++;
    return Fate.VISIBLE;
  }

  @Override
  public void taken(int request, WorkCompletion into) {
    int place = request & mask;
    into.wrId(wrIds[place]).cqe(cqes[place]);
    VerbsMw window = windows[place];
    if (window != null && into.status() == ib.core.verbs.WcStatus.SUCCESS) {
      window.bound(keys[place]);
    }
    waiting--;
    retire(waiting == 0 ? arrivedTo : request + 1);
  }

  private void retire(int to) {
    for (int i = head; i != to; i++) {
      release(i & mask);
    }
    head = to;
  }

  private void release(int place) {
    cqes[place] = null;
    windows[place] = null;
    NativeAh ah = ahs[place];
    if (ah != null) {
      ahs[place] = null;
      ah.release();
    }
  }

  @Override
  public void settle() {
    int to = arrivedTo;
    for (int i = to; i != tail; i++) {
      release(i & mask);
    }
    tail = to;
    if (waiting == 0) {
      retire(to);
    }
  }

  @Override
  public boolean hasLeft() {
    return waiting > 0;
  }

  /** Forgets all requests, after the queue pair was reset: no completion follows. */
  @Override
  public void forget() {
    waiting = 0;
    arrivedTo = tail;
    retire(tail);
  }
}
