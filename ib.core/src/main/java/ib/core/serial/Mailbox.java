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

  private record Loss<T>(int count, T last) {}

  private final int capacity;
  private final ConcurrentLinkedQueue<T> items = new ConcurrentLinkedQueue<>();
  private final AtomicInteger waiting = new AtomicInteger();
  private final AtomicReference<@Nullable Loss<T>> loss = new AtomicReference<>();
  private final AtomicLong offered = new AtomicLong(); // a loss counts as one
  private final AtomicLong heard = new AtomicLong();

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
      Loss<T> before =
          loss.getAndAccumulate(
              new Loss<>(weight(item), item), (old, one) -> old == null ? one : sum(old, one));
      if (before == null) {
        offered.incrementAndGet();
      }
      return false;
    }
    waiting.incrementAndGet();
    items.add(item);
    offered.incrementAndGet(); // after the item: a thread that reads the number sees the item
    return true;
  }

  private static <T> Loss<T> sum(Loss<T> old, Loss<T> one) {
    boolean most = old.count > Integer.MAX_VALUE - one.count;
    return new Loss<>(most ? Integer.MAX_VALUE : old.count + one.count, one.last);
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
      if (item != null) {
        waiting.decrementAndGet();
      } else {
        Loss<T> lost = last ? loss.getAndSet(null) : null;
        if (lost == null) {
          break;
        }
        item = overflow(lost.count, lost.last);
      }
      try {
        if (item != null) {
          hear(item);
        }
      } catch (Throwable t) {
        failed(t); // the serial goes on with the items that follow
      } finally {
        heard.incrementAndGet();
      }
    }
    if (hasItems()) {
      again();
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
      heard.incrementAndGet();
    }
    if (loss.getAndSet(null) != null) {
      heard.incrementAndGet();
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
    return new SoFar(this, offered.get(), what);
  }

  private record SoFar(Mailbox<?> box, long until, String what) implements Waits.Target {
    @Override
    public boolean over() {
      return box.heard.get() - until >= 0 || box.isClosed();
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
