package ib.verifier.check;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Threads, executors and timers that a client has made in its {@code add}, or that a thread of its
 * has made: they have to be gone when its {@code remove} returns (S32).
 *
 * <p>The entries are in a concurrent queue. {@link #removed} waits, on the thread of the removal.
 */
final class Charges {
  private static final String ADVICE =
      "end it before remove returns, and wait for its end: join, awaitTermination, close";

  private static final String MIDLAYER = "ib.core";

  /** The time that a thread or an executor is given to end. */
  private static final Duration GRACE = Duration.ofMillis(100);

  // an array of client and device, or null, so that a foreign thread keeps no bundle alive
  private static final ThreadLocal<@Nullable Object @Nullable []> ADDING = new ThreadLocal<>();

  private record Charge(
      Object client, @Nullable Object device, Object made, String culprit, List<String> stack) {
    @SuppressWarnings("ReferenceEquality") // of objects of others, whose equals may say anything
    boolean of(Object someone, @Nullable Object handle) {
      return client == someone && device == handle;
    }

    boolean over() {
      return switch (made) {
        case ExecutorService pool -> pool.isTerminated();
        case Thread thread -> thread.getState() == Thread.State.TERMINATED;
        default -> false; // a timer that is cancelled is in the list no more
      };
    }

    boolean ends() throws InterruptedException {
      return switch (made) {
        case ExecutorService pool ->
            pool.isShutdown() && pool.awaitTermination(GRACE.toMillis(), TimeUnit.MILLISECONDS);
        case Thread thread -> thread.getState() != Thread.State.NEW && thread.join(GRACE);
        default -> false;
      };
    }

    String what() {
      return made instanceof Thread thread
          ? "thread " + thread.getName()
          : (made instanceof ExecutorService ? "executor " : "timer ") + made.getClass().getName();
    }
  }

  private final Reports reports;
  private final Queue<Charge> charges = new ConcurrentLinkedQueue<>();

  Charges(Reports reports) {
    this.reports = reports;
  }

  /** The calling thread begins an add, or ends it. */
  void adding(@Nullable Object client, @Nullable Object device) {
    if (client == null) {
      ADDING.remove();
    } else {
      ADDING.set(new @Nullable Object[] {client, device});
    }
  }

  /**
   * The calling thread has made something. What the midlayer makes in an add serves the device, and
   * ends with the device.
   */
  void started(Object made, String culprit) {
    if (culprit.equals(MIDLAYER)) {
      return;
    }
    @Nullable Object @Nullable [] adding = ADDING.get();
    Thread me = Thread.currentThread();
    Object client = adding == null ? null : adding[0];
    Object device = adding == null ? null : adding[1];
    for (Charge c : charges) {
      if (client == null && c.made.equals(me)) {
        client = c.client;
        device = c.device;
      }
    }
    if (client != null) {
      charges.removeIf(Charge::over);
      charges.add(new Charge(client, device, made, culprit, Reports.here()));
    }
  }

  /** The calling thread has ended something that does not say so itself. */
  void ended(Object made) {
    charges.removeIf(c -> c.made.equals(made));
  }

  /** The remove of a client is about to return: reports what is left. */
  void removed(Object client, @Nullable Object device) {
    for (Charge c : List.copyOf(charges)) {
      if (c.of(client, device)) {
        charges.remove(c);
        if (!isOver(c)) {
          String text = c.what() + ", which it made in add, is alive when remove returns";
          reports.report("S32", c.culprit, text, ADVICE, c.stack, List.of());
        }
      }
    }
  }

  private static boolean isOver(Charge c) {
    try {
      return c.made.equals(Thread.currentThread()) || c.ends();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return c.over();
    }
  }
}
