package ib.ulp.ipoib.link;

import ib.core.verbs.Access;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.ProtectionDomain;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Registered buffers that a host reads long packets into, so that the device sends them without a
 * copy. The host fills one of them; the others are outstanding or free. Used on the loop's thread
 * only.
 */
final class LongBuffers {
  /** Bytes of each buffer: the longest frame of a host, and 1024 bytes more. */
  static final int BYTES = 65_536 + 1024;

  private static final int COUNT = 16;
  private static final int ALIGNMENT = 4096;

  final MemoryRegion region;
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

  /**
   * {@return the buffer that the host fills, the same until {@link #claim}; null when all are
   * outstanding}
   */
  @Nullable MemorySegment current() {
    return current < 0 ? null : slots[current];
  }

  /** {@return whether a packet is in the buffer that the host fills} */
  boolean hold(MemorySegment memory) {
    return current >= 0 && memory.isNative() && memory.address() == slots[current].address();
  }

  /** Takes the buffer that the host has filled, until {@link #release}. {@return its index} */
  int claim() {
    int claimed = current;
    current = freeCount == 0 ? -1 : free[--freeCount];
    return claimed;
  }

  /** {@return the address of a buffer in the memory region's address space} */
  long address(int slot) {
    return region.iova() + (long) slot * BYTES;
  }

  void release(int slot) {
    if (current < 0) {
      current = slot;
    } else {
      free[freeCount++] = slot; // the buffer used last is reused first, because it is in the cache
    }
  }
}
