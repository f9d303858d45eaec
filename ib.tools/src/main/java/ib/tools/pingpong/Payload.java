package ib.tools.pingpong;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * The message buffer of an end. Each page of a checked message begins with zero, as in the
 * original. The other bytes have a pattern that differs from page to page, so that a page that was
 * lost or misplaced is detected.
 */
final class Payload {
  private static final byte FILL = 0x7b;
  private static final int PAGE = 4096;

  final int offset;
  final int size;
  private final MemorySegment data;

  /**
   * Creates the buffer, and fills the memory as the original does.
   *
   * @param memory the memory
   * @param offset offset of the message
   * @param size length of the message in bytes
   */
  Payload(MemorySegment memory, int offset, int size) {
    this.offset = offset;
    this.size = size;
    memory.fill(FILL);
    data = memory.asSlice(offset, size);
  }

  /** Writes the content of the first message. */
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
   * Checks the message.
   *
   * @param whole whether to check all bytes; false: only the first byte of each page, which every
   *     sender writes
   * @return indexes of the wrong pages, from 0
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
