package ib.tools.run;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Waits of a command that shows what arrives, as {@code ibv_asyncwatch} and {@code rdma monitor}
 * do.
 */
public final class Watching {
  private Watching() {}

  /**
   * Hands over what arrives. Blocks until a number of arrivals, until a time has passed, or until
   * the thread is interrupted, which is Ctrl-C and ends the command as it ends the originals.
   *
   * @param arrivals the queue that other threads fill
   * @param count how many arrivals to take, from 1
   * @param seconds how long to wait in all, from 1
   * @param shown takes each arrival on the calling thread; an exception of its ends the wait
   * @param <T> the type of an arrival
   */
  public static <T> void take(
      BlockingQueue<T> arrivals, long count, long seconds, Consumer<T> shown) {
    long length = TimeUnit.SECONDS.toNanos(seconds); // saturates
    long start = System.nanoTime();
    long left = length;
    for (long taken = 0; taken < count && left > 0; ) {
      T arrival;
      try {
        arrival = arrivals.poll(left, TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        return;
      }
      if (arrival != null) {
        shown.accept(arrival);
        taken++;
      }
      left = length - (System.nanoTime() - start);
    }
  }
}
