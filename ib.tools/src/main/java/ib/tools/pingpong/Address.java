package ib.tools.pingpong;

import ib.core.verbs.Gid;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/**
 * The address of an end.
 *
 * @param lid LID of the port, 0 on Ethernet
 * @param qpn queue pair number
 * @param psn first packet sequence number
 * @param gid GID; ZERO to use LIDs
 */
public record Address(int lid, int qpn, int psn, Gid gid) {
  /** Length of the record on the wire, with the closing zero byte. */
  static final int WIRE_BYTES = 52;

  /** {@return the line that the programs print; ud_pingpong.c has a colon in its local line} */
  String line(String label, String colon) {
    return String.format(
        Locale.ROOT,
        "  %-15s LID 0x%04x, QPN 0x%06x, PSN 0x%06x%s GID %s",
        label + " address:",
        lid,
        qpn,
        psn,
        colon,
        gid);
  }

  /** {@return the record that the programs exchange: text of a fixed length} */
  byte[] toWire() {
    String text = String.format(Locale.ROOT, "%04x:%06x:%06x:%s", lid, qpn, psn, gid.toHex32());
    return Arrays.copyOf(text.getBytes(StandardCharsets.US_ASCII), WIRE_BYTES);
  }

  /**
   * Parses the record of a peer. As sscanf in the original, accepts numbers of any length.
   *
   * @throws IllegalArgumentException when the bytes are no such record
   */
  static Address ofWire(byte[] wire) {
    int end = 0;
    while (end < wire.length && wire[end] != 0) {
      end++;
    }
    String text = new String(wire, 0, end, StandardCharsets.US_ASCII);
    String[] part = text.split(":", -1);
    if (part.length != 4 || part[3].length() != 32) {
      throw new IllegalArgumentException("not an address record: '" + text + "'");
    }
    return new Address(number(part[0]), number(part[1]), number(part[2]), Gid.parse(part[3]));
  }

  private static int number(String hex) {
    int value = Integer.parseInt(hex, 16);
    if (value < 0 || value > 0xffffff) {
      throw new IllegalArgumentException("number out of range: " + hex);
    }
    return value;
  }
}
