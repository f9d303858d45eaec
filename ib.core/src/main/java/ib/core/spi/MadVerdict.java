package ib.core.spi;

/** The result of a driver's handling of a datagram (kernel: ib_mad_result). */
public enum MadVerdict {
  /** The driver does not handle the datagram: it goes to the agents, or onto the wire. */
  PASS,
  /** The driver wrote a response, which is sent back. */
  REPLY,
  /** The driver has handled the datagram; there is no response. */
  CONSUMED
}
