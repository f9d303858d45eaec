package ib.engine.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.wire.BthOpcode;
import ib.core.wire.DropReason;
import ib.core.wire.Icrc;
import ib.core.wire.Vcrc;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Known bugs of rdma_rxe's handling of bytes, which the decoder must not have. */
@DisplayName("the decoder does not have the known bugs of rdma_rxe")
class RxeDecodeTest {
  private static final int IP = 14;
  private static final int UDP = 34;
  private static final int BTH = 42;

  private final SplittableRandom random = new SplittableRandom(29);
  private final byte[] bytes = new byte[512];
  private final MemorySegment segment = MemorySegment.ofArray(bytes);
  private final Packet into = Packets.empty();
  private final RoceFrame frame = new RoceFrame();
  private final RoceCodec roce = new RoceCodec();
  private final LinkCodec link = new LinkCodec();
  private final Icrc icrc = new Icrc();

  private int frame(BthOpcode opcode, int payload) {
    Packet p = Packets.random(opcode, payload, random);
    p.sgidHigh = 0;
    p.dgidHigh = 0;
    p.sgidLow = 0xffff_7f00_0001L;
    p.dgidLow = 0xffff_7f00_0002L;
    return roce.encode(p, frame, segment, 0);
  }

  private void put16(int at, int value) {
    bytes[at] = (byte) (value >>> 8);
    bytes[at + 1] = (byte) value;
  }

  private int get16(int at) {
    return (bytes[at] & 0xff) << 8 | bytes[at + 1] & 0xff;
  }

  /** Makes both checksums right for a frame whose ICRC ends at the length. */
  private void seal(int length) {
    put16(IP + 10, 0);
    int sum = 0;
    for (int i = IP; i < UDP; i += 2) {
      sum += get16(i);
    }
    put16(IP + 10, ~(sum % 0xffff));
    int covered = length - BTH - Icrc.BYTES;
    if (covered >= 12) {
      int value = icrc.of(Icrc.Network.IPV4, segment, IP, segment, BTH, covered);
      Icrc.store(segment, length - Icrc.BYTES, value);
    }
  }

  /** Sets the lengths of IP and UDP to that of the frame. */
  private void resize(int length) {
    put16(IP + 2, length - IP);
    put16(UDP + 4, length - UDP);
    seal(length);
  }

  @Test
  @DisplayName("R-01: every unknown opcode, to every kind of queue pair: drop_opcode")
  void unknownOpcodes() {
    int unknown = 0;
    for (int opcode = 0; opcode < 256; opcode++) {
      if (BthOpcode.of(opcode) != null) {
        continue;
      }
      unknown++;
      for (int qpn : new int[] {0, 1, 0xffffff, 0x123456}) {
        int length = frame(BthOpcode.RC_SEND_ONLY, 20); // 48 bytes after IP, as in the report
        bytes[BTH] = (byte) opcode;
        bytes[BTH + 5] = (byte) (qpn >>> 16);
        put16(BTH + 6, qpn);
        seal(length);
        assertEquals(DropReason.OPCODE, roce.decode(segment, 0, length, into, frame));
      }
    }
    assertEquals(256 - BthOpcode.values().length, unknown);
  }

  @ParameterizedTest
  @EnumSource(BthOpcode.class)
  @DisplayName("R-02: forged padding, length from the headers alone to 8 bytes more")
  void forgedPadding(BthOpcode opcode) {
    for (int pad = 0; pad < 4; pad++) {
      for (int more = 0; more <= 8; more++) {
        frame(opcode, payload(opcode));
        bytes[BTH + 1] = (byte) (pad << 4);
        int rest = opcode.headerBytes() + more;
        resize(BTH + rest);
        DropReason reason = roce.decode(segment, 0, BTH + rest, into, frame);
        assertEquals(Oracle.judge(opcode.value(), rest, pad, 0), reason);
        assertTrue(reason != null || into.payload.length() == more - pad - Icrc.BYTES);
      }
    }
  }

  private static int payload(BthOpcode opcode) {
    return switch (opcode.payload()) {
      case NONE -> 0;
      case EIGHT -> 8;
      case SIXTEEN -> 16;
      default -> 64;
    };
  }

  @ParameterizedTest
  @CsvSource({"-8", "-4", "-1", "1", "4", "8"})
  @DisplayName(
      "R-03: lengths that are off, in IP, in UDP, in both, with right checksums: never taken")
  void lengthsOff(int by) {
    for (int which = 1; which < 4; which++) {
      int length = frame(BthOpcode.RC_RDMA_WRITE_ONLY, 64);
      assertNull(roce.decode(segment, 0, length, into, frame));
      put16(IP + 2, get16(IP + 2) + ((which & 1) != 0 ? by : 0));
      put16(UDP + 4, get16(UDP + 4) + ((which & 2) != 0 ? by : 0));
      seal(length);
      assertNotNull(roce.decode(segment, 0, length, into, frame), "IP and UDP " + which);
    }
  }

  @ParameterizedTest
  @CsvSource({"-8", "-4", "4", "8"})
  @DisplayName("R-03: the same in LRH and GRH")
  void linkLengthsOff(int by) {
    for (int which = 1; which < 4; which++) {
      Packet p = Packets.random(BthOpcode.RC_RDMA_WRITE_ONLY, 64, random);
      p.global = true;
      int length = link.encode(p, segment, 0);
      put16(4, get16(4) + ((which & 1) != 0 ? by / 4 : 0));
      put16(12, get16(12) + ((which & 2) != 0 ? by : 0));
      Vcrc.store(segment, length - 2, Vcrc.of(segment, 0, length - 2));
      assertEquals(DropReason.LENGTH, link.decode(segment, 0, length, into));
    }
  }

  @ParameterizedTest
  @EnumSource(
      names = {"RC_COMPARE_SWAP", "RC_FETCH_ADD", "RC_ATOMIC_ACKNOWLEDGE", "RC_ATOMIC_WRITE"})
  @DisplayName("R-05: every atomic with 0 to 16 bytes of payload; only its own length is taken")
  void atomicLengths(BthOpcode opcode) {
    for (int payload = 0; payload <= 16; payload++) {
      frame(opcode, payload(opcode));
      int pad = -payload & 3;
      bytes[BTH + 1] = (byte) (pad << 4);
      int length = BTH + opcode.headerBytes() + payload + pad + Icrc.BYTES;
      resize(length);
      DropReason expected = payload == payload(opcode) ? null : DropReason.LENGTH;
      assertEquals(expected, roce.decode(segment, 0, length, into, frame), payload + " bytes");
    }
  }

  @Test
  @DisplayName("R-12: captured packets with MigReq 1 are read and written again as they are")
  void migReq() {
    int found = 0;
    for (String line : Pcap.lines("index.txt")) {
      if (line.contains(" mig=1 ")) {
        String[] words = line.split(" ", 3);
        MemorySegment captured = Pcap.frames(words[0]).get(Integer.parseInt(words[1]) - 1);
        int length = (int) captured.byteSize();
        assertNull(roce.decode(captured, 0, length, into, frame));
        assertTrue(into.migReq);
        assertEquals(length, roce.encode(into, frame, segment, 0));
        assertEquals(-1, segment.asSlice(0, length).mismatch(captured));
        found++;
      }
    }
    assertEquals(2, found);
  }
}
