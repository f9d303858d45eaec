package ib.core.serial;

import ib.core.verbs.Fence;
import ib.core.verbs.MaySleep;
import java.util.function.Consumer;
import org.osgi.annotation.versioning.ProviderType;

/**
 * The blocking waits of the midlayer: all of them are one graph (contract 2.6-4). A wait that would
 * close a cycle of waits is not entered, or makes another one on the cycle end: the one of the
 * lowest {@link Rank}. So no wait of the midlayer waits, in the end, for itself. What the graph
 * does not see are locks, futures and joins of clients and drivers.
 */
@ProviderType
public interface Waits {
  /** Which wait of a cycle is given up: the lowest. Among equals the one that closes the cycle. */
  enum Rank {
    /** What was asked for stays queued and happens later: nothing is lost. */
    QUEUED,
    /** The caller is told by an exception. */
    THROWS,
    /** The caller cannot be told: a close, a sweep. The fence is deferred, and reported. */
    CLOSES,
    /** A driver pulls its device when the wait ends (S28). */
    SERVICE_GOES,
    /** Nobody can end it: a thread of the core's own does the work of one that was given up. */
    STAYS
  }

  /**
   * What is waited for. The methods read volatile fields, or what the lock of the graph guards;
   * they take no lock and call nobody. The graph's lock may be held.
   */
  interface Target {
    /** {@return whether the wait is over} */
    boolean over();

    /**
     * Tells for whom one waits at this moment.
     *
     * @param to takes each thread; none when the wait is over
     */
    void holders(Consumer<? super Thread> to);

    /** {@return what it is, for reports, for example {@code the callback of CQ 3 of soft0}} */
    String text();
  }

  /**
   * Waits. An interrupt does not end the wait (contract 2.6, 8c); the flag is restored.
   *
   * @param target what for
   * @param rank when it is given up in favour of others
   * @param limitNs how long at the most, nanoseconds
   * @return how it ended
   */
  @MaySleep
  @Fence
  End await(Target target, Rank rank, long limitNs);
}
