package ib.cm.stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.cm.stream.StreamWorld.Both;
import ib.driver.soft.standalone.SoftFabric;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("RS-11: direct writes into a region of the peer (iomap)")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DirectTest {
  private static final StreamOptions TWO = StreamWorld.DEFAULTS.regions(2);
  private static final ByteBuffer ONE = ByteBuffer.wrap(new byte[1]);

  private final StreamWorld world = new StreamWorld(SoftFabric.open("soft0", "soft1"));
  private final Arena arena = Arena.ofShared();

  @AfterEach
  void close() {
    world.close();
    arena.close();
  }

  /** One side has mapped a region, and the other one knows it. */
  private void map(Both both, MemorySegment memory, long offset) throws IOException {
    both.theirs().map(memory, offset);
    both.theirs().write(ONE.duplicate());
    StreamWorld.read(both.mine(), 1);
  }

  @Test
  @DisplayName("bytes come where the offset says, whole, before the message behind them")
  void writes() throws Exception {
    MemorySegment low = arena.allocate(700_000);
    MemorySegment high = arena.allocate(5000);
    try (Both both = world.connected(TWO)) {
      map(both, low, 0);
      map(both, high, 1L << 40);
      byte[] bytes = new byte[600_000];
      new Random(7).nextBytes(bytes);
      assertEquals(bytes.length, both.mine().writeDirect(ByteBuffer.wrap(bytes), 100_000));
      both.mine().writeDirect(ByteBuffer.wrap(bytes, 0, 4000), (1L << 40) + 1000);
      both.mine().write(ONE.duplicate());
      StreamWorld.read(both.theirs(), 1);
      byte[] all = low.toArray(ValueLayout.JAVA_BYTE);
      assertArrayEquals(bytes, Arrays.copyOfRange(all, 100_000, all.length));
      byte[] there = high.toArray(ValueLayout.JAVA_BYTE);
      assertArrayEquals(Arrays.copyOf(bytes, 4000), Arrays.copyOfRange(there, 1000, 5000));
    }
  }

  @Test
  @DisplayName("no region there, no space for one, and a table that is not there")
  void refused() throws Exception {
    MemorySegment memory = arena.allocate(64);
    try (Both both = world.connected(TWO)) {
      map(both, memory, 10);
      for (long outside : new long[] {0, 9, 74, -1}) {
        IOException e =
            assertThrows(
                IOException.class, () -> both.mine().writeDirect(ONE.duplicate(), outside));
        assertTrue(e.getMessage().contains("no region at offset " + outside), e.getMessage());
      }
      DirectRegion second = both.theirs().map(memory, 100);
      assertThrows(IOException.class, () -> both.theirs().map(memory, 200));
      second.close();
      second.close();
      assertEquals(200, both.theirs().map(memory, 200).offset());
    }
    try (Both none = world.connected(StreamWorld.DEFAULTS)) {
      IOException e = assertThrows(IOException.class, () -> none.mine().map(memory, 0));
      assertEquals("the peer has no space for another region", e.getMessage());
    }
  }

  @Test
  @DisplayName("a region that was taken back fails the stream of who writes there")
  void unmapped() throws Exception {
    MemorySegment memory = arena.allocate(64);
    try (Both both = world.connected(TWO)) {
      DirectRegion region = both.theirs().map(memory, 0);
      both.theirs().write(ONE.duplicate());
      StreamWorld.read(both.mine(), 1);
      region.close();
      both.mine().writeDirect(ONE.duplicate(), 0);
      assertThrows(SocketException.class, () -> both.mine().read(ByteBuffer.allocate(1)));
      assertEquals(0, memory.get(ValueLayout.JAVA_BYTE, 0));
    }
  }

  @Test
  @DisplayName("a stream is connected from its accept on, and no longer when its peer has closed")
  void connected() throws Exception {
    for (int i = 0; i < 200; i++) { // the peer's RTU may come after its first data
      try (Both both = world.connected(TWO)) {
        assertTrue(both.theirs().isConnected(), "it was accepted");
        both.mine().close();
        while (both.theirs().isConnected()) {
          Thread.onSpinWait(); // the test has a limit
        }
        world.listener.close();
      }
    }
  }

  @Test
  @DisplayName("a thousand regions one after the other: each costs a credit that comes back")
  void credits() throws Exception {
    MemorySegment memory = arena.allocate(64);
    try (Both both = world.connected(TWO)) {
      for (int i = 0; i < 1000; i++) {
        try (DirectRegion region = both.theirs().map(memory, i)) {
          assertEquals(i, region.offset());
        }
        if (i % 100 == 0) { // the peer handles its completions
          both.theirs().write(ONE.duplicate());
          StreamWorld.read(both.mine(), 1);
        }
      }
    }
  }

  @Test
  @DisplayName("an entry in either byte order, and the private data that offer entries")
  void wire() throws Exception {
    MemorySegment table = arena.allocate(2 * Regions.ENTRY);
    Regions regions = new Regions(table, 32_512);
    table.set(ValueLayout.JAVA_LONG_UNALIGNED, 24, 1000);
    table.set(ValueLayout.JAVA_LONG_UNALIGNED, 32, 0x1234);
    table.set(ValueLayout.JAVA_INT_UNALIGNED, 40, 7);
    table.set(ValueLayout.JAVA_INT_UNALIGNED, 44, -1);
    regions.heard(1);
    regions.heard(2); // not in the table
    assertEquals(new Regions.Window(1000, 0x1234, 7, 0xffffffffL), regions.find(0xffff_ffffL));
    byte[] data = new StreamTerms(false, 384, 1, 2, 3, 4, 65_536, 1).toBytes();
    assertEquals(2, data[1]); // the flag
    assertEquals(1, data[7]);
    assertEquals(1, StreamTerms.of(data).regions());
    data[7] = (byte) 0x82; // scaled
    assertEquals(512, StreamTerms.of(data).regions());
    data[1] = 0;
    assertEquals(0, StreamTerms.of(data).regions());
  }
}
