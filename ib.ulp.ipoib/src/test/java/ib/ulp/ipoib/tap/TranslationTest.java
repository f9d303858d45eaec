package ib.ulp.ipoib.tap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.Gid;
import ib.ulp.ipoib.wire.AddressOption;
import ib.ulp.ipoib.wire.Checksum;
import ib.ulp.ipoib.wire.Ip;
import ib.ulp.ipoib.wire.IpPacket;
import ib.ulp.ipoib.wire.LinkAddress;
import ib.ulp.ipoib.wire.Octets;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("TAP: what is rewritten between Ethernet and InfiniBand (3.3, W12)")
class TranslationTest {
  private static final LinkAddress OWN = new LinkAddress(0, 0x48, Gid.parse("fe80::2:c903:10:11"));
  private static final LinkAddress PEER = new LinkAddress(0, 0x49, Gid.parse("fe80::2:c903:20:21"));
  private static final Ip FROM = Ip.parse("fe80::1");
  private static final Ip TO = Ip.parse("fe80::2");

  private final MacTable table = new MacTable();
  private final MemorySegment s = MemorySegment.ofArray(new byte[1024]);
  private final MemorySegment t = MemorySegment.ofArray(new byte[1024]);
  private final IpPacket ip = new IpPacket();

  private int neighbour(int type, byte[] option, Ip from, Ip to) {
    int length = 24 + option.length;
    int at = IpPacket.write(s, 0, from, to, IpPacket.ICMPV6, length, 255);
    Octets.u32(s, at, type << 24);
    Octets.u32(s, at + 4, 0);
    Octets.ip(s, at + 8, to);
    MemorySegment.copy(MemorySegment.ofArray(option), 0, s, at + 24, option.length);
    long pseudo = Checksum.pseudo(from, to, IpPacket.ICMPV6, length);
    Octets.u16(s, at + 2, Checksum.fold(Checksum.sum(s, at, length, pseudo)));
    assertTrue(ip.read(s, 0, at + length));
    return at + length;
  }

  private static String hex(MemorySegment from, long at, long length) {
    return HexFormat.of().formatHex(from.asSlice(at, length).toArray(ValueLayout.JAVA_BYTE));
  }

  @ParameterizedTest(name = "type {0}, option {1}")
  @CsvSource({"135, 1", "136, 2"})
  @DisplayName(
      "W6: options of NS and NA grow to 24 bytes and shrink back; others stay; checksums hold")
  void discovery(int type, int option) {
    long mac = MacTable.mac(OWN);
    byte[] nonceAndAddress = new byte[16];
    MemorySegment options = MemorySegment.ofArray(nonceAndAddress);
    Octets.u64(options, 0, 0x0e01_1122_3344_5566L);
    Octets.u16(options, 8, option << 8 | 1);
    Octets.u48(options, 10, mac);
    int length = neighbour(type, nonceAndAddress, FROM, TO);
    assertTrue(Discovery.is(s, ip));

    int out = Discovery.rewrite(s, ip, 0, t, true, new Discovery.Side(table, OWN, mac));
    assertEquals(length + 16, out);
    IpPacket sent = new IpPacket();
    assertTrue(sent.read(t, 0, out));
    assertTrue(sent.checksumHolds(t));
    assertEquals(OWN, AddressOption.find(t, sent.payloadAt() + 24, out, option));
    assertEquals(0x0e01_1122_3344_5566L, Octets.u64(t, sent.payloadAt() + 24));

    // and at the other end, where the sender is a peer
    MacTable there = new MacTable();
    int in =
        Discovery.rewrite(
            t, sent, 0, s, false, new Discovery.Side(there, PEER, MacTable.mac(PEER)));
    assertEquals(length, in);
    assertTrue(ip.read(s, 0, in));
    assertTrue(ip.checksumHolds(s));
    assertEquals(mac, Octets.u48(s, ip.payloadAt() + 24 + 10));
    assertEquals(OWN, there.end(mac), "learned");
  }

  @Test
  @DisplayName("RFC 4861 4.6: malformed options are refused; an unknown address is left out")
  void malformed() {
    neighbour(135, new byte[8], FROM, TO);
    assertEquals(-1, Discovery.rewrite(s, ip, 0, t, true, new Discovery.Side(table, OWN, 1)));
    byte[] stranger = {1, 1, 2, 3, 4, 5, 6, 7};
    int length = neighbour(135, stranger, FROM, TO);
    assertEquals(
        length - 8, Discovery.rewrite(s, ip, 0, t, true, new Discovery.Side(table, OWN, 1)));
  }

  @Test
  @DisplayName(
      "Ethernet addresses: local, unicast, one per GUID and queue pair; the table is bounded")
  void macs() {
    Random random = new Random(5);
    TreeMap<Long, LinkAddress> seen = new TreeMap<>();
    for (int i = 0; i < 20_000; i++) {
      LinkAddress end =
          new LinkAddress(0, random.nextInt(1 << 24), Gid.linkLocal(0x2c903_00000000L + i));
      long mac = table.learn(end);
      assertEquals(2, mac >>> 40 & 3, "locally administered, unicast");
      assertNull(seen.put(mac, end), "no two have the same");
    }
    assertNull(
        table.end(
            seen.entrySet().stream()
                .filter(e -> e.getValue().gid().low() == 0x2c903_00000000L)
                .findFirst()
                .orElseThrow()
                .getKey()),
        "the oldest went");
    assertEquals(16_384, table.list().size());
    assertNotEquals(MacTable.mac(OWN), MacTable.mac(new LinkAddress(0, 0x4a, OWN.gid())), "D5");
  }

  private int dhcp(int operation, int ciaddr, String options) {
    byte[] more = HexFormat.of().parseHex(options);
    int udp = 8 + 240 + more.length;
    Ip from = Ip.parse(operation == 1 ? "0.0.0.0" : "10.0.0.1");
    int at = IpPacket.write(s, 0, from, Ip.v4(-1), IpPacket.UDP, udp, 64);
    s.asSlice(at, udp).fill((byte) 0);
    Octets.u32(s, at, operation == 1 ? 68 << 16 | 67 : 67 << 16 | 68);
    Octets.u16(s, at + 4, udp);
    Octets.u32(s, at + 8, operation << 24 | 0x010600);
    Octets.u32(s, at + 8 + 12, ciaddr);
    Octets.u48(s, at + 8 + 28, 0x021122334455L);
    Octets.u32(s, at + 8 + 236, 0x63825363);
    MemorySegment.copy(MemorySegment.ofArray(more), 0, s, at + 248, more.length);
    assertTrue(ip.read(s, 0, at + udp));
    assertTrue(Dhcp.is(s, ip));
    return at + udp;
  }

  @Test
  @DisplayName(
      "W12: DISCOVER: htype 32, hlen 0, no chaddr, BROADCAST, an identifier is added (RFC 4390 2)")
  void discover() {
    int length = dhcp(1, 0, "350101" + "ff");
    int out = Dhcp.outward(s, ip, 0, t, OWN);
    assertEquals(length + 19, out);
    IpPacket sent = new IpPacket();
    assertTrue(sent.read(t, 0, out));
    assertTrue(sent.checksumHolds(t));
    long bootp = sent.payloadAt() + 8;
    assertEquals("012000", hex(t, bootp, 3));
    assertEquals(0x8000, Octets.u16(t, bootp + 10));
    assertEquals("00".repeat(16), hex(t, bootp + 28, 16));
    String duid = "3d11ff" + "00100011" + "00030020" + "0002c90300100011".substring(0, 16);
    assertEquals("350101" + duid + "ff", hex(t, bootp + 240, 3 + 19 + 1));
  }

  @Test
  @DisplayName("W12: a renewing client gets no BROADCAST; an existing identifier stays")
  void renew() {
    int length = dhcp(1, 0x0a000005, "350103" + "3d0701021122334455" + "ff");
    int out = Dhcp.outward(s, ip, 0, t, OWN);
    assertEquals(length, out);
    long bootp = ip.payloadAt() + 8;
    assertEquals(0, Octets.u16(t, bootp + 10));
    assertEquals("3503013d07".substring(0, 2), hex(t, bootp + 240, 1));
    assertEquals("3d0701021122334455", hex(t, bootp + 243, 9));
  }

  @Test
  @DisplayName(
      "W12: to plain clients and servers of the kernel: htype 1, hlen 6, an Ethernet address")
  void inward() {
    dhcp(2, 0, "350102ff");
    int out = Dhcp.outward(s, ip, 0, t, OWN); // a server's answer as it crosses the link
    assertTrue(ip.read(t, 0, out));
    int in = Dhcp.inward(t, ip, 0, s, 0x02aabbccddeeL);
    assertTrue(ip.read(s, 0, in));
    assertTrue(ip.checksumHolds(s));
    assertEquals("020106", hex(s, ip.payloadAt() + 8, 3));
    assertEquals("02aabbccddee" + "00".repeat(10), hex(s, ip.payloadAt() + 8 + 28, 16));
    assertFalse(Dhcp.isRequest(s, ip));
  }

  private Map<String, Boolean> reports(int protocol, String payload, boolean six) {
    byte[] bytes = HexFormat.of().parseHex(payload.replace(" ", ""));
    Ip from = six ? FROM : Ip.parse("10.0.0.1");
    Ip to = six ? Ip.parse("ff02::16") : Ip.parse("224.0.0.22");
    int at = IpPacket.write(s, 0, from, to, protocol, bytes.length, 1);
    MemorySegment.copy(MemorySegment.ofArray(bytes), 0, s, at, bytes.length);
    assertTrue(ip.read(s, 0, at + bytes.length));
    Map<String, Boolean> heard = new TreeMap<>();
    Reports.read(s, ip, (group, on) -> heard.put(group.toString(), on));
    return heard;
  }

  @Test
  @DisplayName("P4: groups are read from IGMP 2 and 3 and MLD 1 and 2 reports")
  void reports() {
    assertEquals(Map.of("239.1.1.1", true), reports(IpPacket.IGMP, "16000000 ef010101", false));
    assertEquals(Map.of("239.1.1.1", false), reports(IpPacket.IGMP, "17000000 ef010101", false));
    assertEquals(
        Map.of("239.1.1.1", true, "239.1.1.2", false, "239.1.1.3", true),
        reports(
            IpPacket.IGMP,
            "22000000 00000003 04000000 ef010101 03000000 ef010102 01000001 ef010103 0a000001",
            false));
    String group = "ff0200000000000000000001ff100011";
    assertEquals(
        Map.of("ff02::1:ff10:11", true),
        reports(IpPacket.ICMPV6, "8f000000 00000001 04000000" + group, true));
    assertEquals(
        Map.of("ff02::1:ff10:11", false),
        reports(IpPacket.ICMPV6, "84000000 00000000" + group, true));
    assertEquals(Map.of(), reports(IpPacket.IGMP, "22000000 0000ffff 04", false), "cut");
  }

  @Test
  @DisplayName(
      "queries are well-formed: version 3 of IGMP, 2 of MLD with the router alert (RFC 3376, 3810)")
  void queries() {
    int length = Reports.queryV4(s, 0);
    assertTrue(ip.read(s, 0, length));
    assertEquals(0, Checksum.fold(Checksum.sum(s, ip.payloadAt(), ip.payloadLength(), 0)));
    length = Reports.queryV6(s, 0);
    assertEquals("3a00050200000100", hex(s, 40, 8));
    assertTrue(ip.read(s, 0, length));
    assertEquals(IpPacket.ICMPV6, ip.protocol());
    assertTrue(ip.checksumHolds(s));
  }

  @Test
  @DisplayName("decoders are total: 100,000 random packets")
  void total() {
    Random random = new Random(3);
    byte[] bytes = new byte[400];
    MemorySegment input = MemorySegment.ofArray(bytes);
    for (int i = 0; i < 100_000; i++) {
      random.nextBytes(bytes);
      int length = random.nextInt(400);
      boolean six = i % 2 == 0;
      bytes[0] = (byte) (six ? 0x60 : 0x45);
      Octets.u16(input, six ? 4 : 2, six ? Math.max(0, length - 40) : length);
      bytes[six ? 6 : 9] = (byte) (six ? 58 : i % 3 == 0 ? 17 : 2);
      bytes[7] = (byte) 255;
      if (!six) {
        Octets.u16(input, 6, 0);
        Octets.u16(input, 10, 0);
        Octets.u16(input, 10, Checksum.fold(Checksum.sum(input, 0, 20, 0)));
        Octets.u32(input, 20, 68 << 16 | 67);
        Octets.u16(input, 24, length - 20);
        Octets.u32(input, 20 + 8 + 236, 0x63825363);
      } else {
        bytes[40] = (byte) (130 + random.nextInt(14));
      }
      if (ip.read(input, 0, length)) {
        Reports.read(input, ip, (group, on) -> {});
        if (Discovery.is(input, ip)) {
          Discovery.rewrite(input, ip, 0, t, true, new Discovery.Side(table, OWN, 1));
          Discovery.rewrite(input, ip, 0, t, false, new Discovery.Side(table, OWN, 1));
        }
        if (Dhcp.is(input, ip)) {
          Dhcp.outward(input, ip, 0, t, OWN);
        }
      }
    }
  }
}
