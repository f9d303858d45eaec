package ib.engine.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import ib.core.wire.BthOpcode;
import ib.core.wire.DropReason;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("IBA chapters 5 to 9: what is written is read again, every field of every opcode")
class RoundTripTest {
  private static final int ROUNDS = 200;

  private final SplittableRandom random = new SplittableRandom(3);
  private final MemorySegment bytes = MemorySegment.ofArray(new byte[8192]);
  private final Packet read = Packets.empty();

  private int payload(BthOpcode opcode) {
    return switch (opcode.payload()) {
      case NONE -> 0;
      case EIGHT -> 8;
      case SIXTEEN -> 16;
      case FULL -> 256 << random.nextInt(5);
      case REST -> 1 + random.nextInt(4096);
      case ANY -> random.nextInt(4097);
    };
  }

  @ParameterizedTest
  @EnumSource(BthOpcode.class)
  @DisplayName("InfiniBand link, with and without GRH")
  void link(BthOpcode opcode) {
    LinkCodec codec = new LinkCodec();
    for (int i = 0; i < ROUNDS; i++) {
      Packet sent = Packets.random(opcode, payload(opcode), random);
      sent.global = random.nextBoolean();
      int length = codec.encode(sent, bytes, i);
      assertNull(codec.decode(bytes, i, length, read));
      assertSame(sent);
      assertEquals(sent.slid, read.slid);
      assertEquals(sent.dlid, read.dlid);
      assertEquals(sent.sl, read.sl);
      assertEquals(sent.global, read.global);
      if (sent.global) {
        assertSameRoute(sent);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(BthOpcode.class)
  @DisplayName("RoCEv2, IPv4 and IPv6")
  void roce(BthOpcode opcode) {
    RoceCodec codec = new RoceCodec();
    RoceFrame out = new RoceFrame();
    RoceFrame in = new RoceFrame();
    for (int i = 0; i < ROUNDS; i++) {
      Packet sent = Packets.random(opcode, payload(opcode), random);
      if (random.nextBoolean()) {
        sent.sgidHigh = 0;
        sent.dgidHigh = 0;
        sent.sgidLow = 0xffffL << 32 | random.nextInt(1 << 30);
        sent.dgidLow = 0xffffL << 32 | random.nextInt(1 << 30);
        sent.flowLabel = 0; // IPv4 has none
        out.identification = random.nextInt(1 << 16);
        out.dontFragment = random.nextBoolean();
      } else {
        out.identification = 0;
        out.dontFragment = true;
      }
      out.sourcePort = random.nextInt(1 << 16);
      out.sourceMac = random.nextLong(1L << 48);
      out.destinationMac = random.nextLong(1L << 48);
      out.udpChecksum = random.nextInt(1 << 16);
      int length = codec.encode(sent, out, bytes, i);
      assertNull(codec.decode(bytes, i, length, read, in));
      assertSame(sent);
      assertSameRoute(sent);
      assertEquals(out.identification, in.identification);
      assertEquals(out.dontFragment, in.dontFragment);
      assertEquals(out.sourcePort, in.sourcePort);
      assertEquals(out.sourceMac, in.sourceMac);
      assertEquals(out.destinationMac, in.destinationMac);
      assertEquals(out.udpChecksum, in.udpChecksum);
    }
  }

  @Test
  @DisplayName("IBA 7.8.1: a packet whose bits were flipped on the way has a wrong ICRC")
  void damaged() {
    LinkCodec codec = new LinkCodec();
    Packet p = Packets.random(BthOpcode.RC_SEND_ONLY, 64, random);
    p.damaged = true;
    int length = codec.encode(p, bytes, 0);
    assertEquals(DropReason.ICRC, codec.decode(bytes, 0, length, read));
  }

  @Test
  @DisplayName("D6: a payload whose arena was closed is a number, not an exception")
  void payloadGone() {
    Packet p = Packets.random(BthOpcode.RC_SEND_ONLY, 0, random);
    try (Arena arena = Arena.ofShared()) {
      p.payload.add(arena.allocate(64), 0, 64);
    }
    assertEquals(LinkCodec.PAYLOAD_GONE, new LinkCodec().encode(p, bytes, 0));
    assertEquals(LinkCodec.PAYLOAD_GONE, new RoceCodec().encode(p, new RoceFrame(), bytes, 0));
  }

  private void assertSame(Packet sent) {
    assertEquals(Packets.transport(sent), Packets.transport(read));
    assertEquals(Packets.payload(sent), Packets.payload(read));
    assertEquals(1, read.psnCount);
  }

  private void assertSameRoute(Packet sent) {
    assertEquals(sent.trafficClass, read.trafficClass);
    assertEquals(sent.flowLabel, read.flowLabel);
    assertEquals(sent.hopLimit, read.hopLimit);
    assertEquals(sent.sgidHigh, read.sgidHigh);
    assertEquals(sent.sgidLow, read.sgidLow);
    assertEquals(sent.dgidHigh, read.dgidHigh);
    assertEquals(sent.dgidLow, read.dgidLow);
  }

  @Test
  @DisplayName("what cannot be written is a number, not an exception: no room, no packet (D5)")
  void refusals() {
    LinkCodec link = new LinkCodec();
    RoceCodec roce = new RoceCodec();
    RoceFrame frame = new RoceFrame();
    Packet p = Packets.random(BthOpcode.RC_SEND_ONLY, 5, random);
    MemorySegment small = bytes.asSlice(0, 33);
    assertEquals(34, link.encode(p, bytes.asSlice(0, 34), 0));
    assertEquals(LinkCodec.NO_ROOM, link.encode(p, small, 0));
    assertEquals(LinkCodec.NO_ROOM, link.encode(p, bytes, -1));
    assertEquals(LinkCodec.NO_ROOM, link.encode(p, bytes, Long.MAX_VALUE));
    assertEquals(LinkCodec.NO_ROOM, roce.encode(p, frame, small, 0));
    assertEquals(LinkCodec.NO_ROOM, roce.encode(p, frame, bytes, 8192));
    p.opcode = 0x15;
    assertEquals(LinkCodec.NOT_A_PACKET, link.encode(p, bytes, 0));
    assertEquals(LinkCodec.NOT_A_PACKET, roce.encode(p, frame, bytes, 0));
    Packet jumbo = Packets.random(BthOpcode.RC_SEND_ONLY, 4097, random);
    assertEquals(LinkCodec.NOT_A_PACKET, link.encode(jumbo, bytes, 0));
    assertEquals(LinkCodec.NOT_A_PACKET, roce.encode(jumbo, frame, bytes, 0));
    assertEquals(LinkCodec.NOT_A_PACKET, DatagramCodec.length(jumbo));
  }
}
