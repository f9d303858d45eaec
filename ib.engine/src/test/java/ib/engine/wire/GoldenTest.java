package ib.engine.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.wire.DropReason;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Issue 3 section 3: captures of Linux rdma_rxe")
class GoldenTest {
  private static final int MAX_FRAME = 16384;

  private final RoceCodec codec = new RoceCodec();
  private final Packet packet = Packets.empty();
  private final RoceFrame frame = new RoceFrame();
  private final MemorySegment copy = MemorySegment.ofArray(new byte[MAX_FRAME]);

  @Test
  @DisplayName("every packet is judged and read as another program did")
  void decodesAsIndexed() {
    Map<String, List<MemorySegment>> files = new TreeMap<>();
    int indexed = 0;
    for (String line : Pcap.lines("index.txt")) {
      String[] words = line.split(" ", 4);
      MemorySegment bytes =
          files.computeIfAbsent(words[0], Pcap::frames).get(Integer.parseInt(words[1]) - 1);
      DropReason reason = codec.decode(bytes, 0, (int) bytes.byteSize(), packet, frame);
      assertEquals(words[2], reason == null ? "ok" : reason.name(), line);
      if (reason == null) {
        String icrc = " icrc=" + icrc(bytes);
        assertEquals(
            words[3], Packets.text(packet, frame).replaceFirst("payload=\\d+", "$0" + icrc));
      }
      indexed++;
    }
    assertEquals(1233, indexed, "packets in the index");
    assertEquals(41, files.size(), "files in the index");
  }

  /** The last four bytes of the IP datagram as one number, most significant byte first. */
  private static String icrc(MemorySegment bytes) {
    int ip = 14;
    boolean four = bytes.get(ValueLayout.JAVA_BYTE, ip) >>> 4 == 4;
    int end = ip + (four ? u16(bytes, ip + 2) : 40 + u16(bytes, ip + 4));
    byte[] last = bytes.asSlice(end - 4, 4).toArray(ValueLayout.JAVA_BYTE);
    return HexFormat.of().formatHex(last);
  }

  private static int u16(MemorySegment bytes, int at) {
    return (bytes.get(ValueLayout.JAVA_BYTE, at) & 0xff) << 8
        | bytes.get(ValueLayout.JAVA_BYTE, at + 1) & 0xff;
  }

  @Test
  @DisplayName("every good packet is written again byte for byte, ICRC included")
  void reencodesIdentically() {
    int good = 0;
    int strange = 0;
    Map<DropReason, Integer> dropped = new EnumMap<>(DropReason.class);
    for (String file : files()) {
      for (MemorySegment bytes : Pcap.frames(file)) {
        int length = (int) bytes.byteSize();
        DropReason reason = codec.decode(bytes, 0, length, packet, frame);
        if (reason != null) {
          dropped.merge(reason, 1, Integer::sum);
          continue;
        }
        good++;
        copy.fill((byte) 0x5a);
        int written = codec.encode(packet, frame, copy, 3);
        assertEquals(length, written, file);
        if (padded(bytes)) {
          strange++;
          continue;
        }
        assertEquals(-1, copy.asSlice(3, written).mismatch(bytes), file + ": first difference");
        assertEquals(0x5a, copy.get(ValueLayout.JAVA_BYTE, 2), "nothing before");
        assertEquals(0x5a, copy.get(ValueLayout.JAVA_BYTE, 3 + written), "nothing after");
        assertNull(codec.decode(copy, 3, written, packet, frame));
      }
    }
    assertEquals(2, strange, "packets of the user-space sender with 0xff as padding");
    assertTrue(good > 2500, good + " good packets");
    assertEquals(7, dropped.get(DropReason.ICRC));
    assertEquals(2, dropped.get(DropReason.TVER));
    assertEquals(2, dropped.get(DropReason.OPCODE));
    dropped.keySet().removeAll(List.of(DropReason.ICRC, DropReason.TVER, DropReason.OPCODE));
    dropped.remove(DropReason.NOT_ROCE); // ARP, TCP of perftest, IGMP
    assertEquals(Map.of(), dropped);
  }

  /** Whether it was padded with something else than zeros, which may be received but not sent. */
  private static boolean padded(MemorySegment bytes) {
    long end = bytes.byteSize() - 4;
    int pad = bytes.get(ValueLayout.JAVA_BYTE, 14 + 20 + 8 + 1) >>> 4 & 3;
    return pad > 0 && bytes.get(ValueLayout.JAVA_BYTE, end - 1) != 0;
  }

  private static TreeSet<String> files() {
    TreeSet<String> files = new TreeSet<>();
    Pcap.lines("index.txt").forEach(line -> files.add(line.substring(0, line.indexOf(' '))));
    return files;
  }
}
