package ib.cm.rdma;

import ib.core.verbs.Callback;

/** Hears what happens to a connection; one call at a time, never on the stack of a caller. */
public interface RdmaHandler {
  /** Hears nothing. */
  RdmaHandler NONE = new RdmaHandler() {};

  /**
   * Both sides are ready.
   *
   * @param connection the connection
   */
  @Callback
  default void established(RdmaConnection connection) {}

  /**
   * The connection has ended, or was not made: its queue pair is in the error state. This is the
   * last call, and the only one of this kind. Close the connection, and then what its queue pair
   * has used.
   *
   * @param connection the connection
   * @param end how
   */
  @Callback
  default void ended(RdmaConnection connection, RdmaEnd end) {}
}
