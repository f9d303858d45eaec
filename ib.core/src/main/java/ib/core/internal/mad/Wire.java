package ib.core.internal.mad;

import ib.core.mad.MadAddress;
import ib.core.mad.MadSource;
import ib.core.spi.MadVerdict;
import java.lang.foreign.MemorySegment;

/** The transport below a port's MAD layer: QP0, QP1 and the driver's own agents. */
interface Wire {
  /** {@return the number of the port, from 1} */
  int port();

  /** Returns whether the port has queue pair 0 or 1. */
  boolean has(int qpn);

  /**
   * Sends a datagram. Called on the port's serial; copies the bytes.
   *
   * @param qpn the queue pair that sends, 0 or 1
   * @param mad 256 bytes
   * @param to the destination
   * @param done called on the port's serial: with null when the datagram was sent, else with the
   *     reason of the failure
   */
  void transmit(int qpn, MemorySegment mad, MadAddress to, Done done);

  /** The end of a send. */
  interface Done {
    /** Called when the send has completed. */
    void sent(@org.jspecify.annotations.Nullable String failure);
  }

  /** Offers a datagram to the driver. */
  MadVerdict process(MadSource source, MemorySegment in, MemorySegment out);

  /** Whether a LID is one of the port's own. */
  boolean ownLid(int lid);
}
