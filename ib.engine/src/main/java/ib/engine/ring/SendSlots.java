package ib.engine.ring;

import ib.core.verbs.Cqe;
import ib.core.verbs.WrOpcode;
import ib.engine.mr.InlineData;
import ib.engine.mr.Key;
import ib.engine.mr.LastKeys;
import ib.engine.mr.Mover;
import ib.engine.mr.Sges;
import ib.engine.wire.Route;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Send requests as words: those of a ring, or those that a builder has not posted yet. A request is
 * named by the place {@code b} where its words begin, and only this class knows what they mean:
 *
 * <pre>
 * 0 index + 1 when published
 * 1 wrId
 * 2 opcode 6, flags 8 from bit 8, number of elements 8, broken, inline, callback; from bit 32 the
 *   number of requests that its word 0 publishes 16, bytes of inline data 16
 * 3 lower half: rkey, new key (BIND_MW, REG_MR), Q_Key (UD)
 *   upper half: immediate data, key to invalidate, what a FLUSH asks for, lkey of a bound region
 * 4 remote address; of a datagram: QPN 24, P_Key index 16 from bit 32, segment size 16
 * 5 ... elements, two words each; of an atomic behind its two operands
 * 5 ... inline data, instead of elements; the value of an ATOMIC_WRITE is such
 * 5 length of a FLUSH or BIND_MW, 6 rights, 7 key of the window or region itself
 * </pre>
 *
 * <p>Objects do not fit into words: callbacks, the routes of datagrams and the headers of large
 * sends stand beside them, made when the first is needed.
 *
 * <p>The poster writes a request before it publishes it; afterwards only the thread that holds the
 * queue pair's claim reads it, until its completion can be polled. A request that is still in its
 * builder may be changed by a second thread that misuses the builder, so what a check has used is
 * read once: {@link #kind} gives the word that says what the others are.
 */
public final class SendSlots {
  private static final int WR_ID = 1;
  private static final int KIND = 2;
  private static final int KEYS = 3;
  private static final int REMOTE = 4;
  private static final int DATA = 5;

  private static final int PKEY_INDEX = 32;
  private static final int MSS = 48;

  private static final VarHandle BESIDE;

  static {
    try {
      BESIDE = MethodHandles.lookup().findVarHandle(SendSlots.class, "beside", Beside.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final long[] words;
  private final int stride;
  private final int sgeMost;
  private final int inlineMost;
  private @Nullable MemorySegment segment; // the words again; made when it is first needed
  private volatile @Nullable Beside beside; // the same

  /**
   * Makes requests of their own words.
   *
   * @param slots number of requests
   * @param sgeMost greatest number of elements of a request
   * @param inlineMost greatest length of inline data, in bytes
   */
  public SendSlots(int slots, int sgeMost, int inlineMost) {
    this(new long[slots * stride(sgeMost, inlineMost)], sgeMost, inlineMost);
  }

  /** Makes requests of a ring's words. */
  SendSlots(long[] words, int sgeMost, int inlineMost) {
    this.words = words;
    this.stride = stride(sgeMost, inlineMost);
    this.sgeMost = sgeMost;
    this.inlineMost = inlineMost;
  }

  /** {@return the number of words of a request} */
  static int stride(int sgeMost, int inlineMost) {
    int data = Math.max(SendKind.OPERANDS + Sges.WORDS * sgeMost, SendKind.MEMORY);
    return DATA + Math.max(data, SendKind.words(inlineMost));
  }

  // ---- all of them ----

  /** {@return the number of requests} */
  public int slots() {
    return words.length / stride;
  }

  /**
   * {@return the place of a request}
   *
   * @param i the request, from 0
   */
  public int place(int i) {
    return i * stride;
  }

  /**
   * {@return whether there is a request at a place}
   *
   * @param b any number
   */
  public boolean holds(int b) {
    return b >= 0 && b <= words.length - stride;
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

  /** {@return greatest length of inline data, in bytes} */
  public int inlineMost() {
    return inlineMost;
  }

  /** {@return the words as a heap segment, for packets with inline data} */
  public MemorySegment segment() {
    MemorySegment s = segment;
    if (s == null) {
      s = MemorySegment.ofArray(words);
      segment = s; // two threads may make one each: they are equal
    }
    return s;
  }

  private Beside beside() {
    Beside b = beside;
    while (b == null) {
      BESIDE.compareAndSet(this, null, new Beside(slots()));
      b = beside;
    }
    return b;
  }

  // ---- written by the poster ----

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
    Beside objects = beside;
    if (objects != null) {
      objects.routes[b / stride] = null;
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
    if (from.beside != null) {
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

  // ---- the word that says what the others are ----

  /**
   * {@return the word from which the following methods read}
   *
   * @param b the request
   */
  public long kind(int b) {
    return words[b + KIND];
  }

  private static int sges(int b, long kind) {
    return b + DATA + SendKind.operands(kind);
  }

  // ---- the others ----

  /** {@return the opcode of a request} */
  public int opcode(int b) {
    return SendKind.opcode(words[b + KIND]);
  }

  /** {@return the flags of a request} */
  public int flags(int b) {
    return SendKind.flags(words[b + KIND]);
  }

  /** {@return the number of requests that the word of this one publishes} */
  public int batch(int b) {
    return (int) (words[b + KIND] >>> SendKind.BATCH) & 0xffff;
  }

  /** {@return work request id} */
  public long wrId(int b) {
    return words[b + WR_ID];
  }

  /** {@return the lower half of the keys: rkey, new key, or Q_Key} */
  public int rkey(int b) {
    return (int) words[b + KEYS];
  }

  /** {@return the upper half of the keys: immediate data, or the other key} */
  public int immData(int b) {
    return (int) (words[b + KEYS] >>> 32);
  }

  /** {@return remote address} */
  public long remoteAddress(int b) {
    return words[b + REMOTE];
  }

  /** {@return destination of a datagram} */
  public int remoteQpn(int b) {
    return (int) words[b + REMOTE] & 0xffffff;
  }

  /** {@return index of the P_Key of a datagram of QP1} */
  public int pkeyIndex(int b) {
    return (int) (words[b + REMOTE] >>> PKEY_INDEX) & 0xffff;
  }

  /** {@return bytes of data in each segment of a large send; 0 if the request is none} */
  public int mss(int b) {
    return (int) (words[b + REMOTE] >>> MSS);
  }

  /** {@return the value that an atomic adds, or swaps in} */
  public long swapAdd(int b) {
    return words[b + DATA];
  }

  /** {@return the value that a compare and swap compares with} */
  public long compare(int b) {
    return words[b + DATA + 1];
  }

  /** {@return the length of a request on memory, in bytes} */
  public long memoryLength(int b) {
    return words[b + DATA];
  }

  /** {@return the rights that a request on memory grants} */
  public int access(int b) {
    return (int) words[b + DATA + 1];
  }

  /** {@return the remote key of the window or region of a request on memory} */
  public int object(int b) {
    return (int) words[b + DATA + 2];
  }

  /** {@return where the inline data begins in {@link #segment}} */
  public long inlineOffset(int b) {
    return (long) (b + DATA) * Long.BYTES;
  }

  /**
   * {@return bytes of the message}
   *
   * @param b the request
   * @param kind what {@link #kind} has returned of it
   */
  public long messageLength(int b, long kind) {
    int inline = SendKind.inlineLength(kind);
    return inline >= 0 ? inline : Sges.length(words, sges(b, kind), SendKind.count(kind));
  }

  /**
   * Takes the elements of a request in hand.
   *
   * @param b the request
   * @param kind what {@link #kind} has returned of it
   * @param keys the keys of the queue pair
   * @return the keys
   */
  public LastKeys elements(int b, long kind, LastKeys keys) {
    return keys.elements(words, sges(b, kind), SendKind.count(kind));
  }

  /**
   * Copies the data of a request to memory that a key has admitted. Each word that says where the
   * data is, and how much, is read once, before or here.
   *
   * @param b the request
   * @param kind what {@link #kind} has returned of it
   * @param length what {@link #messageLength} has returned of it, which the key has admitted
   * @param keys the keys of the queue pair
   * @param key key of the target
   * @param version result of {@link Key#admit} for all bytes
   * @param address address of the target
   * @return whether all is copied; if not, some bytes may be
   */
  public boolean store(
      int b, long kind, long length, LastKeys keys, Key key, long version, long address) {
    if (SendKind.inlineLength(kind) >= 0) {
      return InlineData.give(words, b + DATA, (int) length, key, version, address);
    }
    if (SendKind.count(kind) != 1) {
      return Mover.store(elements(b, kind, keys), length, key, version, address);
    }
    int at = sges(b, kind); // nearly every request
    int lkey = Sges.lkey(words, at);
    return Mover.store(keys, lkey, Sges.address(words, at), length, key, version, address);
  }

  /** {@return the route of a datagram, or null} */
  public @Nullable Route route(int b) {
    Beside objects = beside;
    return objects == null ? null : objects.routes[b / stride];
  }

  /** {@return the header of a large send; null before this request's first large send} */
  public @Nullable LargeHeader header(int b) {
    Beside objects = beside;
    return objects == null ? null : objects.headers[b / stride];
  }

  /**
   * Takes the callback out of a request, so that it is not kept.
   *
   * @param b the request
   * @param kind what {@link #kind} has returned of it
   * @return the callback of a managed queue, or null
   */
  public @Nullable Cqe takeCqe(int b, long kind) {
    if ((kind & SendKind.CALLBACK) == 0) {
      return null;
    }
    @Nullable Cqe[] cqes = beside().cqes;
    Cqe cqe = cqes[b / stride];
    cqes[b / stride] = null;
    return cqe;
  }
}
