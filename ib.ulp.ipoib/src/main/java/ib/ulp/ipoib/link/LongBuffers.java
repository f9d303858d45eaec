package ib.ulp.ipoib.link;

import ib.core.verbs.Access;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.ProtectionDomain;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Registered memory that a host reads long packets into, so that they leave from where they lie
 * instead of being copied first. One buffer is the host's, the others are under way or free.
 */
final class LongBuffers {
  /** Bytes of each: the longest frame of a host, and room to read past it. */
  static final int BYTES = 65_536 + 1024;

  private static final int COUNT = 16;
  private static final int ALIGNMENT = 4096;

  private final MemoryRegion region;
  private final MemorySegment[] slots = new MemorySegment[COUNT];
  private final int[] free = new int[COUNT];
  private int freeCount;
  private int current; // below 0: none

  LongBuffers(ProtectionDomain pd) {
    region = pd.allocMemory((long) COUNT * BYTES, ALIGNMENT, Access.LOCAL_WRITE);
    for (int i = 0; i < COUNT; i++) {
      slots[i] = region.segment().asSlice((long) i * BYTES, BYTES);
      free[COUNT - 1 - i] = i;
    }
    freeCount = COUNT - 1;
    current = free[freeCount];
  }

  MemoryRegion region() {
    return region;
  }

  /** {@return the host's buffer, the same until it is taken; null when all are under way} */
  @Nullable MemorySegment current() {
    return current < 0 ? null : slots[current];
  }

  /** {@return whether a packet lies in the host's buffer} */
  boolean hold(MemorySegment memory) {
    return current >= 0 && memory.isNative() && memory.address() == slots[current].address();
  }

  /** Takes the host's buffer until {@link #release}. {@return which one} */
  int claim() {
    int claimed = current;
    current = freeCount == 0 ? -1 : free[--freeCount];
    return claimed;
  }

  /** {@return where a buffer begins, in the region's space} */
  long address(int slot) {
    return region.iova() + (long) slot * BYTES;
  }

  void release(int slot) {
    if (current < 0) {
      current = slot;
    } else {
      free[freeCount++] = slot; // that was used last goes first: it is in the cache
    }
  }
}
