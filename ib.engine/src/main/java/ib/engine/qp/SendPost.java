package ib.engine.qp;

import ib.core.spi.Trace;
import ib.core.verbs.MemoryWork;
import ib.core.verbs.PostStatus;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.WrOpcode;
import ib.engine.mr.Copier;
import ib.engine.mr.LastKeys;
import ib.engine.mr.SgeList;
import ib.engine.ring.SendRing;
import ib.engine.ring.SendWqe;
import ib.engine.ring.SlotRing;
import ib.engine.run.RunList;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Posting sends: the list form, and what both forms do once slots are claimed (S6). Data path. */
final class SendPost {
  private static final int MEMORY = Verb.LOCAL | Verb.FLUSH;

  private SendPost() {}

  static int list(SoftQp qp, SendWr first) {
    QpCore engine = qp.engine();
    if (!SendCheck.accepts(engine.state)) {
      first.badWr(first);
      return engine.token.dead() ? PostStatus.GONE : PostStatus.INVALID;
    }
    SendRing ring = engine.sends;
    int n = 0;
    for (SendWr wr = first; wr != null; wr = wr.next()) {
      int status = n == ring.capacity() ? PostStatus.QUEUE_FULL : check(qp, wr);
      if (status != PostStatus.OK) {
        first.badWr(wr);
        return status;
      }
      n++;
    }
    long index = ring.claim(n);
    if (index < 0) {
      first.badWr(index == SlotRing.FULL ? full(ring, first) : first);
      return ReceivePost.refusal(index);
    }
    first.badWr(null);
    SendWr wr = first;
    for (int i = 0; i < n; i++) {
      wr = filled(engine, ring.at(index + i), wr);
    }
    return publish(engine, ring, index, n);
  }

  /**
   * Fills a claimed slot. The caller must publish it even when filling fails, since no later
   * request is executed behind an unpublished slot. A request that another thread has changed since
   * it was checked fails when it is executed.
   */
  private static @Nullable SendWr filled(QpCore engine, SendWqe w, @Nullable SendWr wr) {
    if (wr == null) {
      w.breakIt();
      return null;
    }
    try {
      fill(engine, w, wr);
    } catch (RuntimeException e) {
      w.breakIt();
    }
    return wr.next();
  }

  private static int check(SoftQp qp, SendWr wr) {
    int status =
        SendCheck.request(
            qp, wr.opcode().value(), wr.flags(), wr.sgeCount(), wr.inlineLength(), wr.ah());
    QpCore core = qp.engine();
    if (core.specialNumber() == 1 && !core.path.port().tables().hasPkey(wr.pkeyIndex())) {
      return PostStatus.INVALID;
    }
    if (status == PostStatus.OK && (Verb.what(wr.opcode().value()) & MEMORY) != 0) {
      return checkMemory(wr);
    }
    if (status != PostStatus.OK || (wr.flags() & SendFlags.INLINE) == 0) {
      return status;
    }
    MemorySegment data = wr.inlineSegment();
    if (data != null) {
      return readable(data) ? PostStatus.OK : PostStatus.INVALID;
    }
    long length = 0;
    for (int i = 0; i < wr.sgeCount(); i++) {
      length += wr.sgeLength(i) & 0xffffffffL;
    }
    return length <= qp.inlineMost() ? PostStatus.OK : PostStatus.INVALID;
  }

  private static int checkMemory(SendWr wr) {
    MemoryWork m = wr.memory();
    int opcode = wr.opcode().value();
    if (m == null) {
      return SendCheck.memory(opcode, null, null, 0, 0);
    }
    Object object = wr.opcode() == WrOpcode.BIND_MW ? m.window() : m.region();
    int feth = m.flushType() | m.flushLevel() << 4;
    return SendCheck.memory(opcode, object, m.region(), feth, m.length());
  }

  static boolean readable(MemorySegment data) {
    return data.scope().isAlive() && data.isAccessibleBy(Thread.currentThread());
  }

  private static SendWr full(SendRing ring, SendWr first) {
    SendWr wr = first;
    for (int room = ring.room(); room > 0; room--) {
      SendWr next = wr.next();
      if (next == null) {
        break;
      }
      wr = next;
    }
    return wr;
  }

  private static void fill(QpCore qp, SendWqe w, SendWr wr) {
    w.wrId = wr.wrId();
    w.cqe = wr.cqe();
    w.opcode = wr.opcode().value();
    w.flags = wr.flags();
    int what = Verb.what(w.opcode);
    w.immData = (what & Verb.IMM) != 0 ? wr.immData() : wr.invalidateRkey();
    w.remoteAddress = wr.remoteAddr();
    w.rkey = wr.rkey();
    w.route = wr.ah() instanceof SoftAh a ? a.route() : null;
    w.remoteQpn = wr.remoteQpn();
    w.remoteQkey = wr.remoteQkey();
    w.pkeyIndex = wr.pkeyIndex();
    w.inlineLength = -1;
    w.broken = false;
    w.mss = 0;
    w.sges.clear();
    for (int i = 0; i < wr.sgeCount(); i++) {
      w.sges.add(wr.sgeLkey(i), wr.sgeAddr(i), wr.sgeLength(i));
    }
    if ((wr.flags() & SendFlags.INLINE) != 0) {
      inline(qp, w, wr);
    } else if ((what & (Verb.ATOMIC | Verb.ATOMIC_WRITE)) != 0) {
      boolean swaps = wr.opcode() == WrOpcode.ATOMIC_CMP_AND_SWP;
      w.compare = wr.compareAdd();
      w.swapAdd = swaps ? wr.swap() : wr.compareAdd();
      if ((what & Verb.ATOMIC_WRITE) != 0) {
        w.value(wr.compareAdd());
      }
    }
    w.memory = null;
    w.boundRegion = null;
    MemoryWork m = wr.memory();
    if (m != null && (what & MEMORY) != 0) {
      memory(w, wr, m);
    }
  }

  private static void memory(SendWqe w, SendWr wr, MemoryWork m) {
    w.memoryLength = m.length();
    w.access = m.access();
    switch (wr.opcode()) {
      case BIND_MW -> {
        w.memory = m.window();
        w.boundRegion = m.region();
        w.rkey = m.key();
        w.remoteAddress = m.address();
      }
      case REG_MR -> {
        w.memory = m.region();
        w.rkey = m.key();
      }
      default -> w.immData = m.flushType() | m.flushLevel() << 4;
    }
  }

  private static void inline(QpCore qp, SendWqe w, SendWr wr) {
    MemorySegment data = wr.inlineSegment();
    int length = data != null ? wr.inlineLength() : (int) w.sges.length();
    boolean ok =
        data != null
            ? Copier.inline(data, wr.inlineOffset(), w.inlineSegment(), 0, length)
            : gathered(w.sges, qp.keys, w.inlineSegment());
    w.inlineLength = length;
    w.broken = !ok;
  }

  /** Copies all elements of a request as inline data. */
  static boolean gathered(SgeList from, LastKeys keys, MemorySegment target) {
    long to = 0;
    for (int i = 0; i < from.count(); i++) {
      int n = (int) from.length(i);
      if (!Copier.inline(from.lkey(i), from.address(i), n, keys, target, to)) {
        return false;
      }
      to += n;
    }
    return true;
  }

  /**
   * Publishes claimed and filled slots, and runs the queue pair unless another thread holds its
   * claim.
   */
  static int publish(QpCore qp, SendRing ring, long index, int n) {
    ring.at(index).batch = n;
    if (Trace.posts()) {
      trace(qp, ring, index, n);
    }
    ring.publish(index);
    if (qp.token.schedule()) {
      qp.runList.run(qp);
    }
    if (ring.sealed() && ring.retract(index)) {
      return PostStatus.GONE;
    }
    return PostStatus.OK;
  }

  private static void trace(QpCore qp, SendRing ring, long index, int n) {
    for (int i = 0; i < n; i++) {
      SendWqe w = ring.at(index + i);
      Trace.post(qp.hca.config().nodeGuid(), qp.qpn, true, w.wrId, w.opcode);
    }
  }

  /**
   * Posts requests that were made outside of the ring, as one batch. A poster that gets the claim
   * executes at the peer what it can, from the first on; what was executed is never written to the
   * ring.
   */
  static int staged(SoftQp qp, @Nullable SendWqe[] staged, int n) {
    QpCore engine = qp.engine();
    if (!SendCheck.accepts(engine.state)) {
      return engine.token.dead() ? PostStatus.GONE : PostStatus.INVALID;
    }
    if (engine.token.tryClaim()) {
      return claimed(engine, staged, n);
    }
    SendRing ring = engine.sends;
    long index = ring.claim(n);
    if (index < 0) {
      return ReceivePost.refusal(index);
    }
    put(ring, index, staged, 0, n);
    return publish(engine, ring, index, n);
  }

  private static int claimed(QpCore engine, @Nullable SendWqe[] staged, int n) {
    RunList run = engine.runList;
    run.begin(engine);
    SendRing ring = engine.sends;
    long index = ring.claim(n);
    if (index < 0) {
      run.end(engine, false);
      return ReceivePost.refusal(index);
    }
    if (Trace.posts()) {
      trace(engine, staged, n);
    }
    int done = engine.express(staged, n, index);
    if (done < n) {
      put(ring, index + done, staged, done, n);
      ring.at(index + done).batch = n - done;
      ring.publish(index + done);
    }
    run.end(engine, done == n && !engine.crash.isPending());
    // what follows an executed request was accepted with it: a reset discards it
    return done == 0 && ring.sealed() && ring.retract(index) ? PostStatus.GONE : PostStatus.OK;
  }

  /** Puts the requests from a number on into claimed slots. */
  private static void put(SendRing ring, long index, @Nullable SendWqe[] staged, int from, int n) {
    for (int i = from; i < n; i++) {
      SendWqe w = i < staged.length ? staged[i] : null; // less only when threads share the builder
      if (w != null) {
        staged[i] = ring.swap(index + i - from, w);
      } else {
        ring.at(index + i - from).breakIt();
      }
    }
  }

  private static void trace(QpCore qp, @Nullable SendWqe[] staged, int n) {
    for (int i = 0; i < Math.min(n, staged.length); i++) {
      SendWqe w = staged[i];
      if (w != null) {
        Trace.post(qp.hca.config().nodeGuid(), qp.qpn, true, w.wrId, w.opcode);
      }
    }
  }
}
