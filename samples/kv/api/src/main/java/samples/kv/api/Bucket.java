package samples.kv.api;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * A bucket: memory for one key and its value.
 *
 * <pre>
 *   0  CRC32C of all that follows
 *   4  length of the key, 0 in a free bucket
 *   8  length of the value
 *  12  the key, then the value
 * </pre>
 *
 * <p>A client reads buckets while the server writes them, so what it has read may be half old and
 * half new: {@link #isWhole} says whether the bytes belong together.
 *
 * @param memory of {@link #BYTES} bytes
 */
public record Bucket(MemorySegment memory) {
  /** The size of a bucket. */
  public static final int BYTES = 512;

  /** A key is in one of so many buckets, which follow one another: one read gets them all. */
  public static final int PROBES = 4;

  /** The most bytes of a key. */
  public static final int MAX_KEY_BYTES = 100;

  /** The most bytes of a value. */
  public static final int MAX_VALUE_BYTES = 400;

  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  private static final int CRC = 0;
  private static final int KEY_LENGTH = 4;
  private static final int VALUE_LENGTH = 8;
  private static final int KEY = 12;

  /**
   * Finds a bucket of a table.
   *
   * @param table the memory of the buckets
   * @param index which one, from 0
   * @return the bucket
   */
  public static Bucket of(MemorySegment table, int index) {
    return new Bucket(table.asSlice((long) index * BYTES, BYTES));
  }

  /**
   * Finds the first of the buckets that a key may be in.
   *
   * @param key the key
   * @param buckets how many buckets there are
   * @return its index
   */
  public static int first(byte[] key, int buckets) {
    CRC32C crc = new CRC32C();
    crc.update(key);
    return (int) (crc.getValue() % buckets);
  }

  /**
   * Writes a key and a value.
   *
   * @param key 1 to {@link #MAX_KEY_BYTES} bytes
   * @param value at most {@link #MAX_VALUE_BYTES} bytes
   */
  public void write(byte[] key, byte[] value) {
    memory.set(INT, KEY_LENGTH, key.length);
    memory.set(INT, VALUE_LENGTH, value.length);
    MemorySegment.copy(key, 0, memory, JAVA_BYTE, KEY, key.length);
    MemorySegment.copy(value, 0, memory, JAVA_BYTE, KEY + key.length, value.length);
    memory.set(INT, CRC, crc(KEY + key.length + value.length));
  }

  /** Makes the bucket free. */
  public void clear() {
    memory.set(INT, KEY_LENGTH, 0);
  }

  /** {@return whether nothing is in the bucket} */
  public boolean isFree() {
    return memory.get(INT, KEY_LENGTH) == 0;
  }

  /** {@return whether there is a key and a value that were written together} */
  public boolean isWhole() {
    int key = memory.get(INT, KEY_LENGTH);
    int value = memory.get(INT, VALUE_LENGTH);
    return key > 0
        && key <= MAX_KEY_BYTES
        && value >= 0
        && value <= MAX_VALUE_BYTES
        && memory.get(INT, CRC) == crc(KEY + key + value);
  }

  /**
   * Compares the key of a whole bucket.
   *
   * @param key the key
   * @return whether it is this one
   */
  public boolean holds(byte[] key) {
    return Arrays.equals(key, key());
  }

  /** {@return the key of a whole bucket} */
  public byte[] key() {
    return memory.asSlice(KEY, memory.get(INT, KEY_LENGTH)).toArray(JAVA_BYTE);
  }

  /** {@return the value of a whole bucket} */
  public byte[] value() {
    long from = KEY + memory.get(INT, KEY_LENGTH);
    return memory.asSlice(from, memory.get(INT, VALUE_LENGTH)).toArray(JAVA_BYTE);
  }

  private int crc(int end) {
    CRC32C crc = new CRC32C();
    crc.update(memory.asSlice(KEY_LENGTH, end - KEY_LENGTH).toArray(JAVA_BYTE));
    return (int) crc.getValue();
  }
}
