package ib.kit;

import ib.core.verbs.MemoryRegion;
import ib.core.verbs.RecvWr;
import ib.core.verbs.SendWr;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Where the bytes of one message lie in a region: some pieces with gaps between them. */
record Layout(long[] offsets, int[] lengths) {
  private static final int GAP = 24;

  /** Uneven pieces, an empty one among them when there are more than two. */
  static Layout of(long offset, int size, int pieces) {
    long[] offsets = new long[pieces];
    int[] lengths = new int[pieces];
    long at = offset;
    int left = size;
    for (int i = 0; i < pieces; i++) {
      int length = i == pieces - 1 ? left : i == 1 ? 0 : left / 3;
      offsets[i] = at;
      lengths[i] = length;
      at += length + GAP;
      left -= length;
    }
    return new Layout(offsets, lengths);
  }

  int size() {
    int n = 0;
    for (int length : lengths) {
      n += length;
    }
    return n;
  }

  /** Writes the message into an image of the memory. */
  void put(byte[] image, byte[] message) {
    int done = 0;
    for (int i = 0; i < lengths.length; i++) {
      System.arraycopy(message, done, image, (int) offsets[i], lengths[i]);
      done += lengths[i];
    }
  }

  void put(MemorySegment memory, byte[] message) {
    int done = 0;
    for (int i = 0; i < lengths.length; i++) {
      MemorySegment.copy(message, done, memory, ValueLayout.JAVA_BYTE, offsets[i], lengths[i]);
      done += lengths[i];
    }
  }

  byte[] get(MemorySegment memory) {
    byte[] message = new byte[size()];
    int done = 0;
    for (int i = 0; i < lengths.length; i++) {
      MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, offsets[i], message, done, lengths[i]);
      done += lengths[i];
    }
    return message;
  }

  void addTo(SendWr wr, MemoryRegion mr) {
    for (int i = 0; i < lengths.length; i++) {
      wr.addSge(mr.lkey(), mr.iova() + offsets[i], lengths[i]);
    }
  }

  void addTo(RecvWr wr, MemoryRegion mr) {
    for (int i = 0; i < lengths.length; i++) {
      wr.addSge(mr.lkey(), mr.iova() + offsets[i], lengths[i]);
    }
  }
}
