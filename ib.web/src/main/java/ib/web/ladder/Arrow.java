package ib.web.ladder;

import ib.core.wire.Bth;
import ib.core.wire.BthOpcode;
import ib.core.wire.BthOpcode.Operation;
import ib.core.wire.Deth;
import ib.kit.capture.CapturedPacket;
import java.util.Locale;
import java.util.Optional;

/**
 * A packet, as one arrow of the diagram.
 *
 * @param timeNs when, in nanoseconds since 1970
 * @param incoming whether the device received the packet
 * @param what operation, for example {@code SEND_ONLY} or {@code NAK}
 * @param psn packet sequence number, 24 bits
 * @param source number of the queue pair that sent it; -1 when neither the packet nor the capture
 *     tells, as for what the device receives over a connection
 * @param destination number of the queue pair that it is sent to
 * @param verdict what the device made of it
 */
record Arrow(
    long timeNs,
    boolean incoming,
    String what,
    int psn,
    int source,
    int destination,
    String verdict) {
  private static final String FINE = "ICRC ok";
  private static final int SYNDROME_KIND = 0x60; // IBA 9.7.5.1.1: bits 6 and 5
  private static final int RNR = 0x20;
  private static final int NAK = 0x60;
  private static final int SYNDROME_VALUE = 0x1f;

  /** {@return the arrow of a packet; nothing for one that is too short to have a destination} */
  static Optional<Arrow> of(CapturedPacket packet) {
    Bth bth = packet.bth().orElse(null);
    if (bth == null) {
      return Optional.empty();
    }
    return Optional.of(
        new Arrow(
            packet.timeNs(),
            packet.incoming(),
            what(packet, bth),
            bth.psn(),
            packet.incoming() ? packet.deth().map(Deth::srcQp).orElse(-1) : packet.queue(),
            bth.destQp(),
            packet.comment()));
  }

  private static String what(CapturedPacket packet, Bth bth) {
    BthOpcode opcode = BthOpcode.of(bth.opcode());
    if (opcode == null) {
      return String.format("opcode 0x%02x", bth.opcode());
    }
    if (opcode.operation() == Operation.ACKNOWLEDGE) {
      int syndrome = packet.aeth().map(a -> a.syndrome()).orElse(0);
      return switch (syndrome & SYNDROME_KIND) {
        case RNR -> "RNR NAK";
        case NAK -> "NAK " + (syndrome & SYNDROME_VALUE);
        default -> "ACK";
      };
    }
    return opcode.name().replaceFirst("^[RU][CD]_", "").toUpperCase(Locale.ROOT);
  }

  /** {@return whether it did not arrive, as far as the device knows} */
  boolean isLost() {
    return verdict.contains("dropped: ")
        || verdict.contains("fault: loss")
        || verdict.contains("fault: partition")
        || verdict.contains("fault: corrupt")
        || verdict.startsWith("ICRC bad");
  }

  /** {@return whether it was sent before} */
  boolean isRepeat() {
    return verdict.contains("retransmission ");
  }

  /** {@return whether it refuses what the peer has sent} */
  boolean isRefusal() {
    return what.contains("NAK");
  }

  /** {@return the verdict without what is said of every sound packet} */
  String remark() {
    return verdict.startsWith(FINE)
        ? verdict.substring(FINE.length()).replaceFirst("^; ", "")
        : verdict;
  }
}
