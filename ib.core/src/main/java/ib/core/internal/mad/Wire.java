package ib.core.internal.mad;

import ib.core.mad.MadAddress;
import ib.core.mad.MadSource;
import ib.core.spi.MadVerdict;
import java.lang.foreign.MemorySegment;

/** What a port's layer stands on: QP0, QP1 and the driver's own agents. */
interface Wire {
  /** Asks for a queue pair, 0 or 1. */
  boolean has(int qpn);

  /**
   * Sends a datagram, on the port's queue; the bytes are copied.
   *
   * @param qpn 0 or 1: by which
   * @param mad 256 bytes
   * @param to where to
   * @param done told on the port's queue: null when it was sent, else why not
   */
  void transmit(int qpn, MemorySegment mad, MadAddress to, Done done);

  /** The end of a send. */
  interface Done {
    /** It is over. */
    void sent(@org.jspecify.annotations.Nullable String failure);
  }

  /** Offers a datagram to the driver. */
  MadVerdict process(MadSource source, MemorySegment in, MemorySegment out);

  /** Whether a LID is one of the port's own. */
  boolean ownLid(int lid);
}
