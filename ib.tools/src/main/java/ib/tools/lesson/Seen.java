package ib.tools.lesson;

import ib.core.wire.Bth;
import ib.kit.capture.CapturedPacket;
import ib.kit.capture.PacketText;
import java.util.Locale;

/**
 * A packet of a lesson, as it was captured.
 *
 * @param number its place in the capture, from 1
 * @param us microseconds since the first packet
 * @param incoming whether the device received it
 * @param opcode of its base transport header, or -1 if it has none
 * @param psn of its base transport header
 * @param text opcode and fields
 * @param verdict the capture's comment: its ICRC, why it was dropped, whether it was sent before
 */
public record Seen(
    int number, double us, boolean incoming, int opcode, int psn, String text, String verdict) {
  private static final double NS_PER_US = 1000;

  static Seen of(int number, long firstNs, CapturedPacket packet) {
    return new Seen(
        number,
        (packet.timeNs() - firstNs) / NS_PER_US,
        packet.incoming(),
        packet.bth().map(Bth::opcode).orElse(-1),
        packet.bth().map(Bth::psn).orElse(0),
        PacketText.of(packet),
        packet.comment());
  }

  /** {@return one line: number, time, direction, fields, verdict} */
  String line() {
    String way = incoming ? "<-" : "->";
    return String.format(Locale.ROOT, "%3d %10.1f us %s %s; %s", number, us, way, text, verdict);
  }
}
