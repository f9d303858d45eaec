package ib.driver.rxe.udp;

import java.util.Locale;

/** The counters of a device's sockets (D9), beside those of the engine. */
public enum UdpCounter {
  /** Datagrams sent. */
  UDP_SENT,
  /**
   * Datagrams sent that the system has cut from a longer send (UDP_SEGMENT); UDP_SENT includes
   * them.
   */
  GSO_SENT,
  /** How often a trial proved that packets cut by the system arrive at a peer. */
  GSO_PROVEN,
  /** How often trials showed that they do not arrive, or the system refused to cut. */
  GSO_REFUTED,
  /** Packets handed over in memory to a device of this JVM; UDP_SENT does not include them. */
  UDP_LOCAL,
  /** Datagrams received. */
  UDP_RCVD,
  /** IPv4 packets whose identification was computed from the ICRC and was expected. */
  ID_SOLVED,
  /**
   * IPv4 packets whose identification was computed, from a peer that was new or silent for long.
   */
  ID_LOOSE,
  /**
   * IPv4 packets whose identification was computed, was not expected, and was accepted by the loose
   * check.
   */
  ID_JUMP,
  /** Dropped by the strict check: the identification was computed and was not expected. */
  DROP_ID_JUMP,
  /** Dropped: the ICRC is wrong for every identification. */
  DROP_ICRC_ERROR,
  /** Dropped: the sender has allowed fragmentation, which RoCEv2 does not. */
  DROP_WRONG_FLAGS,
  /**
   * Packets that a router has marked for congestion (RFC 3168). For a request of a reliable queue
   * pair its sender is notified, at most once in 50 us.
   */
  NP_ECN_MARKED,
  /**
   * Packets that this receiver has marked for congestion, because its socket's receive buffer is
   * getting full; their senders are notified as with NP_ECN_MARKED.
   */
  NP_BUFFER_MARKED,
  /** No receive buffer or packet was free; the datagram was dropped or stays in the socket. */
  RX_OVERRUN,
  /**
   * How often datagrams waited for up to 1 ms, because threads that polled completion queues had
   * left them to wait for something else. The device's thread receives itself then, for 2 ms, and
   * up to 256 when that goes on.
   */
  RX_LATE,
  /** How often reading, sleeping or closing a socket has failed. */
  RX_ERROR,
  /** Datagrams, or rounds of the receiving thread, that failed in this driver. */
  RX_FAILED,
  /**
   * How often the system refused to join or leave a multicast group, or to send to groups by
   * another interface, while the port followed its addresses. The port tries again every second.
   */
  MCAST_FAILED,
  /** Packets not sent: no socket is bound to the source GID. */
  TX_NO_SOURCE,
  /** Packets not sent: the socket's buffer was full, or too many threads were sending. */
  TX_BUSY,
  /** Packets not sent: the system refused them, for example because there is no route. */
  TX_ERROR;

  /** {@return the name that tools print} */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
