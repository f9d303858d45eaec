package ib.engine.ring;

import ib.engine.mr.Copier;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * The header of a large send and those of its segments: memory of the request, so that it lasts
 * until no packet refers to it any more, copies included. Made on first use.
 */
public final class LargeHeader {
  /** The longest: encapsulation, IPv4 and TCP with all their options. */
  public static final int MOST = 4 + 60 + 60;

  private final byte[] whole = new byte[MOST];
  private final MemorySegment wholeSegment = MemorySegment.ofArray(whole);
  private byte[] cut = {};
  private MemorySegment cutSegment = MemorySegment.ofArray(cut);
  private int length;

  /** Makes an empty one. */
  public LargeHeader() {}

  /**
   * Takes a header over.
   *
   * @param from where it stands
   * @param offset where it begins
   * @param bytes how many
   * @return false when it is too long, or cannot be read
   */
  public boolean set(MemorySegment from, long offset, int bytes) {
    length = 0;
    if (bytes <= 0 || bytes > MOST || !Copier.inline(from, offset, wholeSegment, 0, bytes)) {
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

  /** {@return the same as a segment} */
  public MemorySegment wholeSegment() {
    return wholeSegment;
  }

  /**
   * Puts the header of a segment beside those of the others.
   *
   * @param index which segment, from 0
   * @param segments how many there are
   * @return where it begins in {@link #cut}
   */
  public int place(int index, int segments) {
    if (cut.length < segments * length) { // when it has more segments than any before
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

  /** {@return the same as a segment} */
  public MemorySegment cutSegment() {
    return cutSegment;
  }
}
