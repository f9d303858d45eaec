package ib.cm.stream;

import ib.core.verbs.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The memory for direct writes (iomap, RS-11): the regions that this side offers, whose addresses
 * it writes into the peer's table, and those of the peer, who writes them into this side's table.
 * The lock of {@link StreamEnd} guards it.
 */
final class Regions {
  /** Bytes of an entry of the table. */
  static final int ENTRY = 24;

  private static final int MAX_MINE = 128;
  private static final int ADDRESS = 8;
  private static final int KEY = 16;
  private static final int LENGTH = 20;

  /** A region of the peer: it has the addresses from an offset on. */
  record Window(long offset, long address, int key, long length) {
    private boolean has(long at) {
      return Long.compareUnsigned(at - offset, length) < 0;
    }
  }

  private final MemorySegment table;
  private final @Nullable Window[] theirs;
  private final @Nullable MemoryRegion[] mine;

  /**
   * Begins.
   *
   * @param table this side's table, which the peer fills
   * @param peer entries of the peer's table, of which at most 128 are used
   */
  Regions(MemorySegment table, int peer) {
    this.table = table;
    theirs = new Window[(int) (table.byteSize() / ENTRY)];
    mine = new MemoryRegion[Math.min(peer, MAX_MINE)];
  }

  /** Enters a region of this side; {@return its index, or -1 when the peer's table is full} */
  int enter(MemoryRegion region) {
    int index = Arrays.asList(mine).indexOf(null);
    if (index >= 0) {
      mine[index] = region;
    }
    return index;
  }

  /** Takes a region of this side out; {@return it, or null when that was done} */
  @Nullable MemoryRegion leave(int index) {
    MemoryRegion old = mine[index];
    mine[index] = null;
    return old;
  }

  /** The peer has written an entry; one that it may not write is ignored. */
  void heard(int index) {
    if (index < theirs.length) {
      long at = (long) index * ENTRY;
      theirs[index] =
          new Window(
              table.get(ValueLayout.JAVA_LONG_UNALIGNED, at),
              table.get(ValueLayout.JAVA_LONG_UNALIGNED, at + ADDRESS),
              table.get(ValueLayout.JAVA_INT_UNALIGNED, at + KEY),
              Integer.toUnsignedLong(table.get(ValueLayout.JAVA_INT_UNALIGNED, at + LENGTH)));
    }
  }

  /** {@return the peer's region that has an offset; null when none has} */
  @Nullable Window find(long offset) {
    for (Window each : theirs) {
      if (each != null && each.has(offset)) {
        return each;
      }
    }
    return null;
  }

  /** Writes the peer's entry for a region of this side, in the peer's byte order. */
  static void write(MemorySegment into, boolean bigEndian, long offset, MemoryRegion region) {
    ByteOrder theirs = bigEndian ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
    into.set(ValueLayout.JAVA_LONG_UNALIGNED.withOrder(theirs), 0, offset);
    into.set(ValueLayout.JAVA_LONG_UNALIGNED.withOrder(theirs), ADDRESS, region.iova());
    into.set(ValueLayout.JAVA_INT_UNALIGNED.withOrder(theirs), KEY, region.rkey());
    int length = (int) region.segment().byteSize();
    into.set(ValueLayout.JAVA_INT_UNALIGNED.withOrder(theirs), LENGTH, length);
  }

  /** Frees the regions of this side. */
  void close() {
    for (int i = 0; i < mine.length; i++) {
      MemoryRegion old = leave(i);
      if (old != null) {
        old.close();
      }
    }
  }
}
