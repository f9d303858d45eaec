package ib.driver.rxe.udp;

import ib.core.wire.BthOpcode;
import ib.engine.wire.Packet;

/**
 * Explicit congestion notification, the two lowest bits of a traffic class (RFC 3168 section 5).
 */
final class Ecn {
  private static final int BITS = 3;
  private static final int NOT_CAPABLE = 0;
  private static final int CAPABLE = 2; // ECT(0)
  private static final int CONGESTED = 3;

  private Ecn() {}

  /**
   * {@return the traffic class that a packet is sent with} A packet of a reliable connection asks
   * for marks, unless it has bits of its own: the engine reduces the window of a queue pair whose
   * peer reports marks (IBA A17.9.3). ICRC does not cover the traffic class.
   */
  static int capable(Packet p) {
    boolean reliable = (p.opcode & 0xe0) == BthOpcode.Service.RC.bits();
    boolean own = (p.trafficClass & BITS) != NOT_CAPABLE;
    return reliable && !own ? p.trafficClass | CAPABLE : p.trafficClass;
  }

  /** {@return whether a sender asks for marks} */
  static boolean isCapable(int trafficClass) {
    return (trafficClass & BITS) != NOT_CAPABLE;
  }

  /** {@return whether a traffic class marks a packet as one that has met congestion} */
  static boolean isCongested(int trafficClass) {
    return (trafficClass & BITS) == CONGESTED;
  }
}
