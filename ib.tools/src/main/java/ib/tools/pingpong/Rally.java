package ib.tools.pingpong;

import ib.tools.getopt.CommandException;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Runs one end, or both, to the last message, on the caller's thread. */
final class Rally {
  private static final long LOOK_MS = 100;
  private static final long SILENCE_NS = TimeUnit.SECONDS.toNanos(60);
  private static final int LOOK_LOOPS = 1 << 10;

  private final List<Player> players;
  private final Settings settings;
  private final Semaphore wakeUp;
  private final Runnable stop;
  private boolean moved;
  private long lastMoved;

  /**
   * Prepares a run.
   *
   * @param players the local ends
   * @param settings settings of the run
   * @param wakeUp released by completion events and by removals
   * @param stop throws to end the run
   */
  Rally(List<Player> players, Settings settings, Semaphore wakeUp, Runnable stop) {
    this.players = players;
    this.settings = settings;
    this.wakeUp = wakeUp;
    this.stop = stop;
  }

  /** Runs until the last message. {@return the duration in nanoseconds} */
  long run() {
    long start = System.nanoTime();
    lastMoved = start;
    try {
      for (int loops = 1; !done(); loops++) {
        if (settings.modes().events()) {
          await();
        }
        if (poll() > 0) {
          moved = true;
        } else {
          Thread.onSpinWait();
        }
        if (loops % LOOK_LOOPS == 0 || settings.modes().events()) {
          look();
        }
      }
    } catch (CommandException e) {
      stop.run(); // throws if a device was removed, which is the better reason
      throw e;
    }
    return System.nanoTime() - start;
  }

  /**
   * Checks from time to time whether the run must end, also while messages arrive; throws after 60
   * s without a completion.
   */
  private void look() {
    stop.run();
    long now = System.nanoTime();
    if (moved) {
      moved = false;
      lastMoved = now;
    } else if (now - lastMoved > SILENCE_NS) {
      throw new CommandException("no completion in " + SILENCE_NS / 1_000_000_000L + " seconds");
    } else {
      Thread.yield();
    }
  }

  private boolean done() {
    for (Player p : players) {
      if (!p.done()) {
        return false;
      }
    }
    return true;
  }

  private int poll() {
    boolean toTheEnd =
        settings.modes().events(); // completions that were there before arming raise no event
    int n = 0;
    for (Player p : players) {
      int got;
      do {
        got = p.poll();
        n += got;
      } while (toTheEnd && got > 0);
    }
    return n;
  }

  /** Sleeps until a completion event, at most 100 ms; arms before the caller polls (B7). */
  private void await() {
    try {
      if (wakeUp.tryAcquire(LOOK_MS, TimeUnit.MILLISECONDS)) {
        wakeUp.drainPermits();
        players.forEach(Player::arm);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // stop.run() throws
    }
  }
}
