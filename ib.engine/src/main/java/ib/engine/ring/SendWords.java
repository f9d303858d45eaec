package ib.engine.ring;

import ib.core.verbs.Cqe;
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
 * Send requests as words, as who executes them reads them: those of a ring, or those that a builder
 * has not posted yet. {@link SendSlots} writes them. A request is named by the place {@code b}
 * where its words begin, and only these two classes know what the words mean:
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
 * <p>After a request is published only the thread that holds the queue pair's claim reads it, until
 * its completion can be polled. A request that is still in its builder may be changed by a second
 * thread that misuses the builder, so what a check has used is read once: {@link #kind} gives the
 * word that says what the others are, {@link #measured} the same with the length of the message.
 */
public abstract class SendWords {
  static final int WR_ID = 1;
  static final int KIND = 2;
  static final int KEYS = 3;
  static final int REMOTE = 4;
  static final int DATA = 5;

  static final int PKEY_INDEX = 32;
  static final int MSS = 48;

  private static final VarHandle BESIDE;

  static {
    try {
      BESIDE = MethodHandles.lookup().findVarHandle(SendWords.class, "beside", Beside.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  final long[] words;
  final int stride;
  final int sgeMost;
  final int inlineMost;
  private @Nullable MemorySegment segment; // the words again; made when it is first needed
  private volatile @Nullable Beside beside; // the same

  SendWords(long[] words, int sgeMost, int inlineMost) {
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

  /** {@return the number of requests} */
  public final int slots() {
    return words.length / stride;
  }

  /**
   * {@return the place of a request}
   *
   * @param i the request, from 0
   */
  public final int place(int i) {
    return i * stride;
  }

  /**
   * {@return whether there is a request at a place}
   *
   * @param b any number
   */
  public final boolean holds(int b) {
    return b >= 0 && b <= words.length - stride;
  }

  /** {@return greatest length of inline data, in bytes} */
  public final int inlineMost() {
    return inlineMost;
  }

  /** {@return the words as a heap segment, for packets with inline data} */
  public final MemorySegment segment() {
    MemorySegment s = segment;
    if (s == null) {
      s = MemorySegment.ofArray(words);
      segment = s; // two threads may make one each: they are equal
    }
    return s;
  }

  /** {@return the objects beside the words, made now if this is the first time} */
  final Beside beside() {
    Beside b = beside;
    while (b == null) {
      BESIDE.compareAndSet(this, null, new Beside(slots()));
      b = beside;
    }
    return b;
  }

  // ---- the word that says what the others are ----

  /**
   * {@return the word from which the following methods read}
   *
   * @param b the request
   */
  public final long kind(int b) {
    return words[b + KIND];
  }

  /**
   * {@return the same word, with the bytes of the message in its upper half instead of what stands
   * there; a message of 4 GiB and more has 0xffffffff}
   *
   * @param b the request
   */
  public final long measured(int b) {
    long kind = words[b + KIND];
    return kind & 0xffffffffL | Math.min(messageLength(b, kind), 0xffffffffL) << 32;
  }

  /** {@return where the first element begins} */
  static int sges(int b, long kind) {
    return b + DATA + SendKind.operands(kind);
  }

  // ---- the others ----

  /** {@return the opcode of a request} */
  public final int opcode(int b) {
    return SendKind.opcode(words[b + KIND]);
  }

  /** {@return the flags of a request} */
  public final int flags(int b) {
    return SendKind.flags(words[b + KIND]);
  }

  /** {@return the number of requests that the word of this one publishes} */
  public final int batch(int b) {
    return (int) (words[b + KIND] >>> SendKind.BATCH) & 0xffff;
  }

  /** {@return work request id} */
  public final long wrId(int b) {
    return words[b + WR_ID];
  }

  /** {@return the lower half of the keys: rkey, new key, or Q_Key} */
  public final int rkey(int b) {
    return (int) words[b + KEYS];
  }

  /** {@return the upper half of the keys: immediate data, or the other key} */
  public final int immData(int b) {
    return (int) (words[b + KEYS] >>> 32);
  }

  /** {@return remote address} */
  public final long remoteAddress(int b) {
    return words[b + REMOTE];
  }

  /** {@return destination of a datagram} */
  public final int remoteQpn(int b) {
    return (int) words[b + REMOTE] & 0xffffff;
  }

  /** {@return index of the P_Key of a datagram of QP1} */
  public final int pkeyIndex(int b) {
    return (int) (words[b + REMOTE] >>> PKEY_INDEX) & 0xffff;
  }

  /** {@return bytes of data in each segment of a large send; 0 if the request is none} */
  public final int mss(int b) {
    return (int) (words[b + REMOTE] >>> MSS);
  }

  /** {@return the value that an atomic adds, or swaps in} */
  public final long swapAdd(int b) {
    return words[b + DATA];
  }

  /** {@return the value that a compare and swap compares with} */
  public final long compare(int b) {
    return words[b + DATA + 1];
  }

  /** {@return the length of a request on memory, in bytes} */
  public final long memoryLength(int b) {
    return words[b + DATA];
  }

  /** {@return the rights that a request on memory grants} */
  public final int access(int b) {
    return (int) words[b + DATA + 1];
  }

  /** {@return the remote key of the window or region of a request on memory} */
  public final int object(int b) {
    return (int) words[b + DATA + 2];
  }

  /** {@return where the inline data begins in {@link #segment}} */
  public final long inlineOffset(int b) {
    return (long) (b + DATA) * Long.BYTES;
  }

  /**
   * {@return bytes of the message}
   *
   * @param b the request
   * @param kind what {@link #kind} has returned of it
   */
  public final long messageLength(int b, long kind) {
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
  public final LastKeys elements(int b, long kind, LastKeys keys) {
    return keys.elements(words, sges(b, kind), SendKind.count(kind));
  }

  /**
   * Copies the data of a request to memory that a key has admitted. Each word that says where the
   * data is, and how much, is read once, before or here.
   *
   * @param b the request
   * @param measured what {@link #measured} has returned of it, so many bytes the key has admitted
   * @param keys the keys of the queue pair
   * @param key key of the target
   * @param version result of {@link Key#admit} for all bytes
   * @param address address of the target
   * @return whether all is copied; if not, some bytes may be
   */
  public final boolean store(
      int b, long measured, LastKeys keys, Key key, long version, long address) {
    long length = SendKind.measuredLength(measured);
    if (SendKind.isInline(measured)) {
      return InlineData.give(words, b + DATA, (int) length, key, version, address);
    }
    if (SendKind.count(measured) != 1) {
      return Mover.store(elements(b, measured, keys), length, key, version, address);
    }
    int at = sges(b, measured); // nearly every request
    long element = Sges.word(Sges.lkey(words, at), (int) length);
    return Mover.store(keys, Sges.address(words, at), element, key, version, address);
  }

  /** {@return whether an object stands beside a request} */
  final boolean hasObjects() {
    return beside != null;
  }

  /** {@return the route of a datagram, or null} */
  public final @Nullable Route route(int b) {
    Beside objects = beside;
    return objects == null ? null : objects.routes[b / stride];
  }

  /** {@return the header of a large send; null before this request's first large send} */
  public final @Nullable LargeHeader header(int b) {
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
  public final @Nullable Cqe takeCqe(int b, long kind) {
    if ((kind & SendKind.CALLBACK) == 0) {
      return null;
    }
    @Nullable Cqe[] cqes = beside().cqes;
    Cqe cqe = cqes[b / stride];
    cqes[b / stride] = null;
    return cqe;
  }
}
