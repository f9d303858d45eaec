package ib.core.sa;

import ib.core.verbs.AnyContext;
import ib.core.verbs.Fence;
import ib.core.verbs.IbException;
import ib.core.verbs.MaySleep;
import org.jspecify.annotations.Nullable;

/** One caller's share in a port's membership of a group. */
public interface SaMembership extends AutoCloseable {
  /** The state of the membership. */
  enum State {
    /** The subnet administrator is being asked, or will be when the port is active. */
    JOINING,
    /** The port is a member: the record says how to send. */
    MEMBER,
    /** The subnet manager may have forgotten it (kernel: -ENETRESET); it is joined again. */
    LOST,
    /** Refused for good; it is tried again only when an event gives reason to. */
    REFUSED,
    /** Closed. */
    CLOSED
  }

  /** Hears of changes. */
  @FunctionalInterface
  interface Listener {
    /**
     * The state has changed. One call at a time per {@link SaClient}, never on the caller's stack.
     *
     * @param membership whose
     * @param state the state it has come to: MEMBER, LOST or REFUSED
     * @param why what went wrong, of LOST and REFUSED; may be null
     */
    void changed(SaMembership membership, State state, @Nullable IbException why);
  }

  /** {@return the state now} */
  @AnyContext
  State state();

  /**
   * {@return the group as the subnet administrator gave it, the newest; before the first MEMBER the
   * request}
   */
  @AnyContext
  McMemberRecord record();

  /**
   * The subnet administrator has been found to have forgotten the port, although no event said so:
   * all shares in the group are {@link State#LOST} and the group is joined again, once.
   */
  @AnyContext
  void renew();

  /**
   * Gives the share back; the last one leaves the group (3 attempts, not waited for). When this
   * returns its listener does not run and will not run; deferred inside of it (CC-17).
   */
  @Override
  @MaySleep
  @Fence
  void close();
}
