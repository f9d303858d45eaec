package ib.driver.verbs.object;

import ib.core.verbs.Cqe;
import ib.core.verbs.WorkCompletion;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The receives of a shared receive queue that are outstanding. Their completions come in any order
 * and to any completion queue, so free places are a list: the holder of the queue's claim takes
 * from it, and threads that hold claims of different completion queues give back. The head of the
 * list has a count of changes in its upper half.
 */
final class SharedBook implements ReceiveQueue.Book {
  private static final int END = -1;
  private static final long LOW = 0xffff_ffffL;

  private final int capacity;
  private final long[] wrIds;
  private final @Nullable Cqe[] cqes;
  private final int[] following;
  private final AtomicLong first = new AtomicLong();
  private final AtomicInteger free;
  private final int[] entered; // and not posted; guarded by the claim of the queue, as is the count
  private int count;

  SharedBook(int capacity) {
    this.capacity = capacity;
    wrIds = new long[capacity];
    cqes = new @Nullable Cqe[capacity];
    following = new int[capacity];
    entered = new int[capacity];
    free = new AtomicInteger(capacity);
    for (int i = 0; i < capacity; i++) {
      following[i] = i + 1 < capacity ? i + 1 : END;
    }
  }

  @Override
  public int capacity() {
    return capacity;
  }

  @Override
  public int free() {
    return free.get();
  }

  @Override
  public int enter(long wrId, @Nullable Cqe cqe) {
    while (true) {
      long now = first.get();
      int place = (int) now; // not the end of the list: the caller has seen that one is free
      if (first.compareAndSet(now, word(now, following[place]))) {
        free.decrementAndGet();
        wrIds[place] = wrId;
        cqes[place] = cqe;
        entered[count++] = place;
        return place;
      }
    }
  }

  @Override
  public void posting() {
    // a completion finds its place without an end of the book
  }

  @Override
  public void refused(int refused) {
    for (int i = count - refused; i < count; i++) {
      give(entered[i]);
    }
    count = 0;
  }

  private static long word(long before, int place) {
    return (before >>> Integer.SIZE) + 1 << Integer.SIZE | place & LOW;
  }

  /** Gives a place back. The count grows last, so that a place counted is in the list. */
  private void give(int place) {
    cqes[place] = null;
    while (true) {
      long now = first.get();
      following[place] = (int) now;
      if (first.compareAndSet(now, word(now, place))) {
        free.incrementAndGet();
        return;
      }
    }
  }

  @Override
  public Fate arrived(int request, int status) {
    return request >= 0 && request < capacity ? Fate.VISIBLE : Fate.HIDDEN;
  }

  @Override
  public void taken(int request, WorkCompletion into) {
    into.wrId(wrIds[request]).cqe(cqes[request]);
    give(request);
  }
}
