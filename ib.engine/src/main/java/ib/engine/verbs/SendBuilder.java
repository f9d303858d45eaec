package ib.engine.verbs;

import ib.core.verbs.AddressHandle;
import ib.core.verbs.Cqe;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.MemoryWindow;
import ib.core.verbs.PostStatus;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WrOpcode;
import ib.engine.mr.Sges;
import ib.engine.qp.Verb;
import ib.engine.ring.LargeHeader;
import ib.engine.ring.SendKind;
import ib.engine.ring.SendSlots;
import ib.engine.ring.TcpHeader;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The builder form: requests are made outside the ring, as the same words, and copied into it,
 * whole or not at all, unless they are executed where they are. One thread at a time: a batch is of
 * the thread that has begun it, and what another thread adds is left out. The first mistake is kept
 * and returned by {@link #complete}.
 */
final class SendBuilder {
  private static final int NONE = -1;

  private final SoftQp qp;
  private @Nullable SendSlots stage; // as many as the largest batch so far
  private long @Nullable [] elements; // several of one request, while its data takes their place
  private int count;
  private int status;
  private int current = NONE; // where the request begins that is being made
  private int memoryStatus; // what is wrong with its arguments, if it is one on memory
  private long wrId;
  private int flags;
  private @Nullable Cqe cqe;
  private @Nullable Thread user; // whose batch it is; none before the first

  SendBuilder(SoftQp qp) {
    this.qp = qp;
  }

  private SendSlots fresh() {
    return new SendSlots(1, qp.sendSgeMost(), qp.inlineMost());
  }

  void start() {
    Thread me = Thread.currentThread();
    if (!me.equals(user)) {
      if (count > 0) {
        stage = fresh(); // the other thread may still write to its last request
      }
      user = me;
    }
    count = 0;
    status = PostStatus.OK;
    current = NONE;
    wrId = 0;
    flags = 0;
    cqe = null;
  }

  void wrId(long value) {
    if (!foreign()) {
      wrId = value;
    }
  }

  void flags(int value) {
    if (!foreign()) {
      flags = value;
    }
  }

  void cqe(Cqe value) {
    if (!foreign()) {
      cqe = value;
    }
  }

  /** {@return whether the batch is another thread's; what the caller adds is left out then} */
  private boolean foreign() {
    Thread owner = user;
    return owner != null && !owner.equals(Thread.currentThread());
  }

  /**
   * {@return where the request begins that the caller is to add to; negative when there is none}
   */
  private int mine(@Nullable SendSlots s) {
    int b = current;
    return s == null || !s.holds(b) || foreign() ? NONE : b;
  }

  void begin(WrOpcode opcode, int rkey, long remoteAddress, int immData) {
    if (foreign()) {
      return;
    }
    SendSlots s = stage;
    check(s, current);
    int n = count;
    if (s == null || !s.holds(s.place(n))) {
      s = more(s, n);
      if (s == null) {
        fail(PostStatus.QUEUE_FULL);
        current = NONE;
        return;
      }
      stage = s;
    }
    int b = s.place(n);
    count = n + 1;
    s.begin(b, wrId, opcode.value(), flags);
    s.keys(b, rkey, immData);
    s.remote(b, remoteAddress);
    if (qp.datagram()) {
      s.forget(b);
    }
    Cqe callback = cqe;
    if (callback != null) {
      s.cqe(b, callback);
    }
    memoryStatus = PostStatus.OK;
    current = b;
  }

  /** {@return slots for one more than so many requests; null when the ring has no more} */
  private @Nullable SendSlots more(@Nullable SendSlots s, int n) {
    int most = qp.engine.sends.capacity();
    if (n >= most) {
      return null;
    }
    return s == null ? fresh() : s.grown(Math.min(2 * n, most));
  }

  /** Sets the header of a large send, and the size of its segments. */
  void large(MemorySegment from, long offset, int bytes, int mss) {
    SendSlots s = stage;
    int b = mine(s);
    if (s == null || b < 0) {
      return;
    }
    LargeHeader header = s.large(b, mss);
    boolean tcp = header.set(from, offset, bytes) && TcpHeader.holds(header.whole(), bytes);
    if (!tcp || mss < 1 || mss > 0xffff) {
      fail(PostStatus.INVALID);
    }
  }

  /** Sets the operands of an atomic. */
  void atomic(long swapAdd, long compare) {
    SendSlots s = stage;
    int b = mine(s);
    if (s != null && b >= 0) {
      if (s.opcode(b) == WrOpcode.ATOMIC_WRITE.value()) {
        s.value(b, swapAdd);
      } else {
        s.operands(b, swapAdd, compare);
      }
    }
  }

  /** Sets the length of a flush. */
  void flush(long length) {
    SendSlots s = stage;
    int b = mine(s);
    if (s != null && b >= 0) {
      memoryStatus = memory(s, b, null, null, length);
      s.memory(b, length, 0, 0);
    }
  }

  /** Sets the region, the length and the rights of a window. */
  void bind(MemoryWindow window, @Nullable MemoryRegion region, long length, int access) {
    SendSlots s = stage;
    int b = mine(s);
    if (s != null && b >= 0) {
      memoryStatus = memory(s, b, window, region, length);
      s.keys(b, s.rkey(b), region == null ? 0 : region.lkey());
      s.memory(b, length, access, window.rkey());
    }
  }

  /** Sets the region and the rights of a registration. */
  void register(MemoryRegion region, int access) {
    SendSlots s = stage;
    int b = mine(s);
    if (s != null && b >= 0) {
      memoryStatus = memory(s, b, region, null, 0);
      s.memory(b, 0, access, region.rkey());
    }
  }

  private int memory(
      SendSlots s, int b, @Nullable Object memory, @Nullable Object region, long length) {
    return SendCheck.memory(qp.engine.hca, s.opcode(b), memory, region, s.immData(b), length);
  }

  private void fail(int why) {
    if (status == PostStatus.OK && !foreign()) {
      status = why;
    }
  }

  /** Checks the request that is complete now. */
  private void check(@Nullable SendSlots s, int b) {
    if (s == null || !s.holds(b)) {
      return;
    }
    long kind = s.kind(b);
    boolean offered = (qp.opcodes >>> SendKind.opcode(kind) & 1) != 0;
    if (!offered || !SendKind.isPlain(kind) || qp.datagram() || memoryStatus != PostStatus.OK) {
      check(s, b, kind);
    }
  }

  private void check(SendSlots s, int b, long kind) {
    int opcode = SendKind.opcode(kind);
    int bits = SendKind.flags(kind);
    boolean inline = SendKind.inlineLength(kind) >= 0;
    boolean large = (Verb.what(opcode) & Verb.LARGE) != 0;
    if (large ? !qp.large() : (qp.opcodes >>> opcode & 1) == 0) {
      fail(PostStatus.NOT_SUPPORTED);
    } else if ((bits & ~SendFlags.ALL) != 0
        || (((bits & SendFlags.INLINE) != 0 || inline) && !takesInline(opcode, bits))
        || (qp.datagram() && s.route(b) == null)) {
      fail(PostStatus.INVALID);
    } else if ((bits & SendFlags.INLINE) != 0 && !inline) {
      gatherInline(s, b, kind);
    } else {
      fail(memoryStatus);
    }
  }

  private static boolean takesInline(int opcode, int flags) {
    if (opcode == WrOpcode.LSO.value()) {
      return false;
    }
    int data = Verb.SEND | Verb.WRITE | ((flags & SendFlags.INLINE) == 0 ? Verb.ATOMIC_WRITE : 0);
    return (Verb.what(opcode) & data) != 0;
  }

  /** Copies the bytes of the scatter/gather entries of an INLINE request to where these stand. */
  private void gatherInline(SendSlots s, int b, long kind) {
    int n = SendKind.count(kind);
    if (n == 1) {
      if (!s.inlineOnly(b, kind, qp.engine.keys)) {
        fail(PostStatus.INVALID);
      }
      return;
    }
    long[] e = elements;
    if (e == null) {
      e = new long[Sges.WORDS * qp.sendSgeMost()]; // once
      elements = e;
    }
    s.copyElements(b, kind, e);
    boolean copied = true;
    int to = 0;
    for (int i = 0; copied && i < n; i++) {
      int at = Sges.WORDS * i;
      int bytes = (int) Sges.length(e, at);
      copied = s.inlineElement(b, to, Sges.lkey(e, at), Sges.address(e, at), bytes, qp.engine.keys);
      to += bytes;
    }
    if (copied) {
      s.inline(b, to);
    } else {
      fail(PostStatus.INVALID);
    }
  }

  void address(AddressHandle ah, int remoteQpn, int remoteQkey) {
    SendSlots s = stage;
    int b = mine(s);
    if (s == null
        || b < 0
        || !(ah instanceof SoftAh a)
        || a.domain != qp.engine.domain()
        || !qp.datagram()
        || !qp.reaches(a)) {
      fail(PostStatus.INVALID);
      return;
    }
    s.datagram(b, a.route(), remoteQpn, remoteQkey, qp.engine.pkeyIndex);
  }

  void sge(int lkey, long address, int length, boolean only) {
    SendSlots s = stage;
    int b = mine(s);
    if (s == null || b < 0) {
      fail(PostStatus.INVALID);
      return;
    }
    if (length < 0 || !s.add(b, only, lkey, address, length)) {
      fail(PostStatus.INVALID);
    }
  }

  void inline(MemorySegment data, long offset, int length) {
    SendSlots s = stage;
    int b = mine(s);
    if (s == null || b < 0 || !s.inline(b, data, offset, length)) {
      fail(PostStatus.INVALID);
    }
  }

  int complete() {
    if (refused("wrComplete")) {
      return PostStatus.BUSY;
    }
    SendSlots s = stage;
    check(s, current);
    int n = count;
    int result = status;
    count = 0;
    current = NONE;
    return result != PostStatus.OK || n == 0 || s == null ? result : SendPost.staged(qp, s, n);
  }

  void abort() {
    if (!refused("wrAbort")) {
      start();
    }
  }

  /** {@return whether the batch is another thread's, which is reported then} */
  private boolean refused(String method) {
    Thread owner = user;
    if (owner == null || owner.equals(Thread.currentThread())) {
      return false;
    }
    String what = "has one builder: " + method + " was called in a batch of " + owner.getName();
    qp.control().broken("S16", what, "use the builder from one thread at a time, or postSend");
    return true;
  }
}
