package ib.engine.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.wire.DropReason;
import ib.core.wire.EthernetHeader;
import ib.core.wire.Icrc;
import ib.core.wire.Ipv4Header;
import ib.core.wire.UdpHeader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("D7: the hidden IPv4 identification is solved from the ICRC")
class HiddenIdTest {
  private static final int ETHERNET = EthernetHeader.BYTES;
  private static final int NETWORK = 28;

  private final RoceCodec codec = new RoceCodec();
  private final Packet packet = Packets.empty();
  private final RoceFrame frame = new RoceFrame();
  private final DatagramCodec socket = new DatagramCodec(false);
  private final Ipv4Header ipv4 = new Ipv4Header();
  private final UdpHeader udp = new UdpHeader();
  private int solved;

  @Test
  @DisplayName("A17.3.3: every genuine IPv4 packet of Linux rdma_rxe is solved to the ID it had")
  void golden() {
    TreeSet<String> files = new TreeSet<>();
    Pcap.lines("index.txt").forEach(line -> files.add(line.substring(0, line.indexOf(' '))));
    int genuine = 0;
    int hidden = 0;
    for (String file : files) {
      for (MemorySegment bytes : Pcap.frames(file)) {
        int length = (int) bytes.byteSize();
        if (codec.decode(bytes, 0, length, packet, frame) != null
            || bytes.get(ValueLayout.JAVA_BYTE, ETHERNET) >>> 4 != 4) {
          continue;
        }
        int id = frame.identification;
        assertTrue(frame.dontFragment, file);
        assertEquals(null, decodeBlind(bytes), file);
        assertEquals(id, solved, file);
        genuine++;
        hidden += id != 0 ? 1 : 0;
      }
    }
    assertTrue(genuine > 2000, genuine + " packets");
    assertTrue(hidden > 500, hidden + " packets with another ID than 0");
  }

  /** Decodes the datagram as a socket gives it: without its identification. */
  private DropReason decodeBlind(MemorySegment bytes) {
    ipv4.wrap(bytes, ETHERNET);
    udp.wrap(bytes, ETHERNET + Ipv4Header.BYTES);
    long source = mapped(ipv4.source());
    long dest = mapped(ipv4.destination());
    socket.flow(Icrc.Network.IPV4, 0, source, 0, dest, udp.sourcePort(), udp.destinationPort(), 0);
    int datagram = ipv4.totalLength() - NETWORK;
    solved = 0;
    DatagramCodec.Doubt doubt =
        (difference, length) -> {
          solved = HiddenId.solve(difference, length);
          return solved >= 0;
        };
    return socket.decode(
        bytes, bytes.asByteBuffer(), ETHERNET + NETWORK, datagram, Packets.empty(), doubt);
  }

  private static long mapped(int address) {
    return 0xffffL << 32 | address & 0xffffffffL;
  }

  @Test
  @DisplayName("DF clear is counted apart from a wrong ICRC, and neither passes")
  void flags() {
    Packet p = Packets.empty();
    p.opcode = 0x04;
    p.dgidLow = 0xffff_0a00_0001L;
    MemorySegment bytes = MemorySegment.ofArray(new byte[256]);
    RoceFrame fragmentable = new RoceFrame();
    fragmentable.identification = 0x1234;
    fragmentable.dontFragment = false;
    codec.encode(p, fragmentable, bytes, 0);
    assertEquals(DropReason.ICRC, decodeBlind(bytes));
    assertEquals(HiddenId.FRAGMENTABLE, solved);
    fragmentable.dontFragment = true;
    int length = codec.encode(p, fragmentable, bytes, 0);
    assertEquals(null, decodeBlind(bytes));
    assertEquals(0x1234, solved);
    bytes.set(ValueLayout.JAVA_BYTE, length - 1, (byte) ~bytes.get(ValueLayout.JAVA_BYTE, 60));
    assertEquals(DropReason.ICRC, decodeBlind(bytes));
  }

  @Test
  @DisplayName("a random ICRC passes once in 65,536: not never, and not often")
  void strength() {
    SplittableRandom random = new SplittableRandom(7);
    int passed = 0;
    int tries = 1 << 22;
    for (int i = 0; i < tries; i++) {
      passed += HiddenId.solve(random.nextInt(), 16 + 4 * random.nextInt(1024)) >= 0 ? 1 : 0;
    }
    assertTrue(passed > 20 && passed < 140, passed + " of " + tries + ", 64 are expected");
  }
}
