package ib.core.verbs;

/** The scatter/gather entries of a work request. */
final class Sges {
  private final int[] lkeys;
  private final long[] addresses;
  private final int[] lengths;
  private int count;

  Sges(int capacity) {
    Range.check("sgeCapacity", capacity, 0xFFFF);
    lkeys = new int[capacity];
    addresses = new long[capacity];
    lengths = new int[capacity];
  }

  int capacity() {
    return lkeys.length;
  }

  int count() {
    return count;
  }

  void clear() {
    count = 0;
  }

  void add(int lkey, long address, int length) {
    if (count == lkeys.length) {
      throw new IbInvalidException(
          "addSge", "room for " + count + " entries only", "a larger sgeCapacity");
    }
    lkeys[count] = lkey;
    addresses[count] = address;
    lengths[count] = length;
    count++;
  }

  int lkey(int i) {
    return lkeys[i];
  }

  long address(int i) {
    return addresses[i];
  }

  int length(int i) {
    return lengths[i];
  }
}
