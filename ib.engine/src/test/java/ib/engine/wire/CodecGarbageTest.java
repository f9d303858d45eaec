package ib.engine.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import ib.core.wire.BthOpcode;
import ib.core.wire.DropReason;
import ib.core.wire.MadHeader;
import ib.engine.link.HcaCounter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("F-01, D3, D9: dropping costs nothing")
class CodecGarbageTest {
  private static final int ROUNDS = 200_000;
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final SplittableRandom random = new SplittableRandom(23);
  private final LinkCodec link = new LinkCodec();
  private final RoceCodec roce = new RoceCodec();
  private final RoceFrame frame = new RoceFrame();
  private final Packet into = Packets.empty();
  private int wrong;

  private interface Case {
    @Nullable DropReason run();
  }

  private MemorySegment roce(Packet p) {
    MemorySegment bytes = MemorySegment.ofArray(new byte[256]);
    p.sgidHigh = 0;
    p.dgidHigh = 0;
    p.sgidLow = 0xffff_0a4e_0002L;
    p.dgidLow = 0xffff_0a4e_0003L;
    return bytes.asSlice(0, roce.encode(p, frame, bytes, 0));
  }

  private MemorySegment link(Packet p) {
    MemorySegment bytes = MemorySegment.ofArray(new byte[256]);
    p.global = true;
    return bytes.asSlice(0, link.encode(p, bytes, 0));
  }

  private static MemorySegment flip(MemorySegment bytes, int at, int mask) {
    byte b = bytes.get(ValueLayout.JAVA_BYTE, at);
    bytes.set(ValueLayout.JAVA_BYTE, at, (byte) (b ^ mask));
    return bytes;
  }

  private Case roceCase(MemorySegment bytes) {
    int length = (int) bytes.byteSize();
    return () -> roce.decode(bytes, 0, length, into, frame);
  }

  private Case linkCase(MemorySegment bytes) {
    int length = (int) bytes.byteSize();
    return () -> link.decode(bytes, 0, length, into);
  }

  /** A packet that is dropped, for each reason. */
  private Map<DropReason, Case> cases() {
    Packet p = Packets.random(BthOpcode.RC_RDMA_WRITE_ONLY, 33, random);
    int bth = 14 + 28;
    Map<DropReason, Case> cases = new EnumMap<>(DropReason.class);
    cases.put(DropReason.SHORT, roceCase(roce(p).asSlice(0, 30)));
    cases.put(DropReason.NOT_ROCE, roceCase(flip(roce(p), 12, 1)));
    cases.put(DropReason.IP, roceCase(flip(roce(p), 14, 1)));
    cases.put(DropReason.LENGTH, roceCase(roce(p).asSlice(0, 100)));
    cases.put(DropReason.TVER, roceCase(flip(roce(p), bth + 1, 1)));
    cases.put(DropReason.OPCODE, roceCase(flip(roce(p), bth, 0x40)));
    cases.put(DropReason.PAD, roceCase(pad()));
    cases.put(DropReason.ICRC, roceCase(flip(roce(p), bth + 9, 1)));
    cases.put(DropReason.LVER, linkCase(flip(link(p), 0, 1)));
    cases.put(DropReason.LNH, linkCase(flip(link(p), 1, 2)));
    cases.put(DropReason.GRH, linkCase(flip(link(p), 8, 0x10)));
    cases.put(DropReason.VCRC, linkCase(flip(link(p), 2, 1)));
    MemorySegment mad = MemorySegment.ofArray(new byte[MadHeader.MAD_BYTES]);
    cases.put(DropReason.MAD_VERSION, () -> MadHeader.check(mad, 0, MadHeader.MAD_BYTES));
    return cases;
  }

  /** Padding where there is no payload. */
  private MemorySegment pad() {
    Packet p = Packets.random(BthOpcode.RC_ACKNOWLEDGE, 0, random);
    return flip(roce(p), 14 + 28 + 1, 0x10);
  }

  @Test
  @DisplayName("every reason to drop is found, leaves the packet alone, allocates 0 bytes")
  void drops() {
    Map<DropReason, Case> cases = cases();
    assertEquals(EnumSet.allOf(DropReason.class), cases.keySet(), "a case for each reason");
    into.set(Packets.random(BthOpcode.UD_SEND_ONLY_IMM, 40, random));
    String before = Packets.transport(into);
    cases.forEach(
        (reason, one) -> {
          assertEquals(reason, one.run());
          assertEquals(before, Packets.transport(into), "nothing was written");
          assertZero(reason, one);
        });
  }

  @Test
  @DisplayName("good packets are read and written without allocation, too")
  void good() {
    MemorySegment udp = roce(Packets.random(BthOpcode.RC_SEND_ONLY, 100, random));
    MemorySegment ib = link(Packets.random(BthOpcode.UD_SEND_ONLY_IMM, 100, random));
    MemorySegment out = MemorySegment.ofArray(new byte[256]);
    assertZero(null, roceCase(udp));
    assertZero(null, linkCase(ib));
    assertZero(null, () -> link.encode(into, out, 0) > 0 ? null : DropReason.SHORT);
    assertZero(null, () -> roce.encode(into, frame, out, 0) > 0 ? null : DropReason.SHORT);
  }

  private void assertZero(@Nullable DropReason expected, Case one) {
    long me = Thread.currentThread().threadId();
    wrong = 0;
    repeat(one, expected, me);
    repeat(one, expected, me);
    long allocated = repeat(one, expected, me);
    assertEquals(0, wrong, expected + ": wrong verdicts");
    assertTrue(allocated < ROUNDS / 10, expected + ": " + allocated + " bytes");
  }

  private long repeat(Case one, @Nullable DropReason expected, long me) {
    long bytes = THREADS.getThreadAllocatedBytes(me);
    for (int i = 0; i < ROUNDS; i++) {
      wrong += one.run() == expected ? 0 : 1;
    }
    return THREADS.getThreadAllocatedBytes(me) - bytes;
  }

  @Test
  @DisplayName("D9: every reason has a counter of its own name, drop_<reason>")
  void counters() {
    for (DropReason reason : DropReason.values()) {
      assertEquals(reason.counter(), HcaCounter.of(reason).label());
    }
    assertEquals("drop_icrc", DropReason.ICRC.counter());
  }
}
