package ib.engine.mr;

/** The scatter/gather elements of a request. Reused; one thread at a time may use a list. */
public final class SgeList {
  private final int[] lkeys;
  private final long[] addresses;
  private final int[] lengths;
  private int count;
  private long length;

  /**
   * Makes an empty list.
   *
   * @param most greatest number of elements
   */
  public SgeList(int most) {
    lkeys = new int[most];
    addresses = new long[most];
    lengths = new int[most];
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
    if (n == lkeys.length) {
      return false;
    }
    lkeys[n] = lkey;
    addresses[n] = address;
    lengths[n] = bytes;
    count = n + 1;
    length += bytes & 0xffffffffL;
    return true;
  }

  /** {@return the greatest number of elements} */
  public int most() {
    return lkeys.length;
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
    return lkeys[i];
  }

  /**
   * Address of an element.
   *
   * @param i from 0
   * @return in the region's space
   */
  public long address(int i) {
    return addresses[i];
  }

  /**
   * Length of an element.
   *
   * @param i from 0
   * @return bytes
   */
  public long length(int i) {
    return lengths[i] & 0xffffffffL;
  }
}
