package ib.tools.pingpong;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * The buffer of an end. A page of a checked message begins with zero, as the original's does; the
 * rest is ours and differs in every byte, so that a page that was not moved, or moved to the wrong
 * place, shows.
 */
final class Payload {
  private static final byte FILL = 0x7b;
  private static final int PAGE = 4096;

  final int offset;
  final int size;
  private final MemorySegment data;

  /**
   * Lays a message out in memory.
   *
   * @param memory the memory, filled as the original fills it
   * @param offset where the message begins
   * @param size its length in bytes
   */
  Payload(MemorySegment memory, int offset, int size) {
    this.offset = offset;
    this.size = size;
    memory.fill(FILL);
    data = memory.asSlice(offset, size);
  }

  /** Writes what the first message carries. */
  void write() {
    for (int i = 0; i < size; i++) {
      data.set(ValueLayout.JAVA_BYTE, i, pattern(i));
    }
  }

  private static byte pattern(int i) {
    int inPage = i % PAGE;
    return inPage == 0 ? 0 : (byte) (inPage * 31 + (inPage >> 8) + i / PAGE * 7);
  }

  /**
   * Compares.
   *
   * @param whole whether the sender is known to have written all, not only the first byte of each
   *     page
   * @return the pages that are wrong, from 0
   */
  List<Integer> wrongPages(boolean whole) {
    List<Integer> wrong = new ArrayList<>();
    for (int start = 0; start < size; start += PAGE) {
      int end = whole ? Math.min(size, start + PAGE) : start + 1;
      boolean ok = true;
      for (int i = start; i < end; i++) {
        ok &= data.get(ValueLayout.JAVA_BYTE, i) == pattern(i);
      }
      if (!ok) {
        wrong.add(start / PAGE);
      }
    }
    return wrong;
  }
}
