package ib.itests.interop;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import ib.itests.interop.scenario.Bulk;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.CRC32;

/** What the memory of both ends holds after a scenario. */
final class Contents {
  private static final HexFormat HEX = HexFormat.of();
  private static final String HERE4 = "0a4d0001";
  private static final String THERE4 = "0a4d0002";
  private static final String HERE6 = "fd770000000000000000000000000001";
  private static final String THERE6 = "fd770000000000000000000000000002";

  private Contents() {}

  /** Checks it. */
  static void check(String name, boolean ipv6, boolean weRequest, Exchange both) {
    List<String> read = Exchange.data(both.requester());
    List<String> held = Exchange.data(both.responder());
    switch (name) {
      case "ok" -> {
        assertEquals("what was sent is what was written", held.get(0), held.get(1));
        assertEquals("what was written is what was read", held.get(1), read.get(0));
        assertEquals("CAS found the sum of the FAA", number(9), held.get(2));
        assertEquals("old values", number(0) + number(5), read.get(1));
      }
      case "small" -> {
        assertEquals(List.of(pattern(0, 7), pattern(0, 6)), held.subList(0, 2));
        String written = pattern(9000, 1) + pattern(5, 1) + pattern(9002, 1023);
        assertEquals(written, held.get(2));
        assertEquals(List.of(written.substring(0, 26), written.substring(0, 2048), written), read);
      }
      case "atomics" -> {
        long swapped = 0x0102030405060708L;
        assertEquals(
            "old values",
            number(0) + number(0) + number(swapped) + number(swapped + 5),
            read.get(0));
        assertEquals(number(swapped + 4), held.get(0));
      }
      case "bulk" -> bulk(read, held);
      case "ud_sends" -> {
        assertEquals(List.of(read.get(0), read.get(0)), List.of(held.get(1), held.get(3)));
        header(held.get(0), ipv6, weRequest, 0);
        header(held.get(2), ipv6, weRequest, Integer.BYTES);
      }
      default ->
          held.forEach(bytes -> assertEquals("what was sent is what came", read.get(0), bytes));
    }
  }

  private static void bulk(List<String> read, List<String> held) {
    List<String> sent = new ArrayList<>();
    List<String> written = new ArrayList<>();
    StringBuilder old = new StringBuilder();
    for (int i = 0; i < Bulk.COUNT; i++) {
      sent.add(crc(pattern(i, Bulk.LENGTH)));
      written.add(crc(pattern(10 + i, Bulk.LENGTH)));
      old.append(number(5L * i));
    }
    assertEquals(sent, held.subList(0, Bulk.COUNT));
    assertEquals(written, held.subList(Bulk.COUNT, 2 * Bulk.COUNT));
    assertEquals(written, read.subList(0, Bulk.COUNT));
    assertEquals("each addition once, in order", old.toString(), read.get(Bulk.COUNT));
    assertEquals(number(5L * Bulk.COUNT), held.get(2 * Bulk.COUNT));
  }

  /** The first 40 bytes of a datagram's buffer. */
  private static void header(String hex, boolean ipv6, boolean weRequest, int more) {
    int udp = 8 + 12 + 8 + more + 100 + 4;
    String from = weRequest ? HERE4 + HERE6 : THERE4 + THERE6;
    String to = weRequest ? THERE4 + THERE6 : HERE4 + HERE6;
    assertTrue(
        hex,
        ipv6
            ? hex.matches(
                String.format("6.{7}%04x11..%s%s", udp, from.substring(8), to.substring(8)))
            : hex.matches(
                String.format(
                    "0{40}45..%04x.{8}..11.{4}%s%s",
                    20 + udp, from.substring(0, 8), to.substring(0, 8))));
  }

  private static String pattern(int from, int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) (32 + (from + i) * 7 % 95);
    }
    return HEX.formatHex(bytes);
  }

  private static String crc(String hex) {
    CRC32 crc = new CRC32();
    crc.update(HEX.parseHex(hex));
    return HEX.toHexDigits((int) crc.getValue());
  }

  /** As x86 has it in memory. */
  private static String number(long value) {
    return HEX.toHexDigits(Long.reverseBytes(value));
  }
}
