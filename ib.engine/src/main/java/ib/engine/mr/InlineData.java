package ib.engine.mr;

import java.lang.foreign.MemorySegment;

/**
 * Inline data: the bytes of a request that stand in its own words. They are copied as an array is;
 * that the array were a memory segment too costs more than the copy. As in {@link Copier} a revoked
 * key, a wrong address or a closed arena is a result, never an exception. Any thread may call;
 * calls do not block.
 */
public final class InlineData {
  private InlineData() {}

  /**
   * Copies bytes of a post into words.
   *
   * @param from the source, any kind of segment
   * @param offset offset in the source in bytes
   * @param w the words
   * @param to the byte of the words where they go
   * @param bytes number of bytes, which the words can hold
   * @return false when the source cannot be read; some bytes may be copied then
   */
  public static boolean take(MemorySegment from, long offset, long[] w, long to, int bytes) {
    if (offset < 0 || bytes < 0 || offset > from.byteSize() - bytes) {
      return false;
    }
    return Copier.toWords(from, offset, w, to, bytes);
  }

  /**
   * Copies an element of an inline request, which must be readable at the post; any thread.
   *
   * @param lkey local key
   * @param address address in the region's space
   * @param keys the memory of the queue pair
   * @param w the words
   * @param to the byte of the words where they go
   * @param bytes number of bytes, which the words can hold
   * @return false when a key does not allow it; some bytes may be copied then
   */
  public static boolean take(int lkey, long address, LastKeys keys, long[] w, long to, int bytes) {
    if (bytes == 0) {
      return true;
    }
    Key key = keys.find(lkey);
    long version = key == null ? Key.REFUSED : key.admit(lkey, keys.domain, key, 0, address, bytes);
    if (key == null || version == Key.REFUSED) {
      return false;
    }
    for (int done = 0; done < bytes; ) {
      long from = address + done;
      int place = key.place(from);
      int n = key.run(place, from, bytes - done);
      long offset = from - key.start(place);
      MemorySegment segment = key.segment(place);
      if (!key.live(version) || !take(segment, offset, w, to + done, n)) {
        return false;
      }
      done += n;
    }
    return true;
  }

  /**
   * Copies inline data to memory that a key has admitted.
   *
   * @param w the words
   * @param first the word in which the data begins
   * @param bytes number of bytes
   * @param key key of the target
   * @param version result of {@link Key#admit} for all bytes
   * @param address address of the target
   * @return false when the target is no longer registered, or is in several segments; some bytes
   *     may be copied then
   */
  public static boolean give(long[] w, int first, int bytes, Key key, long version, long address) {
    int place = key.place(address);
    key.enter();
    try {
      MemorySegment target = key.segment(place);
      long offset = address - key.start(place);
      return bytes <= key.run(place, address, bytes)
          && key.live(version)
          && Copier.fromWords(w, first, bytes, target, offset);
    } finally {
      key.leave();
    }
  }
}
