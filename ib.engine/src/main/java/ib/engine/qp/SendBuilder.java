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
 * One thread at a time. The first mistake is kept and returned by {@link #complete}.
 */
final class SendBuilder {
  private final SoftQp qp;
  private @Nullable SendWqe[] staged = new @Nullable SendWqe[1];
  private int count;
  private int status;
  private @Nullable SendWqe current;
  private long wrId;
  private int flags;
  private @Nullable Cqe cqe;

  SendBuilder(SoftQp qp) {
    this.qp = qp;
  }

  private static SendWqe fresh(SoftQp qp) {
    return new SendWqe(qp.sendSgeMost(), qp.inlineMost());
  }

  void start() {
    count = 0;
    status = PostStatus.OK;
    current = null;
    wrId = 0;
    flags = 0;
    cqe = null;
  }

  void wrId(long value) {
    wrId = value;
  }

  void flags(int value) {
    flags = value;
  }

  void cqe(Cqe value) {
    cqe = value;
  }

  void begin(WrOpcode opcode, int rkey, long remoteAddress, int immData) {
    check();
    if (count == staged.length) {
      if (count >= qp.engine().sends.capacity()) {
        fail(PostStatus.QUEUE_FULL);
        current = null;
        return;
      }
      staged = Arrays.copyOf(staged, Math.min(2 * count, qp.engine().sends.capacity()));
    }
    SendWqe w = staged[count];
    if (w == null) {
      w = fresh(qp); // once per request of the largest batch
      staged[count] = w;
    }
    count++;
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
    SendWqe w = current;
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
    SendWqe w = current;
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
    SendWqe w = current;
    if (w != null) {
      w.memory = memory;
      w.boundRegion = region;
      w.memoryLength = length;
      w.access = access;
    }
  }

  private void fail(int why) {
    if (status == PostStatus.OK) {
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
        || !Copier.inline(w.sges, engine.hca.lkeys(), engine.domain, w.inlineSegment())) {
      fail(PostStatus.INVALID);
    } else {
      w.inlineLength = (int) w.sges.length();
    }
  }

  void address(AddressHandle ah, int remoteQpn, int remoteQkey) {
    SendWqe w = current;
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
    SendWqe w = current;
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
    SendWqe w = current;
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
    check();
    int n = count;
    int result = status;
    count = 0;
    current = null;
    return result != PostStatus.OK || n == 0 ? result : SendPost.staged(qp, staged, n);
  }
}
