package ib.driver.rxe.udp;

import java.util.Locale;

/** What the sockets of a device count (D9), beside the counters of the engine. */
public enum UdpCounter {
  /** Datagrams sent. */
  UDP_SENT,
  /** Of these, cut by the system from a longer send (UDP_SEGMENT). */
  GSO_SENT,
  /** Times it was found that what the system cuts arrives at a peer. */
  GSO_PROVEN,
  /** Times it was found that it does not, or that the system will not cut. */
  GSO_REFUTED,
  /** Datagrams received. */
  UDP_RCVD,
  /** IPv4 packets whose hidden identification was solved from the ICRC and was to be expected. */
  ID_SOLVED,
  /** The same, but from a peer that was new or silent for long, so any identification would do. */
  ID_LOOSE,
  /** Solved, far from what the peer sent before, and taken all the same: the check is loose. */
  ID_JUMP,
  /** Solved, far from what the peer sent before, and dropped: the check is strict. */
  DROP_ID_JUMP,
  /** The ICRC is wrong, whatever was hidden. */
  DROP_ICRC_ERROR,
  /** The sender allowed IPv4 to fragment, which RoCEv2 does not. */
  DROP_WRONG_FLAGS,
  /**
   * Packets that a router had marked as having met congestion (RFC 3168). They are counted; their
   * sender is not notified.
   */
  NP_ECN_MARKED,
  /** Nothing was free to receive into, so the socket kept what came. */
  RX_OVERRUN,
  /** Times the socket refused to be read. */
  RX_ERROR,
  /** Datagrams, or turns of the thread that receives, that met an error of ours. */
  RX_FAILED,
  /** Packets not sent: the source GID is none that a socket is bound to. */
  TX_NO_SOURCE,
  /** Packets not sent: the socket's buffer was full, or too many threads were sending. */
  TX_BUSY,
  /** Packets not sent: the system refused them, for example for want of a route. */
  TX_ERROR;

  /** {@return the name that tools print} */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
