package ib.engine.ring;

import ib.engine.mr.Copier;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * The header of a large send and the headers of its segments. It belongs to the send request, so it
 * lasts until no packet or copy of one refers to it. Made on first use.
 */
public final class LargeHeader {
  /** Greatest length in bytes: encapsulation, IPv4 and TCP with all their options. */
  public static final int MAX_BYTES = 4 + 60 + 60;

  private final byte[] whole = new byte[MAX_BYTES];
  private final MemorySegment wholeSegment = MemorySegment.ofArray(whole);
  private byte[] cut = {};
  private MemorySegment cutSegment = MemorySegment.ofArray(cut);
  private int length;

  /** Makes an empty header. */
  public LargeHeader() {}

  /**
   * Copies a header.
   *
   * @param from memory that contains the header
   * @param offset where the header begins
   * @param bytes length of the header
   * @return false when the length is not 1 to {@link #MAX_BYTES}, or the memory cannot be read
   */
  public boolean set(MemorySegment from, long offset, int bytes) {
    length = 0;
    if (bytes <= 0 || bytes > MAX_BYTES || !Copier.inline(from, offset, wholeSegment, 0, bytes)) {
      return false;
    }
    length = bytes;
    return true;
  }

  /** {@return bytes of the header} */
  public int length() {
    return length;
  }

  /** {@return the header as it was posted} */
  public byte[] whole() {
    return whole;
  }

  /** {@return {@link #whole} as a segment} */
  public MemorySegment wholeSegment() {
    return wholeSegment;
  }

  /**
   * Copies the header for a segment, behind those of the segments before it.
   *
   * @param index number of the segment, from 0
   * @param segments number of segments
   * @return where the header begins in {@link #cut}
   */
  public int place(int index, int segments) {
    if (cut.length < segments * length) { // more segments than any send before
      cut = Arrays.copyOf(cut, segments * length);
      cutSegment = MemorySegment.ofArray(cut);
    }
    System.arraycopy(whole, 0, cut, index * length, length);
    return index * length;
  }

  /** {@return the headers of the segments} */
  public byte[] cut() {
    return cut;
  }

  /** {@return {@link #cut} as a segment} */
  public MemorySegment cutSegment() {
    return cutSegment;
  }
}
