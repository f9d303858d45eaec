package ib.engine.mr;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The payload of a packet: references to memory, in order, not bytes (D5). A piece with a {@link
 * MrKey} may be revoked or its arena closed at any time: it is read only through {@link Copier}.
 */
public final class Payload {
  private static final int PIECES_INITIAL = 4;

  private MemorySegment[] segments = new MemorySegment[PIECES_INITIAL];
  private long[] offsets = new long[PIECES_INITIAL];
  private int[] lengths = new int[PIECES_INITIAL];
  private @Nullable MrKey[] keys = new @Nullable MrKey[PIECES_INITIAL];
  private long[] versions = new long[PIECES_INITIAL];
  private int count;
  private int length;

  /** Makes an empty payload. */
  public Payload() {}

  /** Makes it empty. */
  public void clear() {
    count = 0;
    length = 0;
  }

  /**
   * Adds a piece of memory that the packet's owner owns.
   *
   * @param segment the memory
   * @param offset in bytes
   * @param bytes how many, at least 1
   */
  public void add(MemorySegment segment, long offset, int bytes) {
    add(null, 0, segment, offset, bytes);
  }

  /**
   * Adds a piece.
   *
   * @param key the registration it belongs to, or null when the packet's owner owns the memory
   * @param version the version under which the registration allowed it
   * @param segment the memory
   * @param offset in bytes
   * @param bytes how many, at least 1
   */
  public void add(
      @Nullable MrKey key, long version, MemorySegment segment, long offset, int bytes) {
    if (count == lengths.length) {
      grow();
    }
    if (keys[count] != key) { // a reference store costs a barrier
      keys[count] = key;
    }
    segments[count] = segment;
    versions[count] = version;
    offsets[count] = offset;
    lengths[count] = bytes;
    count++;
    length += bytes;
  }

  /** Once per packet object that carries more pieces than any before. */
  private void grow() {
    int size = 2 * count;
    segments = Arrays.copyOf(segments, size);
    offsets = Arrays.copyOf(offsets, size);
    lengths = Arrays.copyOf(lengths, size);
    keys = Arrays.copyOf(keys, size);
    versions = Arrays.copyOf(versions, size);
  }

  /**
   * Makes it refer to what another refers to.
   *
   * @param from the other
   */
  public void set(Payload from) {
    clear();
    for (int i = 0; i < from.count; i++) {
      add(from.keys[i], from.versions[i], from.segments[i], from.offsets[i], from.lengths[i]);
    }
  }

  /** {@return bytes in all, without padding} */
  public int length() {
    return length;
  }

  /** {@return the number of pieces} */
  public int count() {
    return count;
  }

  /**
   * The memory of a piece.
   *
   * @param i the piece, from 0
   * @return the segment
   */
  public MemorySegment segment(int i) {
    return segments[i];
  }

  /**
   * Where a piece begins.
   *
   * @param i the piece, from 0
   * @return the offset in its segment
   */
  public long offset(int i) {
    return offsets[i];
  }

  /**
   * How long a piece is.
   *
   * @param i the piece, from 0
   * @return bytes
   */
  public int length(int i) {
    return lengths[i];
  }

  /** {@return the registration that a piece belongs to, null when the packet's owner owns it} */
  @Nullable MrKey key(int i) {
    return keys[i];
  }

  /**
   * Whether a piece may still be read.
   *
   * @param i the piece, from 0
   * @return false when its registration is gone
   */
  public boolean live(int i) {
    MrKey key = keys[i];
    return key == null || key.live(versions[i]);
  }
}
