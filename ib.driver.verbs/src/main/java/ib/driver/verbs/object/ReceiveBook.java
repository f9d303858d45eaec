package ib.driver.verbs.object;

import ib.core.verbs.Cqe;
import ib.core.verbs.QpState;
import ib.core.verbs.WorkCompletion;
import org.jspecify.annotations.Nullable;

/**
 * The receive requests of a queue pair that are outstanding, in their order. The holder of the
 * receive claim adds; the holder of the claim of the receive completion queue takes out.
 */
final class ReceiveBook implements ReceiveQueue.Book, ClosedQueue {
  private final LastState state;
  private final int mask;
  private final int capacity;
  private final long[] wrIds;
  private final @Nullable Cqe[] cqes;
  private volatile int tail;
  private volatile int arrivedTo;
  private volatile int head;
  private int ahead; // entered and not posted; guarded by the receive claim

  ReceiveBook(int capacity, LastState state) {
    this.state = state;
    this.capacity = capacity;
    int places = Integer.highestOneBit(Math.max(1, capacity)) << 1;
    this.mask = places - 1;
    this.wrIds = new long[places];
    this.cqes = new @Nullable Cqe[places];
  }

  @Override
  public int capacity() {
    return capacity;
  }

  @Override
  public int free() {
    return capacity - (tail - head);
  }

  int outstanding() {
    return tail - arrivedTo;
  }

  @Override
  public int enter(long wrId, @Nullable Cqe cqe) {
    int request = tail + ahead++;
    wrIds[request & mask] = wrId;
    cqes[request & mask] = cqe;
    return request;
  }

  @Override
  public void posting() {
    int to = tail + ahead; // one writer
    ahead = 0;
    tail = to;
  }

  @Override
  public void refused(int count) {
    int to = tail - count;
    tail = to;
  }

  @Override
  public Fate arrived(int request, int status) {
    if (request - tail >= 0 || request - head < 0) {
      return Fate.HIDDEN; // of a time before a reset
    }
    arrivedTo = request + 1;
    if (status != 0) {
      state.failed(status, QpState.ERR);
    }
    return Fate.VISIBLE;
  }

  @Override
  public void taken(int request, WorkCompletion into) {
    int place = request & mask;
    into.wrId(wrIds[place]).cqe(cqes[place]);
    cqes[place] = null;
    head = request + 1;
  }

  @Override
  public void settle() {
    int to = arrivedTo;
    tail = to;
  }

  @Override
  public boolean hasLeft() {
    return arrivedTo != head;
  }

  /** Forgets all requests, after the queue pair was reset: no completion follows. */
  @Override
  public void forget() {
    arrivedTo = tail;
    head = tail;
  }
}
