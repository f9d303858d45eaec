package ib.tools.perftest;

import ib.core.verbs.CompletionQueue;
import ib.core.verbs.NotifyFlags;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import ib.tools.getopt.CommandException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * One completion queue of a run, which polls it or sleeps until events. For the run's thread only.
 */
final class Completions {
  private static final int BATCH = 16;
  private static final int LOOK_LOOPS = 1 << 12;
  private static final long LOOK_MS = 100;
  private static final long SILENCE_NS = TimeUnit.SECONDS.toNanos(60); // as the original's alarm

  private final CompletionQueue cq;
  private final boolean events;
  private final boolean client;
  private final Semaphore wakeUp;
  private final Runnable stop;
  private final WorkCompletion[] batch = new WorkCompletion[BATCH];
  private int idle;
  private long idleSince;

  /**
   * Creates the poller of a queue.
   *
   * @param cq the queue
   * @param options options of the run, which say whether to sleep
   * @param wakeUp released by completion events
   * @param stop called while no completion arrives; throws to abort the run
   */
  Completions(CompletionQueue cq, PerftestOptions options, Semaphore wakeUp, Runnable stop) {
    this.cq = cq;
    this.events = options.events();
    this.client = !options.server();
    this.wakeUp = wakeUp;
    this.stop = stop;
    for (int i = 0; i < BATCH; i++) {
      batch[i] = new WorkCompletion();
    }
  }

  /**
   * Polls, and waits a moment if there is no completion. {@return the number of completions, 0 to
   * 16}
   */
  int poll() {
    return poll(BATCH);
  }

  /** As {@link #poll()}, with a limit. */
  int poll(int most) {
    int n = take(most);
    if (n == 0 && events) {
      arm();
      n = take(most); // completions that were there before arming raise no event (B7)
    }
    if (n > 0) {
      restart();
    } else {
      idle();
    }
    return n;
  }

  /**
   * Polls; if there is no completion, the next one raises an event. {@return the number of
   * completions}
   */
  int look() {
    int n = take(BATCH);
    if (n == 0 && events) {
      arm();
      n = take(BATCH);
    }
    return n;
  }

  private void arm() {
    if (cq.requestNotify(NotifyFlags.NEXT_COMP) < 0) {
      throw new CommandException("Couldn't request CQ notification");
    }
  }

  /** Restarts the time limit for the next completion. */
  void restart() {
    idle = 0;
  }

  private int take(int most) {
    int n = cq.poll(batch, most);
    if (n < 0) {
      throw new CommandException("poll CQ failed " + n);
    }
    for (int i = 0; i < n; i++) {
      WorkCompletion wc = batch[i];
      if (wc.status() != WcStatus.SUCCESS) {
        throw new CommandException(
            String.format(
                " Completion with error at %s\n Failed status %d: wr_id %d syndrom 0x%x (%s)",
                client ? "client" : "server",
                wc.status().value(),
                wc.wrId(),
                wc.vendorError(),
                wc.status().label()));
      }
    }
    return n;
  }

  /** {@return index of the queue pair of a completion of the last poll} */
  int qp(int i) {
    return (int) batch[i].wrId();
  }

  /** Waits a moment for a completion; throws after 60 s without one. */
  void idle() {
    if (events) {
      sleep();
    } else {
      Thread.onSpinWait();
    }
    if (idle++ == 0) {
      idleSince = System.nanoTime();
    } else if (events || idle % LOOK_LOOPS == 0) {
      stop.run();
      Thread.yield();
      if (System.nanoTime() - idleSince > SILENCE_NS) {
        throw new CommandException(
            " Did not get Message for " + SILENCE_NS / 1_000_000_000L + " Seconds, exiting..");
      }
    }
  }

  private void sleep() {
    try {
      wakeUp.tryAcquire(LOOK_MS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // stop.run() throws
    }
  }
}
