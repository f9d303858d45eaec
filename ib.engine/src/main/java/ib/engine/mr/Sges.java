package ib.engine.mr;

/**
 * The scatter/gather elements of a request: two words each, the address, then the length in the
 * lower half and the local key in the upper half. They stand one behind the other in an array, of
 * which only this class knows what its words mean.
 */
public final class Sges {
  /** Words of an element. */
  public static final int WORDS = 2;

  private Sges() {}

  /**
   * Writes an element.
   *
   * @param w the words
   * @param at where the element begins
   * @param lkey local key
   * @param address address in the region's space
   * @param bytes length in bytes, unsigned
   */
  public static void set(long[] w, int at, int lkey, long address, int bytes) {
    w[at] = address;
    w[at + 1] = word(lkey, bytes);
  }

  /**
   * {@return the second word of an element}
   *
   * @param lkey local key
   * @param bytes length in bytes, unsigned
   */
  public static long word(int lkey, int bytes) {
    return (long) lkey << 32 | bytes & 0xffffffffL;
  }

  /** {@return the local key that stands in the second word of an element} */
  static int key(long word) {
    return (int) (word >>> 32);
  }

  /** {@return the length that stands there} */
  static long bytes(long word) {
    return word & 0xffffffffL;
  }

  /**
   * Writes elements of no bytes.
   *
   * @param w the words
   * @param from where the first begins
   * @param to where the last ends
   */
  public static void clear(long[] w, int from, int to) {
    for (int at = from; at < to; at += WORDS) {
      w[at + 1] = 0;
    }
  }

  /**
   * {@return the address of an element, in the region's space}
   *
   * @param w the words
   * @param at where the element begins
   */
  public static long address(long[] w, int at) {
    return w[at];
  }

  /**
   * {@return the local key of an element}
   *
   * @param w the words
   * @param at where the element begins
   */
  public static int lkey(long[] w, int at) {
    return key(w[at + 1]);
  }

  /**
   * {@return the bytes of an element}
   *
   * @param w the words
   * @param at where the element begins
   */
  public static long length(long[] w, int at) {
    return bytes(w[at + 1]);
  }

  /**
   * {@return the bytes of several elements}
   *
   * @param w the words
   * @param at where the first begins
   * @param count number of elements
   */
  public static long length(long[] w, int at, int count) {
    if (count == 1) {
      return length(w, at); // nearly every request
    }
    long sum = 0;
    for (int i = 0; i < count; i++) {
      sum += length(w, at + WORDS * i);
    }
    return sum;
  }
}
