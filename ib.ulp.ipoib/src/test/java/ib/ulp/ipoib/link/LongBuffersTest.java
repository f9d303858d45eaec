package ib.ulp.ipoib.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.DeviceLease;
import ib.core.verbs.ProtectionDomain;
import ib.ulp.ipoib.testing.Lab;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("D9: registered buffers for long packets: each is claimed at most once")
class LongBuffersTest {
  private static final int COUNT = 16;

  private final Lab lab = new Lab(1);
  private DeviceLease lease;
  private ProtectionDomain pd;
  private LongBuffers buffers;

  @BeforeEach
  void make() {
    lease = lab.core.core().lease("soft0", "test");
    pd = lease.device().allocPd();
    buffers = new LongBuffers(pd);
  }

  @AfterEach
  void close() {
    buffers.region.close();
    pd.close();
    lease.close();
    lab.close();
  }

  private MemorySegment current() {
    return Objects.requireNonNull(buffers.current());
  }

  @Test
  @DisplayName("all are claimed, none overlaps another; then there is none until one is released")
  void all() {
    Set<Integer> claimed = new HashSet<>();
    Set<Long> addresses = new HashSet<>();
    long base = buffers.region.segment().address();
    for (int i = 0; i < COUNT; i++) {
      MemorySegment is = current();
      assertEquals(LongBuffers.BYTES, is.byteSize());
      assertTrue(buffers.hold(is) && buffers.hold(is.asSlice(0, 10)));
      assertFalse(buffers.hold(is.asSlice(1)), "only what begins there");
      int slot = buffers.claim();
      assertFalse(buffers.hold(is), "it is under way");
      assertTrue(claimed.add(slot));
      long at = buffers.address(slot) - buffers.region.iova();
      assertEquals(is.address() - base, at, "the address that is posted is the memory's");
      assertTrue(at % LongBuffers.BYTES == 0 && addresses.add(at));
      assertTrue(at >= 0 && at + LongBuffers.BYTES <= buffers.region.segment().byteSize());
    }
    assertNull(buffers.current());
    assertFalse(buffers.hold(buffers.region.segment()));
    buffers.release(5);
    assertEquals(buffers.address(5) - buffers.region.iova(), current().address() - base);
  }

  @Test
  @DisplayName("memory on the heap, or elsewhere, is no long buffer")
  void others() {
    assertFalse(buffers.hold(MemorySegment.ofArray(new byte[10])));
    assertFalse(buffers.hold(MemorySegment.NULL));
  }

  @Test
  @DisplayName("in any order of claims and releases no buffer is claimed twice, and none is lost")
  void anyOrder() {
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(20_261_124);
    List<Integer> away = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      if (buffers.current() != null && (away.isEmpty() || random.nextBoolean())) {
        int slot = buffers.claim();
        assertFalse(away.contains(slot), "it is somebody's");
        away.add(slot);
      } else {
        buffers.release(away.remove(random.nextInt(away.size())));
      }
      assertEquals(away.size() == COUNT, buffers.current() == null);
    }
  }
}
