package ib.engine.ring;

import ib.core.verbs.Cqe;
import ib.core.verbs.WrOpcode;
import ib.engine.mr.InlineData;
import ib.engine.mr.LastKeys;
import ib.engine.mr.Sges;
import ib.engine.wire.Route;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Send requests as words, as their poster writes them: {@link SendWords} says what the words mean.
 * Objects do not fit into words: callbacks, the routes of datagrams and the headers of large sends
 * stand beside them, made when the first is needed.
 *
 * <p>The poster writes a request before it publishes it. The requests of a builder are of the one
 * thread that uses the builder; whatever a second one does, a copy of a request stays inside the
 * slots.
 */
public final class SendSlots extends SendWords {
  /**
   * Makes requests of their own words.
   *
   * @param slots number of requests
   * @param sgeMost greatest number of elements of a request
   * @param inlineMost greatest length of inline data, in bytes
   */
  public SendSlots(int slots, int sgeMost, int inlineMost) {
    super(new long[slots * stride(sgeMost, inlineMost)], sgeMost, inlineMost);
  }

  /** Makes requests of a ring's words. */
  SendSlots(long[] words, int sgeMost, int inlineMost) {
    super(words, sgeMost, inlineMost);
  }

  /**
   * {@return more requests, of which the first are copies of these}
   *
   * @param slots number of requests, not less than here
   */
  public SendSlots grown(int slots) {
    SendSlots more = new SendSlots(slots, sgeMost, inlineMost);
    for (int b = 0; holds(b); b += stride) {
      more.copy(b, this, b);
    }
    return more;
  }

  /**
   * Begins a request without data.
   *
   * @param b the request
   * @param wrId work request id
   * @param opcode value of {@code WrOpcode}
   * @param flags bits of {@code SendFlags}; bits that no flag has stay bits that no flag has
   */
  public void begin(int b, long wrId, int opcode, int flags) {
    int known = flags & (SendKind.FLAG_UNKNOWN - 1);
    words[b + WR_ID] = wrId;
    words[b + KIND] =
        opcode | (known == flags ? known : known | SendKind.FLAG_UNKNOWN) << SendKind.FLAGS;
  }

  /**
   * Sets both keys.
   *
   * @param b the request
   * @param remote the lower half: rkey, new key or Q_Key
   * @param other the upper half: immediate data, or the other key
   */
  public void keys(int b, int remote, int other) {
    words[b + KEYS] = remote & 0xffffffffL | (long) other << 32;
  }

  /**
   * Sets the remote address.
   *
   * @param b the request
   * @param address the address
   */
  public void remote(int b, long address) {
    words[b + REMOTE] = address;
  }

  /**
   * Sets the destination of a datagram.
   *
   * @param b the request
   * @param route the address as it is when the request is posted (S5)
   * @param qpn destination
   * @param qkey Q_Key
   * @param pkeyIndex index of the P_Key
   */
  public void datagram(int b, @Nullable Route route, int qpn, int qkey, int pkeyIndex) {
    long size = words[b + REMOTE] >>> MSS << MSS;
    words[b + REMOTE] = size | (pkeyIndex & 0xffffL) << PKEY_INDEX | qpn & 0xffffffL;
    words[b + KEYS] = words[b + KEYS] >>> 32 << 32 | qkey & 0xffffffffL;
    beside().routes[b / stride] = route;
  }

  /**
   * Makes a large send of a request.
   *
   * @param b the request
   * @param mss bytes of data of each segment, 1 to 65535
   * @return its header, to be set
   */
  public LargeHeader large(int b, int mss) {
    words[b + REMOTE] = (long) mss << MSS;
    @Nullable LargeHeader[] headers = beside().headers;
    LargeHeader header = headers[b / stride];
    if (header == null) {
      header = new LargeHeader(); // once per request that is ever a large send
      headers[b / stride] = header;
    }
    return header;
  }

  /**
   * Adds an element, unless the opcode has none or the data is inline.
   *
   * @param b the request
   * @param only whether it takes the place of those before
   * @param lkey local key
   * @param address address in the region's space
   * @param bytes length in bytes, unsigned
   * @return false when the request has as many as it can
   */
  public boolean add(int b, boolean only, int lkey, long address, int bytes) {
    long kind = only ? words[b + KIND] & ~SendKind.COUNT_BITS : words[b + KIND];
    if (SendKind.hasNoElements(kind)) {
      return true;
    }
    int n = SendKind.count(kind);
    if (n == sgeMost) {
      return false;
    }
    Sges.set(words, sges(b, kind) + Sges.WORDS * n, lkey, address, bytes);
    words[b + KIND] = kind + (1L << SendKind.COUNT);
    return true;
  }

  /**
   * Copies the elements of a request.
   *
   * @param b the request
   * @param kind what {@link #kind} has returned of it
   * @param into two words for each, as {@link Sges} has them
   */
  public void copyElements(int b, long kind, long[] into) {
    System.arraycopy(words, sges(b, kind), into, 0, Sges.WORDS * SendKind.count(kind));
  }

  /**
   * Forgets the route of a datagram that was in the same place.
   *
   * @param b the request
   */
  public void forget(int b) {
    if (hasObjects()) {
      beside().routes[b / stride] = null;
    }
  }

  /**
   * Copies data into the request itself.
   *
   * @param b the request
   * @param data the source, any kind of segment
   * @param offset offset in the source in bytes
   * @param bytes number of bytes
   * @return false when it cannot be read or is too long; then the request has no bytes
   */
  public boolean inline(int b, MemorySegment data, long offset, int bytes) {
    boolean taken =
        bytes <= inlineMost && InlineData.take(data, offset, words, inlineOffset(b), bytes);
    inline(b, taken ? bytes : 0);
    return taken;
  }

  /**
   * Copies an element into the request itself; {@link #inline(int, int)} says then that it is data.
   *
   * @param b the request
   * @param to the byte of the data where the element begins
   * @param lkey local key
   * @param address address in the region's space
   * @param bytes number of bytes
   * @param keys the memory of the queue pair
   * @return false when a key does not allow it, or it is too long
   */
  public boolean inlineElement(int b, int to, int lkey, long address, int bytes, LastKeys keys) {
    return bytes >= 0
        && bytes <= inlineMost - to
        && InlineData.take(lkey, address, keys, words, inlineOffset(b) + to, bytes);
  }

  /**
   * Copies the data of a request's only element to where the element stands.
   *
   * @param b the request
   * @param kind what {@link #kind} has returned of it
   * @param keys the memory of the queue pair
   * @return false when a key does not allow it, or it is too long
   */
  public boolean inlineOnly(int b, long kind, LastKeys keys) {
    int at = sges(b, kind);
    int bytes = (int) Sges.length(words, at);
    boolean taken = inlineElement(b, 0, Sges.lkey(words, at), Sges.address(words, at), bytes, keys);
    if (taken) {
      inline(b, bytes);
    }
    return taken;
  }

  /**
   * Says that the data stands in the request itself.
   *
   * @param b the request
   * @param bytes number of bytes
   */
  public void inline(int b, int bytes) {
    words[b + KIND] =
        words[b + KIND] & ~SendKind.DATA_BITS | SendKind.INLINE | (long) bytes << SendKind.BYTES;
  }

  /**
   * Sets the operands of an atomic.
   *
   * @param b the request
   * @param swapAdd the value to add, or to swap in
   * @param compare the value that a compare and swap compares with
   */
  public void operands(int b, long swapAdd, long compare) {
    words[b + DATA] = swapAdd;
    words[b + DATA + 1] = compare;
  }

  /**
   * Sets 8 bytes of inline data, which always fit.
   *
   * @param b the request
   * @param value the data, in the machine's byte order
   */
  public void value(int b, long value) {
    words[b + DATA] = value;
    inline(b, Long.BYTES);
  }

  /**
   * Sets what a request on memory is about.
   *
   * @param b the request
   * @param length length in bytes
   * @param access access rights that it grants
   * @param object the remote key of the window or region itself, 0 for none
   */
  public void memory(int b, long length, int access, int object) {
    words[b + DATA] = length;
    words[b + DATA + 1] = access;
    words[b + DATA + 2] = object;
  }

  /**
   * Makes the request fail when it is executed, because its inline data could not be copied.
   *
   * @param b the request
   */
  public void broken(int b) {
    words[b + KIND] |= SendKind.BROKEN;
  }

  /**
   * Makes an empty request that fails when it is executed; for a poster that could not fill it.
   *
   * @param b the request
   */
  public void breakIt(int b) {
    words[b + KIND] = WrOpcode.SEND.value() | SendKind.BROKEN;
    words[b + REMOTE] = 0;
  }

  /**
   * Sets how many requests the word of this one publishes.
   *
   * @param b the first of them
   * @param n number of requests
   */
  public void batch(int b, int n) {
    words[b + KIND] = words[b + KIND] & ~SendKind.BATCH_BITS | (long) n << SendKind.BATCH;
  }

  /**
   * Sets the callback of a managed queue.
   *
   * @param b the request
   * @param cqe the callback
   */
  public void cqe(int b, Cqe cqe) {
    beside().cqes[b / stride] = cqe;
    words[b + KIND] |= SendKind.CALLBACK;
  }

  /**
   * Copies a request, whatever another thread does to it meanwhile: all that is copied fits here.
   *
   * @param b where to, all but the word that publishes
   * @param from requests of the same size
   * @param f the request there
   */
  public void copy(int b, SendSlots from, int f) {
    long kind = from.words[f + KIND];
    System.arraycopy(
        from.words,
        f + WR_ID,
        words,
        b + WR_ID,
        Math.min(stride, DATA + SendKind.words(kind)) - WR_ID);
    words[b + KIND] = kind & ~SendKind.CALLBACK;
    if (from.hasObjects()) {
      objects(b, from, f, kind);
    }
  }

  private void objects(int b, SendSlots from, int f, long kind) {
    if ((kind & SendKind.CALLBACK) != 0) {
      Cqe cqe = from.takeCqe(f, kind);
      if (cqe != null) {
        cqe(b, cqe);
      }
    }
    Beside there = from.beside();
    if (there.isDatagram(f / stride)) {
      beside().take(b / stride, there, f / stride);
    }
  }
}
