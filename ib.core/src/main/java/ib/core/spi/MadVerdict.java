package ib.core.spi;

/** What a driver did with a datagram (kernel: ib_mad_result). */
public enum MadVerdict {
  /** Nothing: it goes to the agents, or onto the wire. */
  PASS,
  /** It wrote an answer, which is sent back. */
  REPLY,
  /** It is done with it; there is no answer. */
  CONSUMED
}
