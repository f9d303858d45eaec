package ib.engine.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import ib.core.wire.BthOpcode;
import ib.core.wire.DropReason;
import ib.core.wire.EthernetHeader;
import ib.core.wire.Icrc;
import ib.core.wire.Ipv4Header;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A17: datagrams for a socket are those of the frames that Linux and Wireshark know")
class DatagramCodecTest {
  private static final int ROOM = 8192;
  private static final int AT = 24;
  private static final int PORT = 4791;

  private final Arena arena = Arena.ofConfined();
  private final MemorySegment frameBytes = arena.allocate(ROOM);
  private final MemorySegment bytes = arena.allocate(ROOM);
  private final ByteBuffer view = bytes.asByteBuffer();
  private final RoceCodec frames = new RoceCodec(true);
  private final DatagramCodec socket = new DatagramCodec(true);
  private final RoceFrame frame = new RoceFrame();

  @AfterEach
  void close() {
    arena.close();
  }

  private void flow(Packet p, int id) {
    socket.flow(
        RoceCodec.network(p),
        p.sgidHigh,
        p.sgidLow,
        p.dgidHigh,
        p.dgidLow,
        frame.sourcePort,
        PORT,
        id);
  }

  private static Packet packet(BthOpcode opcode, int payload, boolean four, SplittableRandom r) {
    Packet p = Packets.random(opcode, payload, r);
    p.sgidHigh = four ? 0 : r.nextLong() | 1;
    p.dgidHigh = four ? 0 : r.nextLong() | 1;
    p.sgidLow = four ? 0xffffL << 32 | r.nextInt() & 0xffffffffL : r.nextLong();
    p.dgidLow = four ? 0xffffL << 32 | r.nextInt() & 0xffffffffL : r.nextLong();
    return p;
  }

  @Test
  @DisplayName("A17.3.3: every opcode, IPv4 and IPv6, short and long, by turns: byte for byte")
  void same() {
    SplittableRandom random = new SplittableRandom(4791);
    int written = 0;
    for (int round = 0; round < 60; round++) {
      for (BthOpcode opcode : BthOpcode.values()) {
        int payload =
            switch (opcode.payload()) {
              case NONE -> 0;
              case EIGHT -> 8;
              case SIXTEEN -> 16;
              case FULL -> 1 << random.nextInt(8, 13);
              default -> round % 2 == 0 ? random.nextInt(1, 4097) : random.nextInt(1, 256);
            };
        boolean four = random.nextBoolean();
        Packet p = packet(opcode, payload, four, random);
        frame.sourcePort = 0xC000 | random.nextInt(0x4000);
        frame.identification = random.nextInt(1 << 16);
        frame.dontFragment = true;
        int network = four ? Icrc.Network.IPV4.bytes() : Icrc.Network.IPV6.bytes();
        int length = frames.encode(p, frame, frameBytes, 0) - EthernetHeader.BYTES - network;
        flow(p, frame.identification);
        bytes.fill((byte) 0xa5); // of what lay there nothing is left
        assertEquals(length, socket.encode(p, bytes, view, AT), opcode.name());
        long from = (long) EthernetHeader.BYTES + network;
        assertEquals(
            -1,
            MemorySegment.mismatch(frameBytes, from, from + length, bytes, AT, AT + length),
            opcode + " " + payload + (four ? " IPv4" : " IPv6"));
        Packet read = Packets.empty();
        assertNull(socket.decode(bytes, view, AT, length, read, (d, n) -> false));
        assertEquals(Packets.transport(p), Packets.transport(read));
        assertEquals(Packets.payload(p), Packets.payload(read));
        written++;
      }
    }
    assertEquals(60 * BthOpcode.values().length, written);
  }

  @Test
  @DisplayName("F2: one bit changed anywhere in a datagram is noticed")
  void damage() {
    SplittableRandom random = new SplittableRandom(1);
    for (int payload : new int[] {64, 1024}) {
      Packet p = packet(BthOpcode.RC_SEND_ONLY, payload, true, random);
      flow(p, 7);
      int length = socket.encode(p, bytes, view, AT);
      for (int bit = 0; bit < 8 * length; bit++) {
        if (bit / 8 == 4) {
          continue; // FECN, BECN, Resv6a: not covered
        }
        flip(bit);
        DropReason reason =
            socket.decode(bytes, view, AT, length, Packets.empty(), (d, n) -> false);
        assertNotEquals(null, reason, "bit " + bit);
        flip(bit);
      }
      assertNull(socket.decode(bytes, view, AT, length, Packets.empty(), (d, n) -> false));
    }
  }

  private void flip(int bit) {
    byte b = bytes.get(ValueLayout.JAVA_BYTE, AT + bit / 8);
    bytes.set(ValueLayout.JAVA_BYTE, AT + bit / 8, (byte) (b ^ 1 << bit % 8));
  }

  @Test
  @DisplayName("An acknowledgement that goes second is written for 0 and corrected to 1, and back")
  void renumbered() {
    SplittableRandom random = new SplittableRandom(2);
    for (boolean damaged : new boolean[] {false, true}) {
      Packet p = packet(BthOpcode.RC_ACKNOWLEDGE, 0, true, random);
      p.damaged = damaged;
      MemorySegment second = arena.allocate(64);
      flow(p, 1);
      int length = socket.encode(p, second, second.asByteBuffer(), 0);
      flow(p, 0);
      socket.encode(p, bytes, view, AT);
      long was = bytes.get(ValueLayout.JAVA_INT_UNALIGNED, AT + 16);
      DatagramCodec.renumber(Icrc.Network.IPV4, bytes, AT, length);
      assertEquals(-1, MemorySegment.mismatch(second, 0, length, bytes, AT, AT + length));
      DatagramCodec.renumber(Icrc.Network.IPV4, bytes, AT, length);
      assertEquals(was, bytes.get(ValueLayout.JAVA_INT_UNALIGNED, AT + 16));
      DatagramCodec.renumber(Icrc.Network.IPV6, bytes, AT, length);
      assertEquals(was, bytes.get(ValueLayout.JAVA_INT_UNALIGNED, AT + 16));
      assertEquals(Ipv4Header.BYTES, length);
    }
  }
}
