package ib.cm;

import ib.core.verbs.AhAttr;
import ib.core.verbs.MaySleep;

/**
 * A connection, from its REQ to the end of its timewait. Any thread that may sleep may call, since
 * the lock of the port is taken; a call that the state does not allow throws {@link
 * ib.core.verbs.IbInvalidException}, which names the state. Private data that is too long is
 * refused the same way (CM-10).
 */
public interface CmConnection {
  /** Reject reason: no resources. */
  int NO_RESOURCES = 3;

  /** Reject reason: the consumer does not want it. */
  int CONSUMER_REJECT = 28;

  /** {@return the name of the connection at this side, not 0} */
  int localId();

  /** {@return the name of the connection's state (IBA 12.9.7)} */
  @MaySleep
  String state();

  /**
   * {@return the way to where the peer's messages come from} Switches and adapters have checked the
   * source of a datagram; the path in a request is what the peer says. On an active side it is the
   * way of the path.
   */
  @MaySleep
  AhAttr source();

  /**
   * {@return this side's queue pair as the peer knows it} The owner describes the queue pair; where
   * the host has the connection manager, that one chooses the starting PSN. The PSN is known when a
   * request or a reply has come.
   *
   * @param mine the owner's description
   */
  default CmEndpoint announced(CmEndpoint mine) {
    return mine;
  }

  /**
   * Accepts a request: sends the REP, and repeats it. The queue pair must be in RTS already,
   * because the peer's data may come before its RTU.
   *
   * @param mine this side's queue pair
   * @param privateData at most 196 bytes
   */
  @MaySleep
  void accept(CmEndpoint mine, byte[] privateData);

  /**
   * Rejects a request or a reply.
   *
   * @param reason {@link #CONSUMER_REJECT} or another (IBA table 108)
   * @param info additional information that the reason asks for, at most 72 bytes
   * @param privateData at most 148 bytes
   */
  @MaySleep
  void reject(int reason, byte[] info, byte[] privateData);

  /**
   * Confirms a reply, after the queue pair was moved to RTS: sends the RTU.
   *
   * @param privateData at most 224 bytes
   */
  @MaySleep
  void ready(byte[] privateData);

  /**
   * Reports that the first message has arrived on the queue pair ({@code COMM_EST}), which stands
   * for a lost RTU. Does nothing in other states.
   */
  @MaySleep
  void dataArrived();

  /**
   * Ends the connection: sends the DREQ, and repeats it. A handshake is given up.
   *
   * @param privateData of the DREQ, at most 220 bytes
   */
  @MaySleep
  void disconnect(byte[] privateData);

  /** Ends the connection whatever its state is; does nothing when it has ended. */
  @MaySleep
  void end();
}
