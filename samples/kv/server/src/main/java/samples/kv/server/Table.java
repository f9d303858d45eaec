package samples.kv.server;

import ib.core.verbs.IbInvalidException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import samples.kv.api.Bucket;
import samples.kv.api.KeyValueServer;

/**
 * The buckets. The memory belongs to no device: what is stored is still there when the device comes
 * back. Clients read it at any time, and the server does not wait for them.
 */
public final class Table {
  /** The most buckets, which are half a GiB of memory. */
  public static final int MAX_BUCKETS = 1 << 20;

  private final int buckets;
  private final MemorySegment memory;

  /**
   * An empty table.
   *
   * @param buckets how many buckets, 1 to {@link #MAX_BUCKETS}
   * @throws IbInvalidException when it is another number
   */
  public Table(int buckets) {
    if (buckets < 1 || buckets > MAX_BUCKETS) {
      throw new IbInvalidException(
          "the table of samples.kv.server",
          "buckets is " + buckets,
          "buckets: a whole number from 1 to " + MAX_BUCKETS);
    }
    this.buckets = buckets;
    // The last bucket has its probes behind it, so that no read goes around the end.
    memory = Arena.ofAuto().allocate((buckets + Bucket.PROBES - 1L) * Bucket.BYTES, 64);
  }

  int buckets() {
    return buckets;
  }

  /** {@return the memory of the buckets} */
  public MemorySegment memory() {
    return memory;
  }

  /**
   * Does what a message of a client says. One message at a time.
   *
   * @param operation its immediate data
   * @param message its memory, of the size of a bucket
   * @param bytes how many have come
   * @return the answer
   */
  public synchronized int apply(int operation, MemorySegment message, int bytes) {
    Bucket asked = new Bucket(message);
    boolean known = operation == KeyValueServer.PUT || operation == KeyValueServer.DELETE;
    if (!known || bytes != Bucket.BYTES || !asked.isWhole()) {
      return KeyValueServer.REFUSED;
    }
    boolean put = operation == KeyValueServer.PUT;
    byte[] key = asked.key();
    int first = Bucket.first(key, buckets);
    int free = -1;
    for (int i = first + Bucket.PROBES - 1; i >= first; i--) {
      Bucket bucket = Bucket.of(memory, i);
      if (bucket.isFree()) {
        free = i; // in the end the first one
      } else if (bucket.holds(key)) {
        if (put) {
          bucket.memory().copyFrom(message);
        } else {
          bucket.clear();
        }
        return KeyValueServer.DONE;
      }
    }
    if (!put) {
      return KeyValueServer.ABSENT;
    }
    if (free < 0) {
      return KeyValueServer.FULL;
    }
    Bucket.of(memory, free).memory().copyFrom(message);
    return KeyValueServer.DONE;
  }
}
