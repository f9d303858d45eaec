package ib.cm.stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.ProtocolException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("RS-1 to RS-6: what each side of a stream may send")
class FlowTest {
  private static final int LIST = StreamTerms.ENTRIES * Flow.ENTRY;

  private static StreamTerms terms(boolean bigEndian, long base, int queue, int ring) {
    return new StreamTerms(bigEndian, queue, base, 7, base + LIST, 7, ring / 2, 0);
  }

  @Test
  @DisplayName("RS-1: 40 bytes in network order")
  void terms() throws Exception {
    StreamTerms sent =
        new StreamTerms(
            false, 384, 0x1122334455667788L, 0x99aabbcc, 0x0102030405060708L, 9, 65536, 0);
    String hex =
        "01000180" // version, flags, credits
            + "00000000"
            + "1122334455667788" // list
            + "99aabbcc"
            + "00000002"
            + "0102030405060708" // first buffer
            + "00000009"
            + "00010000";
    assertArrayEquals(HexFormat.of().parseHex(hex), sent.toBytes());
    assertEquals(sent, StreamTerms.of(HexFormat.of().parseHex(hex + "00".repeat(16))));
    StreamTerms big = new StreamTerms(true, 1, 0, 0, 0, 0, 1, 0);
    assertEquals(big, StreamTerms.of(big.toBytes()));
  }

  @ParameterizedTest
  @CsvSource({"0, 2", "2, 0", "3, 0", "20, 1", "36, 128"}) // version, credits, entries, length
  @DisplayName("RS-1: terms that are not those of a stream are refused")
  void refused(int at, int value) {
    byte[] bytes = terms(false, 4096, 1, 4096).toBytes();
    bytes[at] = (byte) value;
    if (at == 2 || at == 3) {
      bytes[2] = 0;
      bytes[3] = 0;
    }
    assertThrows(ProtocolException.class, () -> StreamTerms.of(bytes));
    assertThrows(ProtocolException.class, () -> StreamTerms.of(new byte[39]));
  }

  @ParameterizedTest
  @CsvSource({"4096, true", "4095, false"})
  @DisplayName("RS-5: a ring is outgrown once half of it was there before it was read")
  void half(int most, boolean outgrown) throws Exception {
    Flow flow = new Flow(MemorySegment.NULL, 8192, 8, terms(false, 0, 8, 8192));
    flow.granted(); // all of it
    for (int left = 4096; left > 0; left -= Math.min(left, most)) {
      int n = Math.min(left, most);
      flow.heard(n);
      assertFalse(flow.outgrown());
      flow.read(n);
    }
    assertEquals(outgrown, flow.outgrown());
    flow.granted();
    for (int i = 0; i < 4; i++) { // from now on it is read in time
      flow.heard(1024);
      flow.read(1024);
    }
    assertTrue(flow.buffer() && !flow.outgrown());
  }

  @Test
  @DisplayName("RS-4: a buffer of less than no bytes takes none")
  void negativeLength() throws Exception {
    MemorySegment list = MemorySegment.ofArray(new byte[2 * Flow.ENTRY]);
    list.set(ValueLayout.JAVA_INT_UNALIGNED, 2 * Flow.ENTRY - Integer.BYTES, -5);
    Flow flow = new Flow(list, 8192, 8, terms(false, 0, 8, 8192));
    flow.sent(flow.sendable());
    flow.credited(8, true);
    assertEquals(0, flow.sendable());
    assertTrue(flow.open());
  }

  @Test
  @DisplayName(
      "RS-6: the first message of each side is 0x80000180 with the second half of its ring")
  void first() {
    Flow flow = new Flow(MemorySegment.NULL, 1 << 17, 384, terms(true, 0x1000, 384, 1 << 17));
    assertTrue(flow.due() && flow.buffer());
    assertEquals(0x80000180, Immediate.CREDITS.of(flow.credits()));
    assertEquals(0x1000 + 16, flow.entry());
    MemorySegment entry = MemorySegment.ofArray(new byte[16]);
    flow.write(entry, 0x20000, 5);
    assertEquals(
        "00000000000300000000000500010000", // in the order of the peer, which is big-endian
        HexFormat.of().formatHex(entry.toArray(ValueLayout.JAVA_BYTE)));
    flow.granted();
    assertFalse(flow.due());
  }

  @Test
  @DisplayName(
      "a peer that sends more than it may, or publishes more than the list holds, is caught")
  void tooMuch() throws Exception {
    Flow flow = new Flow(MemorySegment.NULL, 8192, 8, terms(false, 0, 8, 8192));
    flow.heard(4096);
    assertThrows(ProtocolException.class, () -> flow.heard(1));
    flow.granted(); // the second half
    flow.heard(4096);
    assertEquals(8192, flow.readable());
    flow.credited(8, true);
    flow.credited(8, true);
    assertThrows(ProtocolException.class, () -> flow.credited(8, true));
  }

  @Test
  @DisplayName("RS-3: sequence numbers have 16 bits: the message 65,537 is as the first, both ways")
  void sequenceWraps() throws Exception {
    int queue = 8;
    Flow flow = new Flow(MemorySegment.NULL, 1 << 20, queue, terms(false, 0, queue, 1 << 20));
    flow.granted(); // the second half
    for (int n = 1; n <= (1 << 16) + 2 * queue; n++) {
      flow.credited(n, false);
      assertTrue(flow.open(), "message " + n);
      flow.sent(0);
      assertFalse(flow.open(), "after message " + n + " the peer takes none");
      flow.heardOther();
      assertEquals(n + queue & 0xffff, flow.credits(), "the credits after message " + n);
      assertEquals(n % (queue / 2) == 0, flow.due(), "half of the queue is used: message " + n);
      if (flow.due()) {
        flow.granted();
      }
    }
  }

  /**
   * One side: its memory is that of the test; its messages are in flight until the peer has them.
   */
  private static final class Side {
    final MemorySegment memory;
    final Flow flow;
    final Deque<int[]> inFlight = new ArrayDeque<>(); // immediate, bytes written
    final Random content;
    final Random expected;
    final int queue;

    /** How often the ring may be doubled; each larger one is behind the one before. */
    int mostGrowths;

    int growths;
    private long base = LIST;
    private long baseBefore;

    Side(MemorySegment memory, int ring, int queue, long seed, StreamTerms peer) {
      this.memory = memory;
      this.queue = queue;
      flow = new Flow(memory, ring, queue, peer);
      content = new Random(seed);
      expected = new Random(seed ^ 1);
    }

    /** Sends what it may, into the memory of the peer at once; the peer hears of it later. */
    boolean send(Side peer, int most) {
      int n = Math.min(flow.sendable(), most);
      if (n == 0) {
        return false;
      }
      for (int i = 0; i < n; i++) {
        long at = flow.address() - peer.memory.address() + i;
        assertTrue(at >= peer.lowest() && at < peer.base + peer.flow.ring(), "outside of the ring");
        peer.memory.set(ValueLayout.JAVA_BYTE, at, (byte) content.nextInt());
      }
      flow.sent(n);
      inFlight.add(new int[] {Immediate.DATA.of(n), n});
      long data = inFlight.stream().filter(m -> m[0] >>> 29 == 0).count();
      assertTrue(data <= peer.queue, "more messages than receives");
      return true;
    }

    void grant(Side peer) {
      if (flow.due()) {
        boolean buffer = flow.buffer();
        int immediate = Immediate.CREDITS.of(flow.credits());
        if (buffer) {
          if (flow.outgrown() && growths < mostGrowths) {
            growths++;
            baseBefore = base;
            base += flow.ring();
            flow.grow(2 * flow.ring());
          }
          long at = flow.entry() - peer.memory.address();
          flow.write(peer.memory.asSlice(at, 16), memory.address() + base, 7);
        }
        flow.granted();
        inFlight.add(new int[] {immediate, buffer ? 16 : 0});
      }
    }

    void hear(Side peer) throws ProtocolException {
      int[] message = peer.inFlight.poll();
      if (message != null && Immediate.type(message[0]) == Immediate.DATA) {
        flow.heard(Immediate.value(message[0]));
      } else if (message != null) {
        flow.credited(Immediate.value(message[0]), message[1] > 0);
      }
    }

    /** {@return the place of the ring that is read} */
    long lowest() {
      return flow.readsBefore() ? baseBefore : base;
    }

    int read(int most) {
      int n = Math.min(flow.piece(), most);
      for (int i = 0; i < n; i++) {
        byte is = memory.get(ValueLayout.JAVA_BYTE, lowest() + flow.readAt() + i);
        assertEquals((byte) expected.nextInt(), is, "content");
      }
      flow.read(n);
      return n;
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  @DisplayName("RS-5: two sides in any order of steps lose, repeat and overwrite no byte, nor stop")
  void model(long seed) throws Exception {
    model(seed, 0);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  @DisplayName("RS-2, RS-5: nor do they where rings grow")
  void modelThatGrows(long seed) throws Exception {
    model(seed, 3);
  }

  private static void model(long seed, int growths) throws Exception {
    Random random = new Random(seed);
    int[] rings = {
      4096 << random.nextInt(3 - growths / 2), 4096 << random.nextInt(3 - growths / 2)
    };
    int bits = 11 + growths;
    int[] queues = {8 + random.nextInt(40), 8 + random.nextInt(40)};
    try (Arena arena = Arena.ofConfined()) {
      Side[] sides = pair(arena, rings, queues, seed, growths);
      long[] got = new long[2];
      for (int step = 0; step < 400_000 >> growths; step++) {
        int me = random.nextInt(2);
        Side side = sides[me];
        Side peer = sides[1 - me];
        switch (random.nextInt(4)) {
          case 0 -> side.send(peer, 1 + random.nextInt(1 << random.nextInt(bits)));
          case 1 -> side.hear(peer);
          case 2 ->
              got[me] +=
                  step % 1_000 < 200 * growths
                      ? 0
                      : side.read(1 + random.nextInt(1 << random.nextInt(bits)));
          default -> side.grant(peer);
        }
      }
      // where no ring grows more than 65,536 messages, so that sequence numbers have wrapped
      assertTrue(got[0] > 1_000_000 && got[1] > 1_000_000, got[0] + ", " + got[1]);
      assertEquals(growths, sides[0].growths);
      assertEquals(growths, sides[1].growths);
    }
  }

  private static Side[] pair(Arena arena, int[] rings, int[] queues, long seed, int growths) {
    // the address of the second is known before it is made: both live in one block
    int all = (2 << growths) - 1; // a ring and the larger ones behind it
    MemorySegment block = arena.allocate(2L * LIST + (long) all * (rings[0] + rings[1]) + 64, 16);
    long second = block.address() + LIST + (long) all * rings[0] + 15 & ~15L;
    MemorySegment first = block.asSlice(0, LIST + (long) all * rings[0]);
    MemorySegment next = block.asSlice(second - block.address(), LIST + (long) all * rings[1]);
    StreamTerms ofSecond = terms(false, second, queues[1], rings[1]);
    StreamTerms ofFirst = terms(false, block.address(), queues[0], rings[0]);
    Side a = new Side(first, rings[0], queues[0], seed, ofSecond);
    Side b = new Side(next, rings[1], queues[1], seed ^ 1, ofFirst);
    a.mostGrowths = growths;
    b.mostGrowths = growths;
    return new Side[] {a, b};
  }
}
