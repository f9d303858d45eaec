package ib.engine.qp;

import ib.core.verbs.AddressHandle;
import ib.core.verbs.Cqe;
import ib.core.verbs.PostStatus;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WrOpcode;
import ib.engine.mr.Copier;
import ib.engine.ring.LargeHeader;
import ib.engine.ring.SendWqe;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The builder form: requests are made outside the ring and swapped into it, whole or not at all.
 * One thread at a time: a batch is of the thread that has begun it, and what another thread adds is
 * left out. The first mistake is kept and returned by {@link #complete}.
 */
final class SendBuilder {
  private static final @Nullable SendWqe[] NONE = new @Nullable SendWqe[0];

  private final SoftQp qp;
  private @Nullable SendWqe[] staged = NONE; // of the largest batch so far
  private int count;
  private int status;
  private @Nullable SendWqe current;
  private long wrId;
  private int flags;
  private @Nullable Cqe cqe;
  private @Nullable Thread user; // whose batch it is; none before the first

  SendBuilder(SoftQp qp) {
    this.qp = qp;
  }

  private static SendWqe fresh(SoftQp qp) {
    return new SendWqe(qp.sendSgeMost(), qp.inlineMost());
  }

  void start() {
    Thread me = Thread.currentThread();
    if (!me.equals(user)) {
      if (count > 0) {
        staged = new @Nullable SendWqe[1]; // the other thread may still write to its last request
      }
      user = me;
    }
    count = 0;
    status = PostStatus.OK;
    current = null;
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

  /** {@return the request that the caller is to add to; null when there is none} */
  private @Nullable SendWqe mine() {
    return foreign() ? null : current;
  }

  void begin(WrOpcode opcode, int rkey, long remoteAddress, int immData) {
    if (foreign()) {
      return;
    }
    check();
    int n = count;
    @Nullable SendWqe[] batch = staged;
    if (n >= batch.length) {
      if (n >= qp.engine().sends.capacity()) {
        fail(PostStatus.QUEUE_FULL);
        current = null;
        return;
      }
      batch = Arrays.copyOf(batch, Math.min(Math.max(1, 2 * n), qp.engine().sends.capacity()));
      staged = batch;
    }
    SendWqe w = batch[n];
    if (w == null) {
      w = fresh(qp); // once per request of the largest batch
      batch[n] = w;
    }
    count = n + 1;
    w.wrId = wrId;
    w.cqe = cqe;
    w.opcode = opcode.value();
    w.flags = flags;
    w.immData = immData;
    w.remoteAddress = remoteAddress;
    w.rkey = rkey;
    w.route = null;
    w.inlineLength = -1;
    w.mss = 0;
    w.broken = false;
    w.memory = null;
    w.boundRegion = null;
    w.sges.clear();
    current = w;
  }

  /** Sets the header of a large send, and the size of its segments. */
  void large(MemorySegment from, long offset, int bytes, int mss) {
    SendWqe w = mine();
    if (w == null) {
      return;
    }
    LargeHeader header = w.header;
    if (header == null) {
      header = new LargeHeader(); // once per request that is ever a large send
      w.header = header;
    }
    w.mss = mss;
    boolean tcp = header.set(from, offset, bytes) && TcpHeader.holds(header.whole(), bytes);
    if (!tcp || mss < 1 || mss > 0xffff) {
      fail(PostStatus.INVALID);
    }
  }

  /** Sets the operands of an atomic. */
  void atomic(long swapAdd, long compare) {
    SendWqe w = mine();
    if (w != null) {
      w.swapAdd = swapAdd;
      w.compare = compare;
      if (w.opcode == WrOpcode.ATOMIC_WRITE.value()) {
        w.value(swapAdd);
      }
    }
  }

  /** Sets the region or window, the length and the rights of a request on memory. */
  void memory(@Nullable Object memory, @Nullable Object region, long length, int access) {
    SendWqe w = mine();
    if (w != null) {
      w.memory = memory;
      w.boundRegion = region;
      w.memoryLength = length;
      w.access = access;
    }
  }

  private void fail(int why) {
    if (status == PostStatus.OK && !foreign()) {
      status = why;
    }
  }

  /** Checks the request that is complete now. */
  private void check() {
    SendWqe w = current;
    if (w == null) {
      return;
    }
    boolean large = (Verb.what(w.opcode) & Verb.LARGE) != 0;
    if (large ? !qp.large() : (qp.opcodes() >>> w.opcode & 1) == 0) {
      fail(PostStatus.NOT_SUPPORTED);
    } else if ((w.flags & ~SendCheck.FLAGS) != 0
        || (((w.flags & SendFlags.INLINE) != 0 || w.inlineLength >= 0) && !takesInline(w))
        || (qp.datagram() && w.route == null)) {
      fail(PostStatus.INVALID);
    } else if ((w.flags & SendFlags.INLINE) != 0 && w.inlineLength < 0) {
      gatherInline(w);
    } else {
      fail(SendCheck.memory(w.opcode, w.memory, w.boundRegion, w.immData, w.memoryLength));
    }
  }

  private static boolean takesInline(SendWqe w) {
    if (w.opcode == WrOpcode.LSO.value()) {
      return false;
    }
    int data = Verb.SEND | Verb.WRITE | ((w.flags & SendFlags.INLINE) == 0 ? Verb.ATOMIC_WRITE : 0);
    return (Verb.what(w.opcode) & data) != 0;
  }

  /** Copies the bytes of the scatter/gather entries of an INLINE request. */
  private void gatherInline(SendWqe w) {
    QpCore engine = qp.engine();
    if (w.sges.length() > w.inlineMost()
        || !SendPost.gathered(w.sges, engine.keys, w.inlineSegment())) {
      fail(PostStatus.INVALID);
    } else {
      w.inlineLength = (int) w.sges.length();
    }
  }

  void address(AddressHandle ah, int remoteQpn, int remoteQkey) {
    SendWqe w = mine();
    if (w == null
        || !(ah instanceof SoftAh a)
        || a.domain() != qp.engine().domain
        || !qp.datagram()
        || !qp.reaches(a)) {
      fail(PostStatus.INVALID);
      return;
    }
    w.route = a.route();
    w.remoteQpn = remoteQpn & 0xffffff;
    w.remoteQkey = remoteQkey;
    w.pkeyIndex = qp.engine().path.pkeyIndex;
  }

  void sge(int lkey, long address, int length, boolean only) {
    SendWqe w = mine();
    if (w == null) {
      fail(PostStatus.INVALID);
      return;
    }
    if (only) {
      w.sges.clear();
    }
    if (length < 0 || !w.sges.add(lkey, address, length)) {
      fail(PostStatus.INVALID);
    }
  }

  void inline(MemorySegment data, long offset, int length) {
    SendWqe w = mine();
    if (w == null
        || length > w.inlineMost()
        || !Copier.inline(data, offset, w.inlineSegment(), 0, length)) {
      fail(PostStatus.INVALID);
      return;
    }
    w.inlineLength = length;
    w.sges.clear();
  }

  int complete() {
    if (refused("wrComplete")) {
      return PostStatus.BUSY;
    }
    check();
    int n = count;
    int result = status;
    count = 0;
    current = null;
    return result != PostStatus.OK || n == 0 ? result : SendPost.staged(qp, staged, n);
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
