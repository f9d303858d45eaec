package ib.engine.mr;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The payload of a packet: references to pieces of memory, not bytes (D5). A piece with a {@link
 * Key} may be revoked or its arena closed at any time, so only {@link Copier} may read it. For the
 * thread that holds the packet.
 */
public final class Payload {
  private static final int PIECES_INITIAL = 1; // most packets refer to one element

  private MemorySegment[] segments = new MemorySegment[PIECES_INITIAL];
  private long[] offsets = new long[PIECES_INITIAL];
  private int[] lengths = new int[PIECES_INITIAL];
  private @Nullable Key[] keys = new @Nullable Key[PIECES_INITIAL];
  private long[] versions = new long[PIECES_INITIAL];
  private int count;
  private int length;

  /** Creates an empty payload. */
  public Payload() {}

  /** Removes all pieces. */
  public void clear() {
    count = 0;
    length = 0;
  }

  /**
   * Adds a piece of memory that belongs to the packet.
   *
   * @param segment the memory
   * @param offset offset in the segment
   * @param bytes number of bytes, at least 1
   */
  public void add(MemorySegment segment, long offset, int bytes) {
    add(null, 0, segment, offset, bytes);
  }

  /**
   * Adds a piece.
   *
   * @param key key of the registered memory; null when the memory belongs to the packet
   * @param version result of {@link Key#admit}
   * @param segment the memory
   * @param offset offset in the segment
   * @param bytes number of bytes, at least 1
   */
  public void add(@Nullable Key key, long version, MemorySegment segment, long offset, int bytes) {
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

  /** Enlarges the arrays, when the packet object has more pieces than ever before. */
  private void grow() {
    int size = 2 * count;
    segments = Arrays.copyOf(segments, size);
    offsets = Arrays.copyOf(offsets, size);
    lengths = Arrays.copyOf(lengths, size);
    keys = Arrays.copyOf(keys, size);
    versions = Arrays.copyOf(versions, size);
  }

  /**
   * Refers to the same memory as another payload.
   *
   * @param from the other payload
   */
  public void set(Payload from) {
    clear();
    for (int i = 0; i < from.count; i++) {
      add(from.keys[i], from.versions[i], from.segments[i], from.offsets[i], from.lengths[i]);
    }
  }

  /** {@return the number of bytes, without padding} */
  public int length() {
    return length;
  }

  /** {@return the number of pieces} */
  public int count() {
    return count;
  }

  /**
   * Returns the memory of a piece.
   *
   * @param i the piece, from 0
   * @return the segment
   */
  public MemorySegment segment(int i) {
    return segments[i];
  }

  /**
   * Returns the offset of a piece.
   *
   * @param i the piece, from 0
   * @return the offset in its segment
   */
  public long offset(int i) {
    return offsets[i];
  }

  /**
   * Returns the length of a piece.
   *
   * @param i the piece, from 0
   * @return the length in bytes
   */
  public int length(int i) {
    return lengths[i];
  }

  /** {@return the key of a piece; null when the memory belongs to the packet} */
  @Nullable Key key(int i) {
    return keys[i];
  }

  /**
   * Returns whether all pieces are still registered and their arenas open. When a copy of the
   * payload has failed all the same, the memory itself has failed.
   *
   * @return false when a key was revoked or an arena closed
   */
  public boolean isOpen() {
    for (int i = 0; i < count; i++) {
      if (!live(i) || !segments[i].scope().isAlive()) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns whether a piece may still be read.
   *
   * @param i the piece, from 0
   * @return false when its key was revoked
   */
  public boolean live(int i) {
    Key key = keys[i];
    return key == null || key.live(versions[i]);
  }
}
