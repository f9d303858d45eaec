package ib.engine.mr;

/**
 * The scatter/gather elements of a request: two words each, the address, then the local key and the
 * length. Reused; one thread at a time may use a list.
 */
public final class SgeList {
  private static final int WORDS = 2; // of an element

  private final long[] words;
  private int count;
  private long length;

  /**
   * Makes an empty list.
   *
   * @param most greatest number of elements
   */
  public SgeList(int most) {
    words = new long[WORDS * most];
  }

  /** Removes all elements. */
  public void clear() {
    count = 0;
    length = 0;
  }

  /**
   * Adds an element.
   *
   * @param lkey local key
   * @param address address in the region's space
   * @param bytes length in bytes, unsigned
   * @return false when the list is full
   */
  public boolean add(int lkey, long address, int bytes) {
    int n = count;
    int at = WORDS * n;
    if (at == words.length) {
      return false;
    }
    words[at] = address;
    words[at + 1] = (long) lkey << 32 | bytes & 0xffffffffL;
    count = n + 1;
    length += bytes & 0xffffffffL;
    return true;
  }

  /** {@return the words of all elements} */
  public long[] words() {
    return words;
  }

  /** {@return the greatest number of elements} */
  public int most() {
    return words.length / WORDS;
  }

  /** {@return the number of elements} */
  public int count() {
    return count;
  }

  /** {@return the sum of all lengths, in bytes} */
  public long length() {
    return length;
  }

  /**
   * Local key of an element.
   *
   * @param i from 0
   * @return the key
   */
  public int lkey(int i) {
    return (int) (words[WORDS * i + 1] >>> 32);
  }

  /**
   * Address of an element.
   *
   * @param i from 0
   * @return in the region's space
   */
  public long address(int i) {
    return words[WORDS * i];
  }

  /**
   * Length of an element.
   *
   * @param i from 0
   * @return bytes
   */
  public long length(int i) {
    return words[WORDS * i + 1] & 0xffffffffL;
  }
}
