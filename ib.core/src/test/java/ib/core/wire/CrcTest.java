package ib.core.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import java.util.SplittableRandom;
import java.util.zip.CRC32;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class CrcTest {
  /** The sample packet of IBA 7.8.3: LRH, BTH and payload, without its CRCs. */
  private static final String SAMPLE =
      "7012375c000e17d20a2024870087b1b3000dec2a01710a1c015d4002"
          + "38f27a050000000ebb884d85fd5cfba4728bc0690ed40000";

  @Test
  @DisplayName("IBA 7.8.3: the ICRC of the specification's sample packet is 96 25 B7 5A")
  void sampleIcrc() {
    byte[] packet = HexFormat.of().parseHex(SAMPLE + "00000000");
    MemorySegment bytes = MemorySegment.ofArray(packet);
    int length = packet.length - Lrh.BYTES - Icrc.BYTES;
    int icrc = new Icrc().of(Icrc.Network.LOCAL, bytes, 0, bytes, Lrh.BYTES, length);
    Icrc.store(bytes, packet.length - 4, icrc);
    assertEquals(SAMPLE + "9625b75a", HexFormat.of().formatHex(packet));
    assertEquals(icrc, Icrc.load(bytes, packet.length - 4));
  }

  @Test
  @DisplayName(
      "IBA 7.8.2: the VCRC of that packet, as a shift register of x^16+x^12+x^3+x+1 has it")
  void sampleVcrc() {
    byte[] packet = HexFormat.of().parseHex(SAMPLE + "9625b75a" + "0000");
    MemorySegment bytes = MemorySegment.ofArray(packet);
    int vcrc = Vcrc.of(bytes, 0, packet.length - 2);
    assertEquals(shifted(packet, packet.length - 2), vcrc);
    assertEquals(0xfa45, vcrc);
    Vcrc.store(bytes, packet.length - 2, vcrc);
    assertEquals(0x45, packet[packet.length - 2], "least significant byte first");
    assertEquals(vcrc, Vcrc.load(bytes, packet.length - 2));
  }

  /** Bit by bit, most significant coefficient at the left, as the figure of IBA 7.8.2 draws it. */
  private static int shifted(byte[] packet, int length) {
    int register = 0xffff;
    for (int i = 0; i < 8 * length; i++) {
      int bit = packet[i / 8] >>> i % 8 & 1; // bit 0 of each byte is sent first
      int out = register >>> 15 ^ bit;
      register = register << 1 & 0xffff ^ (out != 0 ? 0x100b : 0);
    }
    return ~Integer.reverse(register) >>> 16 & 0xffff;
  }

  @Test
  @DisplayName("IBA A17.3.3: masked fields do not count, and a long packet is one of many chunks")
  void ipv6() {
    SplittableRandom random = new SplittableRandom(7);
    for (int length : new int[] {12, 13, 4000, 4040, 4041, 9000}) {
      byte[] packet = new byte[48 + length];
      random.nextBytes(packet);
      byte[] masked = new byte[8 + packet.length];
      System.arraycopy(packet, 0, masked, 8, packet.length);
      for (int at : new int[] {0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 15, 54, 55, 60}) {
        masked[at] = (byte) 0xff;
      }
      masked[8] |= 0x0f;
      CRC32 crc = new CRC32();
      crc.update(masked);
      MemorySegment bytes = MemorySegment.ofArray(packet);
      Icrc icrc = new Icrc();
      int value = icrc.of(Icrc.Network.IPV6, bytes, 0, bytes, 48, length);
      assertEquals((int) crc.getValue(), value);
      bytes.set(ValueLayout.JAVA_BYTE, 7, (byte) ~packet[7]); // hop limit
      bytes.set(ValueLayout.JAVA_BYTE, 52, (byte) ~packet[52]); // FECN, BECN
      assertEquals(value, icrc.of(Icrc.Network.IPV6, bytes, 0, bytes, 48, length));
      bytes.set(ValueLayout.JAVA_BYTE, 53, (byte) ~packet[53]); // destination QP
      assertEquals(
          false, value == icrc.of(Icrc.Network.IPV6, bytes, 0, bytes, 48, length), "covered");
    }
  }
}
