package ib.ulp.ipoib.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.Gid;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("IPoIB on the wire: W1 to W14")
class WireTest {
  private static final LinkAddress HERE =
      new LinkAddress(0x80, 0x48, Gid.parse("fe80::2:c903:10:11"));
  private static final LinkAddress THERE =
      new LinkAddress(0, 0xabcdef, Gid.parse("fe80::2:c903:20:21"));

  private static MemorySegment hex(String text) {
    return MemorySegment.ofArray(HexFormat.of().parseHex(text.replace(" ", "")));
  }

  private static String hex(MemorySegment s) {
    return HexFormat.of().formatHex(s.toArray(java.lang.foreign.ValueLayout.JAVA_BYTE));
  }

  private static MemorySegment bytes(int count) {
    return MemorySegment.ofArray(new byte[count]);
  }

  @ParameterizedTest
  @CsvSource({"2048, 08000000", "2054, 08060000", "32821, 80350000", "34525, 86dd0000"})
  @DisplayName("W1: four types, reserved sent as 0 and ignored when received")
  void encapsulation(int type, String wire) {
    MemorySegment s = bytes(4);
    Encapsulation.write(s, 0, type);
    assertEquals(wire, hex(s));
    Octets.u16(s, 2, 0xffff);
    assertEquals(type, Encapsulation.type(s, 0));
    assertTrue(Encapsulation.carries(type));
    assertFalse(Encapsulation.carries(type + 1));
  }

  @Test
  @DisplayName("W4: a link address has 20 bytes; reserved flags are ignored")
  void linkAddress() {
    MemorySegment s = hex("bf000048 fe80000000000000 0002c90300100011");
    assertEquals(HERE, LinkAddress.read(s, 0));
    MemorySegment back = bytes(20);
    HERE.write(back, 0);
    assertEquals("80000048fe800000000000000002c90300100011", hex(back));
    assertEquals("80:00:00:48:fe:80:00:00:00:00:00:00:00:02:c9:03:00:10:00:11", HERE.toString());
    assertEquals(new LinkAddress(0, 0x48, HERE.gid()), HERE.plain());
  }

  @Test
  @DisplayName("W5: ARP of hardware type 32, 56 bytes")
  void arp() {
    Arp reply = new Arp(Arp.REPLY, HERE, 0x0a600002, THERE, 0x0a600001);
    MemorySegment s = bytes(56);
    reply.write(s, 0);
    assertEquals(
        "0020080014040002"
            + "80000048fe800000000000000002c90300100011"
            + "0a600002"
            + "00abcdeffe800000000000000002c90300200021"
            + "0a600001",
        hex(s));
    assertEquals(reply, Arp.read(s, 0, 56));
    assertNull(Arp.read(s, 0, 55), "too short");
    for (int field : new int[] {0, 2, 4, 5}) {
      MemorySegment wrong =
          MemorySegment.ofArray(s.toArray(java.lang.foreign.ValueLayout.JAVA_BYTE));
      Octets.u8(wrong, field, 0x77);
      assertNull(Arp.read(wrong, 0, 56), "field " + field);
    }
  }

  @Test
  @DisplayName("W6: address option of neighbour discovery, 24 bytes, two zero ones first")
  void option() {
    MemorySegment s = bytes(32);
    Octets.u16(s, 0, 0x0e01); // a nonce option stands before it
    AddressOption.write(s, 8, AddressOption.SOURCE, THERE);
    assertEquals(
        "0e01000000000000" + "01030000" + "00abcdeffe800000000000000002c90300200021", hex(s));
    assertEquals(THERE, AddressOption.find(s, 0, 32, AddressOption.SOURCE));
    assertNull(AddressOption.find(s, 0, 32, AddressOption.TARGET), "no such option");
    assertNull(AddressOption.find(s, 0, 31, AddressOption.SOURCE), "cut");
    Octets.u8(s, 1, 0);
    assertNull(AddressOption.find(s, 0, 32, AddressOption.SOURCE), "RFC 4861 4.6: length 0");
  }

  @ParameterizedTest(name = "P_Key {0}: {1}")
  @CsvSource({
    "0xffff, ff12:401b:ffff::ffff:ffff",
    "0x8001, ff12:401b:8001::ffff:ffff",
    "0x0001, ff12:401b:8001::ffff:ffff"
  })
  @DisplayName("W7, I11: broadcast group; the membership bit is always set")
  void broadcast(String pkey, String gid) {
    assertEquals(Gid.parse(gid), Groups.broadcast(Integer.decode(pkey), Groups.LINK_LOCAL));
  }

  @ParameterizedTest(name = "{0} on P_Key {1}, scope {2}: {3}")
  @CsvSource({
    "224.0.0.2, 0x8000, 2, ff12:401b:8000::2",
    "ff02::2, 0x8000, 2, ff12:601b:8000::2",
    "239.255.1.2, 0xffff, 2, ff12:401b:ffff::fff:102",
    "224.0.0.22, 0x8001, 5, ff15:401b:8001::16",
    "ff02::1:ff10:11, 0xffff, 2, ff12:601b:ffff::1:ff10:11",
    "ff0e:1:2:3:4:5:6:7, 0xffff, 2, ff12:601b:ffff:3:4:5:6:7",
  })
  @DisplayName(
      "W8, W9, W10: groups of IPv4 (28 bits) and IPv6 (80 bits), scope of the broadcast group")
  void groups(String group, String pkey, int scope, String gid) {
    Gid broadcast = Groups.broadcast(Integer.decode(pkey), scope);
    Gid mapped = Groups.of(Ip.parse(group), broadcast);
    assertEquals(Gid.parse(gid), mapped);
    assertTrue(Groups.onLink(mapped, broadcast));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ff12:401b:8001::1", // another partition
        "ff15:401b:ffff::1", // another scope
        "ff12:501b:ffff::1", // another signature
        "ff02:401b:ffff::1", // not transient
        "ff12:401b:ffff:0:1::1", // reserved bits
        "fe80::1"
      })
  @DisplayName("W10: groups that do not belong to the link")
  void offLink(String gid) {
    assertFalse(Groups.onLink(Gid.parse(gid), Groups.broadcast(0xffff, Groups.LINK_LOCAL)));
  }

  @Test
  @DisplayName("W11: interface identifiers of a GUID, and stable opaque ones (RFC 7217)")
  void interfaceIds() {
    assertEquals(0x0202_c903_0010_0011L, InterfaceId.ofGuid(0x0002_c903_0010_0011L));
    assertEquals(0x0202_c903_0010_0011L, InterfaceId.ofGuid(0x0202_c903_0010_0011L));
    byte[] secret = {1, 2, 3};
    long one = InterfaceId.opaque(0xfe80L << 48, HERE, 0, secret);
    assertEquals(one, InterfaceId.opaque(0xfe80L << 48, HERE, 0, secret), "stable");
    assertEquals(
        one,
        InterfaceId.opaque(0xfe80L << 48, new LinkAddress(0, 9, HERE.gid()), 0, secret),
        "a new QPN after a restart changes nothing");
    assertNotEquals(one, InterfaceId.opaque(0xfe80L << 48, HERE, 1, secret));
    assertNotEquals(one, InterfaceId.opaque(0x2001L << 48, HERE, 0, secret));
    assertNotEquals(one, InterfaceId.opaque(0xfe80L << 48, THERE, 0, secret));
  }

  @Test
  @DisplayName("W13: private data of connected mode, as Linux sends it")
  void privateData() {
    MemorySegment s = bytes(8);
    new Connected(0x48, Connected.LINUX_RECEIVE_MTU).write(s, 0);
    assertEquals("000000480000fff4", hex(s));
    assertEquals(new Connected(0x48, 65_524), Connected.read(s, 0));
  }

  @Test
  @DisplayName("W14: service ID in Linux's form and in RFC 4755's")
  void serviceId() {
    assertEquals(0x1000_0000_0000_0048L, Connected.linuxServiceId(0x48));
    assertEquals(0x0100_0000_0000_0048L, Connected.rfcServiceId(0x48));
    assertTrue(Connected.isFor(0x1000_0000_0000_0048L, 0x48));
    assertTrue(Connected.isFor(0x0100_0000_0000_0048L, 0x48));
    assertFalse(Connected.isFor(0x0100_0000_0000_0049L, 0x48));
  }

  @Test
  @DisplayName("RFC 1071 section 3: the example, and the sum in any pieces of even length")
  void checksum() {
    MemorySegment example = hex("0001f203f4f5f6f7");
    assertEquals(0xddf2 ^ 0xffff, Checksum.fold(Checksum.sum(example, 0, 8, 0)));
    byte[] random = new byte[2001];
    new Random(7).nextBytes(random);
    MemorySegment s = MemorySegment.ofArray(random);
    long plain = 0;
    for (int i = 0; i < 2001; i++) {
      plain += (long) (random[i] & 0xff) << (i % 2 == 0 ? 8 : 0);
    }
    assertEquals(Checksum.fold(plain), Checksum.fold(Checksum.sum(s, 0, 2001, 0)));
    long pieces = Checksum.sum(s, 1002, 999, Checksum.sum(s, 0, 1002, 0));
    assertEquals(Checksum.fold(plain), Checksum.fold(pieces));
  }

  @Test
  @DisplayName("the checksum of any length from any offset is that of RFC 1071, word by word")
  void checksumOfAnyLength() {
    byte[] b = new byte[600];
    new Random(5).nextBytes(b);
    MemorySegment heap = MemorySegment.ofArray(b);
    MemorySegment outside = Arena.ofAuto().allocate(b.length).copyFrom(heap);
    for (int at = 0; at < 10; at++) {
      for (int length = 0; length < 580; length++) {
        long words = 0;
        for (int i = 0; i < length; i++) {
          words += (b[at + i] & 0xff) << (i % 2 == 0 ? 8 : 0);
        }
        for (MemorySegment s : new MemorySegment[] {heap, outside}) {
          int sum = Checksum.fold(Checksum.sum(s, at, length, 0));
          assertEquals(Checksum.fold(words), sum, at + ", " + length);
        }
      }
    }
  }

  @Test
  @DisplayName("addresses: text, nets, solicited-node groups (RFC 4291)")
  void addresses() {
    assertEquals("10.96.0.2", Ip.parse("10.96.0.2").toString());
    assertEquals("fe80::1", Ip.linkLocal(1).toString());
    assertEquals(Ip.parse("ff02::1:ff10:11"), Ip.parse("fe80::2:c903:10:11").solicitedNode());
    assertTrue(Ip.parse("10.96.0.2").sameNet(Ip.parse("10.96.0.77"), 24));
    assertFalse(Ip.parse("10.96.0.2").sameNet(Ip.parse("10.96.1.2"), 24));
    assertFalse(Ip.parse("10.96.0.2").sameNet(Ip.parse("10.96.0.3"), 32));
    assertTrue(Ip.parse("fd00::1").sameNet(Ip.parse("fd00::ffff"), 64));
    assertFalse(Ip.parse("fd00::1").sameNet(Ip.parse("fd00:0:0:1::1"), 64));
    assertTrue(Ip.parse("fd00::1").sameNet(Ip.parse("fd00::1"), 128));
    assertEquals(Ip.parse("10.96.0.255"), Ip.parse("10.96.0.2").netBroadcast(24));
    assertTrue(Ip.parse("239.1.2.3").isMulticast());
    assertTrue(Ip.parse("ff02::1").isMulticast());
    assertFalse(Ip.parse("10.1.2.3").isMulticast());
    assertTrue(Ip.parse("fe80::1").isLinkLocal());
    assertFalse(Ip.parse("fd00::1").isLinkLocal());
  }

  @Test
  @DisplayName("decoders are total: 100,000 random inputs")
  void total() {
    Random random = new Random(11);
    byte[] input = new byte[64];
    MemorySegment s = MemorySegment.ofArray(input);
    for (int i = 0; i < 100_000; i++) {
      random.nextBytes(input);
      int length = random.nextInt(65);
      if (i % 2 == 0) {
        input[0] = 0;
        input[1] = 32;
      }
      Arp.read(s, 0, length);
      AddressOption.find(s, 0, length, AddressOption.SOURCE);
    }
  }
}
