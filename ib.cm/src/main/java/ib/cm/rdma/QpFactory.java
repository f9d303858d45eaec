package ib.cm.rdma;

import ib.core.verbs.IbDevice;
import ib.core.verbs.MaySleep;
import ib.core.verbs.QueuePair;

/**
 * Makes the queue pair of a connection, when the device and the port are known. From then on {@code
 * ib.cm.rdma} alone moves the queue pair through its states, and {@link RdmaConnection#close}
 * destroys it (API-5).
 */
@FunctionalInterface
public interface QpFactory {
  /**
   * Makes a queue pair of the type of the connection ({@link RdmaOptions#type}, {@link
   * RdmaRequest#type}), and whatever it needs. One of another type is refused, and the connection
   * ends.
   *
   * @param device the program's own handle
   * @param port from 1
   * @return the queue pair, in state RESET
   */
  @MaySleep
  QueuePair make(IbDevice device, int port);

  /**
   * Private data for the peer, asked for when the queue pair was made: it can name its memory.
   *
   * @param options of the connection
   * @return those of the options, unless this method is overridden; of a REQ at most 56 bytes, of a
   *     REP at most 196; for datagrams 180 and 136
   */
  @MaySleep
  default byte[] data(RdmaOptions options) {
    return options.data();
  }

  /**
   * Posts the first receives. The peer's data may come as soon as this returns.
   *
   * @param qp what {@link #make} has returned, now in state INIT
   */
  @MaySleep
  default void initialized(QueuePair qp) {}

  /**
   * The queue pair is destroyed: closes what it alone has used. So it is gone, too, when {@link
   * RdmaConnection#close} returns, and when a device goes.
   *
   * @param qp what {@link #make} has returned
   */
  @MaySleep
  default void destroyed(QueuePair qp) {}
}
