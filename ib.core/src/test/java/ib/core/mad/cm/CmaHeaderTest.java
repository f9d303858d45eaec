package ib.core.mad.cm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import ib.core.verbs.IbInvalidException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CmaHeaderTest {
  private static final int REQ_BYTES = 92;

  /** Private data of the REQ of Linux's rping, from 10.78.0.3 to 10.78.0.2. */
  private static final String RPING =
      "0040dace0000000000000000000000000a4e00030000000000000000000000000a4e0002";

  private static byte[] req(String header) {
    return Arrays.copyOf(HexFormat.of().parseHex(header), REQ_BYTES);
  }

  private static String with(int at, String bytes) {
    return RPING.substring(0, 2 * at) + bytes + RPING.substring(2 * at + bytes.length());
  }

  @Test
  @DisplayName("RD-1: the header of Linux's rping, read and written byte for byte")
  void recorded() throws UnknownHostException {
    byte[] data = req(RPING);
    assertNull(CmaHeader.refusal(data));
    CmaHeader header = CmaHeader.read(data);
    InetAddress from = InetAddress.getByName("10.78.0.3");
    assertEquals(new CmaHeader(56014, from, InetAddress.getByName("10.78.0.2")), header);
    byte[] consumer = CmaHeader.consumer(data);
    assertEquals(56, consumer.length);
    assertArrayEquals(data, header.before(consumer, CmKind.REQ));
  }

  @Test
  @DisplayName("RD-1: IPv6 addresses fill the header")
  void six() throws UnknownHostException {
    InetAddress from = InetAddress.getByName("fe80::5054:ff:fe78:3");
    CmaHeader header = new CmaHeader(1, from, InetAddress.getByName("fe80::5054:ff:fe78:2"));
    byte[] data = header.before(new byte[] {9}, CmKind.REQ);
    String text = "00600001fe80000000000000505400fffe780003fe80000000000000505400fffe78000209";
    assertEquals(text, HexFormat.of().formatHex(data));
    byte[] arrived = Arrays.copyOf(data, REQ_BYTES);
    assertNull(CmaHeader.refusal(arrived));
    assertEquals(header, CmaHeader.read(arrived));
  }

  @Test
  @DisplayName("CM-10, K20: 56 bytes of private data behind the header, and not one more")
  void most() throws UnknownHostException {
    InetAddress any = InetAddress.getByName("10.0.0.1");
    CmaHeader header = new CmaHeader(1, any, any);
    assertEquals(REQ_BYTES, header.before(new byte[56], CmKind.REQ).length);
    IbInvalidException e =
        assertThrows(IbInvalidException.class, () -> header.before(new byte[57], CmKind.REQ));
    assertEquals("57 bytes", e.why());
    assertEquals("at most 56", e.hint());
  }

  @ParameterizedTest
  @CsvSource({
    "0, 10, another version",
    "1, 50, IP version 5",
    "1, 00, no IP version",
    "16, 7f000001, a loopback address as source of a message to another host (M5)",
    "16, 00000000, the source 0.0.0.0",
    "16, e0000001, a multicast address as source",
    "32, ffffffff, a broadcast address as destination",
    "32, 00000000, the destination 0.0.0.0",
  })
  @DisplayName("RD-2: what Linux rejects with reason 28 is refused")
  void refused(int at, String bytes, String why) {
    assertNotNull(CmaHeader.refusal(req(with(at, bytes))), why);
  }

  @Test
  @DisplayName("RD-2: any 92 bytes are a header or are refused")
  void total() {
    Random random = new Random(7);
    byte[] data = new byte[REQ_BYTES];
    int good = 0;
    for (int i = 0; i < 100_000; i++) {
      random.nextBytes(data);
      data[0] = (byte) (i % 2);
      data[1] = (byte) (i % 7 * 0x10);
      if (CmaHeader.refusal(data) == null) {
        CmaHeader read = CmaHeader.read(data);
        assertEquals(
            read, CmaHeader.read(Arrays.copyOf(read.before(new byte[0], CmKind.REQ), REQ_BYTES)));
        good++;
      }
    }
    assertEquals(true, good > 1_000, "few were headers: " + good);
  }
}
