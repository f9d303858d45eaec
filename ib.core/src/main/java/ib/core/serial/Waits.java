package ib.core.serial;

import ib.core.verbs.AnyContext;
import ib.core.verbs.Fence;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbPermissionException;
import ib.core.verbs.MaySleep;
import java.util.function.Consumer;
import org.osgi.annotation.versioning.ProviderType;

/**
 * The blocking waits of the midlayer, which form one wait-for graph (clause 2.6-4). When a wait
 * would close a cycle, the wait of the lowest {@link Rank} on the cycle is refused: the new one, or
 * one that has begun. So no thread of the midlayer waits, in the end, for itself. The graph does
 * not include locks, futures and joins of clients and drivers.
 */
@ProviderType
public interface Waits {
  /**
   * The rank of a wait. Of the waits on a cycle the one of the lowest rank is refused; among equal
   * ranks the wait that closes the cycle.
   */
  enum Rank {
    /** The operation stays queued and happens later, so no operation is lost. */
    QUEUED,
    /** The caller gets an exception. */
    THROWS,
    /** The caller, a close or a cleanup, gets no exception: the fence is deferred and reported. */
    CLOSES,
    /** A driver unplugs the driver's device when the wait ends (S28). */
    SERVICE_GOES,
    /** The wait is never refused: a helper of the core waits in place of another thread. */
    STAYS
  }

  /**
   * The target of a wait. The methods read volatile fields, or fields that the lock of the graph
   * guards. The methods take no lock and call no client or driver. The caller may hold the graph's
   * lock.
   */
  interface Target {
    /** {@return whether the wait is over} */
    boolean over();

    /**
     * Names the threads that can end the wait at this moment.
     *
     * @param to takes each thread; no thread when the wait is over
     */
    void holders(Consumer<? super Thread> to);

    /** The waiting thread was interrupted; a wait that an interrupt ends is over from now on. */
    default void interrupted() {}

    /** {@return the target's name for reports, such as {@code the callback of CQ 3 of soft0}} */
    String text();
  }

  /**
   * Returns the graph for the fences of a client that calls the client's own users back.
   *
   * @param handle the handle given to {@code IbClient.add}, or a lease's
   * @return the wait-for graph of the midlayer that has made the handle
   * @throws IbPermissionException for a device that is a service object
   */
  @AnyContext
  static Waits of(IbDevice handle) {
    if (handle instanceof WaitingDevice device) {
      return device.waits();
    }
    throw IbPermissionException.notAHandle(handle, "Waits.of");
  }

  /**
   * Waits. An interrupt does not end the wait (clause 2.6, 8c), unless {@link Target#interrupted}
   * does; this method restores the flag.
   *
   * @param target what the caller waits for
   * @param rank when the wait is refused in favour of others
   * @param limitNs how long to wait at most, in nanoseconds
   * @return how the wait ended
   */
  @MaySleep
  @Fence
  End await(Target target, Rank rank, long limitNs);
}
