package ib.core.verbs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("GIDs as text and bytes")
class GidTest {

  /**
   * The first two are what ibv_devinfo -v prints on a Linux host; the rest is what inet_ntop gives.
   */
  @ParameterizedTest(name = "inet_ntop: {0}")
  @CsvSource({
    "fe80::5054:ff:fe12:3456, fe80000000000000505400fffe123456",
    "::ffff:10.77.0.2, 00000000000000000000ffff0a4d0002",
    "::, 00000000000000000000000000000000",
    "::1, 00000000000000000000000000000001",
    "::1.2.3.4, 00000000000000000000000001020304",
    "::255.255.255.255, 000000000000000000000000ffffffff",
    "ff12:401b:ffff::1, ff12401bffff00000000000000000001",
    "1:0:0:2::3, 00010000000000020000000000000003",
    "1::2:3:0:0:4, 00010000000000020003000000000004",
    "2001:db8:0:1:2:3:4:5, 20010db8000000010002000300040005",
    "1:2:3:4:5:6:7:0, 00010002000300040005000600070000",
    "1:2:3:4:5:6::, 00010002000300040005000600000000",
    "::2:3:4:5:6:7, 00000000000200030004000500060007",
  })
  void textBothWays(String text, String hex) {
    Gid gid = Gid.of(HexFormat.of().parseHex(hex));
    assertEquals(text, gid.toString());
    assertEquals(hex, gid.toHex32());
    assertEquals(gid, Gid.parse(text));
    assertEquals(gid, Gid.parse(hex));
    assertEquals(gid, Gid.parse(hex.toUpperCase(Locale.ROOT)));
  }

  @ParameterizedTest(name = "GID: refused: [{0}]")
  @ValueSource(
      strings = {
        "",
        "1",
        "localhost",
        "10.0.0.1",
        "fe80::1%eth0",
        "[::1]",
        "1:2",
        "::g",
        ":::",
        "1::2::3",
        "::ffff:10.1",
        "1:2:3:4:5:6:7:8:9",
        "fe8000000000000050540 0fffe123456",
        " ::1"
      })
  void refusesOtherText(String text) {
    assertThrows(IbInvalidException.class, () -> Gid.parse(text));
  }

  @Test
  @DisplayName("GID: random GIDs of any zero pattern survive text and bytes, as the JDK reads them")
  void roundTrip() throws UnknownHostException {
    Random random = new Random(7);
    for (int round = 0; round < 4096; round++) {
      byte[] bytes = new byte[16];
      for (int word = 0; word < 8; word++) {
        if ((round >> word & 1) != 0) {
          bytes[2 * word] = (byte) random.nextInt(4);
          bytes[2 * word + 1] = (byte) random.nextInt(256);
        }
      }
      Gid gid = Gid.of(bytes);
      assertArrayEquals(bytes, gid.toBytes());
      assertEquals(gid, Gid.parse(gid.toString()));
      assertEquals(gid, Gid.parse(gid.toHex32()));
      // an independent reader
      assertEquals(InetAddress.getByAddress(bytes), InetAddress.ofLiteral(gid.toString()));
    }
  }

  @Test
  @DisplayName("GID: prefix and interface identifier are the two halves in network order")
  void halves() {
    Gid gid = Gid.parse("fe80::5054:ff:fe12:3456");
    assertEquals(0xfe80_0000_0000_0000L, gid.subnetPrefix());
    assertEquals(0x5054_00ff_fe12_3456L, gid.interfaceId());
    assertEquals(gid, Gid.linkLocal(0x5054_00ff_fe12_3456L));
    assertEquals(Gid.ZERO, new Gid(0, 0));
  }

  @Test
  @DisplayName("GID: a multicast GID begins with ff")
  void kinds() {
    assertTrue(Gid.parse("ff12:401b:ffff::1").isMulticast());
    assertFalse(Gid.parse("fe80::1").isMulticast());
    assertTrue(Gid.parse("::ffff:239.1.2.3").isIpv4Mapped());
    assertFalse(Gid.parse("::fffe:239.1.2.3").isIpv4Mapped());
    assertFalse(Gid.parse("1::ffff:239.1.2.3").isIpv4Mapped());
  }

  @Test
  @DisplayName("GID: a GID has 16 bytes")
  void length() {
    assertThrows(IbInvalidException.class, () -> Gid.of(new byte[15]));
    assertThrows(IbInvalidException.class, () -> Gid.of(new byte[17]));
  }
}
