package ib.tools.pingpong;

import ib.core.verbs.Gid;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/**
 * Where an end can be reached.
 *
 * @param lid LID of the port, 0 on Ethernet
 * @param qpn queue pair number
 * @param psn first packet sequence number
 * @param gid GID, or ZERO to use LIDs
 */
public record Address(int lid, int qpn, int psn, Gid gid) {
  /** Length of the record on the wire, with the closing zero byte. */
  static final int WIRE_BYTES = 52;

  /** As the programs print it; the datagram one has a colon in its local line (ud_pingpong.c). */
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

  /** As the programs exchange it: text in a fixed length. */
  byte[] toWire() {
    String text = String.format(Locale.ROOT, "%04x:%06x:%06x:%s", lid, qpn, psn, gid.toHex32());
    return Arrays.copyOf(text.getBytes(StandardCharsets.US_ASCII), WIRE_BYTES);
  }

  /**
   * Reads what a peer sent, as leniently as its sscanf: any length of the numbers.
   *
   * @throws IllegalArgumentException when it is not such a record
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
