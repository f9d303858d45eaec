package ib.tools.run;

import ib.core.spi.FaultInjection;
import ib.core.spi.PacketCapture;
import ib.tools.getopt.CommandException;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Untimed traffic before a measured run, so that the run measures compiled code and not the
 * interpreter. It runs between queue pairs of its own on the run's local devices, which are closed
 * before the run opens its own: a peer never sees it. It lasts at most 2 s; in a warm JVM it lasts
 * milliseconds. A device that disturbs packets or whose packets are captured is not warmed up, so
 * that a fault rule and a capture meet the packets of the run only.
 */
public final class WarmUp {
  /** Messages of a warm-up. */
  public static final int MESSAGES = 10_000;

  /** Size in bytes of the largest message of a warm-up. */
  public static final int MAX_BYTES = 1 << 16;

  private static final long MAX_NS = TimeUnit.SECONDS.toNanos(2);

  private final Collection<FaultInjection> faults;
  private final Collection<PacketCapture> captures;
  private final long maxNs;

  /**
   * Creates the warm-up of a run.
   *
   * @param faults the fault services of all devices
   * @param captures the capture services of all devices
   */
  public WarmUp(Collection<FaultInjection> faults, Collection<PacketCapture> captures) {
    this(faults, captures, MAX_NS);
  }

  /**
   * Creates the warm-up of a run.
   *
   * @param faults the fault services of all devices
   * @param captures the capture services of all devices
   * @param maxNs how long it may last, in ns
   */
  public WarmUp(Collection<FaultInjection> faults, Collection<PacketCapture> captures, long maxNs) {
    this.maxNs = maxNs;
    this.faults = List.copyOf(faults);
    this.captures = List.copyOf(captures);
  }

  /**
   * Warms up, unless a device is disturbed or captured. A warm-up that fails is no failure of the
   * run: what is wrong with the settings, the run itself reports.
   *
   * @param devices names of the run's devices
   * @param stop throws to end the run
   * @param traffic sends messages until it has sent all or until its argument throws, and closes
   *     what it has made
   * @throws CommandException of {@code stop}
   */
  public void run(Collection<String> devices, Runnable stop, Consumer<Runnable> traffic) {
    if (devices.stream().anyMatch(this::observed)) {
      return;
    }
    Limit limit = new Limit(stop, maxNs);
    try {
      traffic.accept(limit);
    } catch (CommandException e) {
      limit.check(e);
    }
  }

  private boolean observed(String device) {
    return faults.stream().anyMatch(f -> f.device().equals(device) && !f.list().isEmpty())
        || captures.stream().anyMatch(c -> c.device().equals(device) && c.running().isPresent());
  }

  /** Ends the traffic when the run ends or the time is over. For the run's thread only. */
  private static final class Limit implements Runnable {
    private final Runnable stop;
    private final long maxNs;
    private final long start = System.nanoTime();
    private @Nullable CommandException stopped;

    Limit(Runnable stop, long maxNs) {
      this.maxNs = maxNs;
      this.stop = stop;
    }

    @Override
    public void run() {
      try {
        stop.run();
      } catch (CommandException e) {
        stopped = e; // stop reports an interrupt only once
        throw e;
      }
      if (System.nanoTime() - start >= maxNs) {
        throw new CommandException("the warm-up has lasted long enough");
      }
    }

    /** Ends the run if {@code stop} wants it, or if the traffic has failed because of it. */
    void check(CommandException failure) {
      if (stopped != null) {
        if (stopped != failure) {
          stopped.addSuppressed(failure);
        }
        throw stopped;
      }
      stop.run();
    }
  }
}
