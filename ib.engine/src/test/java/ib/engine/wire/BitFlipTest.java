package ib.engine.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import ib.core.wire.BthOpcode;
import ib.core.wire.DropReason;
import ib.core.wire.PayloadRule;
import ib.core.wire.Vcrc;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("F-02: every bit of one packet of each opcode is flipped")
class BitFlipTest {
  private static final int LRH = 8;
  private static final int GRH = 40;
  private static final int ETHERNET = 14;

  private final SplittableRandom random = new SplittableRandom(17);
  private final byte[] bytes = new byte[512];
  private final MemorySegment segment = MemorySegment.ofArray(bytes);
  private final Packet into = Packets.empty();
  private final RoceFrame frame = new RoceFrame();
  private final LinkCodec link = new LinkCodec();
  private final RoceCodec roce = new RoceCodec();

  private Packet packet(BthOpcode opcode) {
    PayloadRule rule = opcode.payload();
    int payload =
        switch (rule) {
          case NONE -> 0;
          case EIGHT -> 8;
          case SIXTEEN -> 16;
          default -> 61;
        };
    return Packets.random(opcode, payload, random);
  }

  private interface Decoder {
    @Nullable DropReason decode();
  }

  /** {@return the bits that may be flipped without an error of the decoder} */
  private BitSet unnoticed(int length, Decoder decoder) {
    BitSet bits = new BitSet();
    assertNull(decoder.decode(), "the packet itself is good");
    for (int bit = 0; bit < 8 * length; bit++) {
      bytes[bit / 8] ^= (byte) (0x80 >>> bit % 8);
      bits.set(bit, decoder.decode() == null);
      bytes[bit / 8] ^= (byte) (0x80 >>> bit % 8);
    }
    return bits;
  }

  private static BitSet bits(int... fromTo) {
    BitSet bits = new BitSet();
    for (int i = 0; i < fromTo.length; i += 2) {
      bits.set(fromTo[i], fromTo[i + 1]);
    }
    return bits;
  }

  @ParameterizedTest
  @EnumSource(BthOpcode.class)
  @DisplayName("IBA 7.8.2: on a link the VCRC catches each of them")
  void link(BthOpcode opcode) {
    for (boolean global : new boolean[] {false, true}) {
      Packet p = packet(opcode);
      p.global = global;
      int length = link.encode(p, segment, 0);
      assertEquals(bits(), unnoticed(length, () -> link.decode(segment, 0, length, into)));
    }
  }

  @ParameterizedTest
  @EnumSource(BthOpcode.class)
  @DisplayName(
      "IBA 7.8.1: behind a switch that made a new VCRC the ICRC does, but for variant fields")
  void switched(BthOpcode opcode) {
    for (boolean global : new boolean[] {false, true}) {
      Packet p = packet(opcode);
      p.global = global;
      int length = link.encode(p, segment, 0);
      int covered = length - Vcrc.BYTES;
      BitSet unnoticed =
          unnoticed(
              covered,
              () -> {
                Vcrc.store(segment, covered, Vcrc.of(segment, 0, covered));
                return link.decode(segment, 0, length, into);
              });
      int bth = 8 * (LRH + (global ? GRH : 0));
      BitSet variant = bits(bth + 32, bth + 40); // FECN, BECN, Resv6a
      variant.or(
          global
              // LRH without LVer, LNH and PktLen, which must be right; TClass, FlowLabel; HopLmt
              ? bits(0, 4, 8, 14, 16, 32, 32, 37, 48, 64, 68, 96, 120, 128)
              : bits(0, 4)); // VL
      assertEquals(variant, unnoticed, "global " + global);
    }
  }

  @ParameterizedTest
  @EnumSource(BthOpcode.class)
  @DisplayName("IBA A17.3.3: in RoCEv2 the ICRC or the IP checksum does, but for variant fields")
  void roce(BthOpcode opcode) {
    for (boolean four : new boolean[] {false, true}) {
      Packet p = packet(opcode);
      if (four) {
        p.sgidHigh = 0;
        p.dgidHigh = 0;
        p.sgidLow = 0xffff_0a4e_0002L;
        p.dgidLow = 0xffff_0a4e_0003L;
      }
      int length = roce.encode(p, frame, segment, 0);
      int ip = 8 * ETHERNET;
      int udp = ip + 8 * (four ? 20 : 40);
      BitSet variant = bits(0, 96); // addresses of Ethernet, whose own CRC covers them
      variant.or(bits(udp + 48, udp + 64, udp + 64 + 32, udp + 64 + 40)); // checksum; FECN, BECN
      if (!four) {
        variant.or(bits(ip + 4, ip + 32, ip + 56, ip + 64)); // traffic class, flow label; hop limit
      }
      assertEquals(variant, unnoticed(length, () -> roce.decode(segment, 0, length, into, frame)));
    }
  }
}
