package ib.core.serial;

import ib.core.verbs.AnyContext;
import ib.core.verbs.Fence;
import ib.core.verbs.MaySleep;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A serial with a bounded queue of items. The serial handles the items in order, each once, one at
 * a time, and never on the stack of the thread that offers them. An item that finds the queue full
 * is lost; so are the items that follow it until all waiting items are handled. In place of the
 * lost items the serial handles one item that stands for them.
 *
 * @param <T> the type of the items
 */
public abstract class Mailbox<T> extends Serial {
  private static final int PORTION = 16;

  private record Loss<T>(long offers, int count, T last) {}

  private final int capacity;
  private final ConcurrentLinkedQueue<T> items = new ConcurrentLinkedQueue<>();
  private final AtomicInteger waiting = new AtomicInteger();
  private final AtomicReference<@Nullable Loss<T>> loss = new AtomicReference<>();
  private final AtomicLong offered = new AtomicLong(); // counted before the item is added
  private final AtomicLong heard = new AtomicLong();
  private final AtomicLong lost = new AtomicLong(); // counted before the loss is there
  private final AtomicLong stoodFor = new AtomicLong();

  /**
   * Makes an empty mailbox.
   *
   * @param place where items are handled
   * @param capacity how many items may wait, at least 1
   */
  protected Mailbox(Place place, int capacity) {
    super(place);
    this.capacity = capacity;
  }

  /**
   * Handles an item.
   *
   * @param item the next item
   */
  protected abstract void hear(T item);

  /**
   * Makes the item that stands for lost items.
   *
   * @param count the sum of the lost items' {@link #weight}s, at most {@link Integer#MAX_VALUE}
   * @param last the last lost item
   * @return the item to handle in place of the lost items, or null for none
   */
  protected @Nullable T overflow(int count, T last) {
    return null;
  }

  /**
   * {@return how many losses a lost item counts for}
   *
   * @param item a lost item
   */
  protected int weight(T item) {
    return 1;
  }

  /**
   * Queues an item and wakes the serial.
   *
   * @param item the item
   * @return false when the item is lost or the mailbox is closed
   */
  @AnyContext
  public final boolean offer(T item) {
    boolean taken = put(item);
    schedule();
    return taken;
  }

  /**
   * Queues an item without waking the serial.
   *
   * @param item the item
   * @return false when the item is lost or the mailbox is closed
   */
  @AnyContext
  protected final boolean put(T item) {
    if (isClosed()) {
      return false;
    }
    if (hasLoss() || waiting.get() >= capacity) {
      lost.incrementAndGet();
      loss.accumulateAndGet(
          new Loss<>(1, weight(item), item), (old, one) -> old == null ? one : sum(old, one));
      return false;
    }
    waiting.incrementAndGet();
    offered.incrementAndGet();
    items.add(item);
    return true;
  }

  private static <T> Loss<T> sum(Loss<T> old, Loss<T> one) {
    boolean most = old.count > Integer.MAX_VALUE - one.count;
    int count = most ? Integer.MAX_VALUE : old.count + one.count;
    return new Loss<>(old.offers + one.offers, count, one.last);
  }

  /** {@return whether items wait, or losses that no item has stood for yet} */
  @AnyContext
  public final boolean hasItems() {
    return !items.isEmpty() || hasLoss();
  }

  /** {@return how many items wait} */
  @AnyContext
  protected final int waiting() {
    return waiting.get();
  }

  private boolean hasLoss() {
    return loss.get() != null;
  }

  @Override
  protected void call() {
    for (int i = 0; i < PORTION && !isClosed(); i++) {
      boolean last = hasLoss(); // read first: while there is a loss, no item is added
      T item = items.poll();
      Loss<T> taken = null;
      if (item != null) {
        waiting.decrementAndGet();
      } else {
        taken = last ? loss.getAndSet(null) : null;
        if (taken == null) {
          break;
        }
      }
      try {
        T next = taken == null ? item : overflow(taken.count, taken.last);
        if (next != null) {
          hear(next);
        }
      } catch (Throwable t) {
        failed(t); // the serial goes on with the items that follow
      } finally {
        ended(taken);
      }
    }
    if (hasItems()) {
      again();
    }
  }

  /** Counts the end of an item, or of a loss. */
  private void ended(@Nullable Loss<T> taken) {
    if (taken == null) {
      heard.incrementAndGet();
    } else {
      stoodFor.addAndGet(taken.offers);
    }
  }

  /** Closes the mailbox. The items that wait are not handled. */
  @AnyContext
  public final void discard() {
    close();
    clear();
  }

  /**
   * Opens a closed mailbox again, empty.
   *
   * @return false when the mailbox was not closed
   */
  @AnyContext
  public final boolean reopen() {
    if (isClosed()) {
      clear();
    }
    return open();
  }

  private void clear() {
    while (items.poll() != null) {
      waiting.decrementAndGet();
      ended(null);
    }
    Loss<T> dropped = loss.getAndSet(null);
    if (dropped != null) {
      ended(dropped);
    }
  }

  /**
   * Waits until all items offered before are handled, or the mailbox is closed.
   *
   * @param waits the graph into which the wait is entered
   * @param rank when the wait is refused in favour of others
   * @param what the name of the mailbox, for reports
   * @param limitNs how long to wait at most, in nanoseconds
   * @return how the wait ended
   */
  @MaySleep
  @Fence
  public final End drain(Waits waits, Waits.Rank rank, String what, long limitNs) {
    return waits.await(soFar(what), rank, limitNs);
  }

  /**
   * Returns a target for a wait for the items offered until now.
   *
   * @param what the name of the mailbox, for reports
   * @return a target that is over when these items are handled, or the mailbox is closed
   */
  @AnyContext
  public final Waits.Target soFar(String what) {
    return new SoFar(this, offered.get(), lost.get(), what);
  }

  /**
   * Over when as many items have ended as were offered, and as many have been stood for as were
   * lost. Items end in the order in which they were added, and each is counted before it is added:
   * so all that were in the mailbox have ended then. A number counted after the item would leave
   * out an item that stands before the caller's own.
   */
  private record SoFar(Mailbox<?> box, long items, long losses, String what)
      implements Waits.Target {
    @Override
    public boolean over() {
      boolean ended = box.heard.get() - items >= 0 && box.stoodFor.get() - losses >= 0;
      return ended || box.isClosed();
    }

    @Override
    public void holders(Consumer<? super Thread> to) {
      Thread t = box.runner();
      if (t != null) {
        to.accept(t);
      }
    }

    @Override
    public String text() {
      return what;
    }
  }
}
