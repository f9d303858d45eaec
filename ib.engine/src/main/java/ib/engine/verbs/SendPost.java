package ib.engine.verbs;

import ib.core.spi.Trace;
import ib.core.verbs.Cqe;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.MemoryWindow;
import ib.core.verbs.MemoryWork;
import ib.core.verbs.PostStatus;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.WrOpcode;
import ib.engine.qp.Hca;
import ib.engine.qp.QpCore;
import ib.engine.qp.Verb;
import ib.engine.ring.SendRing;
import ib.engine.ring.SendSlots;
import ib.engine.ring.SlotRing;
import ib.engine.run.RunList;
import ib.engine.wire.Opcode;
import ib.engine.wire.Route;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Posting sends: the list form, and what both forms do once slots are claimed (S6). Data path. */
final class SendPost {
  private static final int MEMORY = Verb.LOCAL | Verb.FLUSH;

  private SendPost() {}

  static int list(SoftQp qp, SendWr first) {
    QpCore engine = qp.engine;
    if (!SendCheck.accepts(engine.state)) {
      first.badWr(first);
      return engine.dead() ? PostStatus.GONE : PostStatus.INVALID;
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
      wr = filled(engine, ring.slots(), ring.base(index + i), wr);
    }
    return publish(engine, ring, index, n);
  }

  /**
   * Fills a claimed slot. The caller must publish it even when filling fails, since no later
   * request is executed behind an unpublished slot. A request that another thread has changed since
   * it was checked fails when it is executed.
   */
  private static @Nullable SendWr filled(QpCore engine, SendSlots s, int b, @Nullable SendWr wr) {
    if (wr == null) {
      s.breakIt(b);
      return null;
    }
    try {
      if (!fill(engine, s, b, wr)) {
        s.breakIt(b);
      }
    } catch (Throwable t) { // changed meanwhile, or no memory for the place of a callback
      s.breakIt(b);
    }
    return wr.next();
  }

  private static int check(SoftQp qp, SendWr wr) {
    int status =
        SendCheck.request(
            qp, wr.opcode().value(), wr.flags(), wr.sgeCount(), wr.inlineLength(), wr.ah());
    QpCore core = qp.engine;
    if (core.specialNumber() == 1 && !core.port().tables().hasPkey(wr.pkeyIndex())) {
      return PostStatus.INVALID;
    }
    if (status == PostStatus.OK && (Verb.what(wr.opcode().value()) & MEMORY) != 0) {
      return checkMemory(core.hca, wr);
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

  private static int checkMemory(Hca hca, SendWr wr) {
    MemoryWork m = wr.memory();
    int opcode = wr.opcode().value();
    if (m == null) {
      return SendCheck.memory(hca, opcode, null, null, 0, 0);
    }
    Object object = wr.opcode() == WrOpcode.BIND_MW ? m.window() : m.region();
    int feth = m.flushType() | m.flushLevel() << 4;
    return SendCheck.memory(hca, opcode, object, m.region(), feth, m.length());
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

  /** Fills a claimed slot; returns false when the request has grown since it was checked. */
  private static boolean fill(QpCore qp, SendSlots s, int b, SendWr wr) {
    int opcode = wr.opcode().value();
    int what = Verb.what(opcode);
    int flags = wr.flags();
    s.begin(b, wr.wrId(), opcode, flags);
    s.keys(b, wr.rkey(), (what & Verb.IMM) != 0 ? wr.immData() : wr.invalidateRkey());
    s.remote(b, 0);
    if (qp.service == Opcode.UD) {
      Route route = wr.ah() instanceof SoftAh a ? a.route() : null;
      s.datagram(b, route, wr.remoteQpn(), wr.remoteQkey(), wr.pkeyIndex());
    } else {
      s.remote(b, wr.remoteAddr());
    }
    Cqe cqe = wr.cqe();
    if (cqe != null) {
      s.cqe(b, cqe);
    }
    MemoryWork m = wr.memory();
    if ((what & MEMORY) != 0) {
      if (m != null) {
        memory(s, b, wr, m);
      }
      return true;
    }
    if ((flags & SendFlags.INLINE) != 0) {
      if (!inline(qp, s, b, wr)) {
        s.broken(b);
      }
      return true;
    }
    if ((what & Verb.ATOMIC_WRITE) != 0) {
      s.value(b, wr.compareAdd());
    } else if ((what & Verb.ATOMIC) != 0) {
      boolean swaps = opcode == WrOpcode.ATOMIC_CMP_AND_SWP.value();
      s.operands(b, swaps ? wr.swap() : wr.compareAdd(), wr.compareAdd());
    }
    boolean fits = true;
    for (int i = 0; fits && i < wr.sgeCount(); i++) {
      fits = s.add(b, false, wr.sgeLkey(i), wr.sgeAddr(i), wr.sgeLength(i));
    }
    return fits;
  }

  private static void memory(SendSlots s, int b, SendWr wr, MemoryWork m) {
    switch (wr.opcode()) {
      case BIND_MW -> {
        MemoryWindow window = m.window();
        MemoryRegion region = m.region();
        s.keys(b, m.key(), region == null ? 0 : region.lkey());
        s.remote(b, m.address());
        s.memory(b, m.length(), m.access(), window == null ? 0 : window.rkey());
      }
      case REG_MR -> {
        MemoryRegion region = m.region();
        s.keys(b, m.key(), 0);
        s.memory(b, 0, m.access(), region == null ? 0 : region.rkey());
      }
      case FLUSH -> {
        s.keys(b, wr.rkey(), m.flushType() | m.flushLevel() << 4);
        s.memory(b, m.length(), 0, 0);
      }
      default -> {
        // LOCAL_INV has its key
      }
    }
  }

  private static boolean inline(QpCore qp, SendSlots s, int b, SendWr wr) {
    MemorySegment data = wr.inlineSegment();
    if (data != null) {
      return s.inline(b, data, wr.inlineOffset(), wr.inlineLength());
    }
    int to = 0;
    boolean copied = true;
    for (int i = 0; copied && i < wr.sgeCount(); i++) {
      int length = wr.sgeLength(i);
      copied = s.inlineElement(b, to, wr.sgeLkey(i), wr.sgeAddr(i), length, qp.keys);
      to += length;
    }
    s.inline(b, copied ? to : 0);
    return copied;
  }

  /**
   * Publishes claimed and filled slots, and runs the queue pair unless another thread holds its
   * claim.
   */
  static int publish(QpCore qp, SendRing ring, long index, int n) {
    if (Trace.posts()) {
      for (int i = 0; i < n; i++) {
        trace(qp, ring.slots(), ring.base(index + i));
      }
    }
    ring.publish(index, n);
    if (qp.schedule()) {
      qp.runList.run(qp);
    }
    if (ring.sealed() && ring.retract(index)) {
      return PostStatus.GONE;
    }
    return PostStatus.OK;
  }

  private static void trace(QpCore qp, SendSlots s, int b) {
    Trace.post(qp.hca.config().nodeGuid(), qp.qpn, true, s.wrId(b), s.opcode(b));
  }

  /**
   * Posts requests that were made outside of the ring, as one batch. A poster that gets the claim
   * executes at the peer what it can, from the first on; what was executed is never written to the
   * ring.
   */
  static int staged(SoftQp qp, SendSlots staged, int n) {
    QpCore engine = qp.engine;
    if (!SendCheck.accepts(engine.state)) {
      return engine.dead() ? PostStatus.GONE : PostStatus.INVALID;
    }
    if (engine.tryClaim()) {
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

  private static int claimed(QpCore engine, SendSlots staged, int n) {
    RunList run = engine.runList;
    run.begin(engine);
    SendRing ring = engine.sends;
    long index = ring.claim(n);
    if (index < 0) {
      run.end(engine, false);
      return ReceivePost.refusal(index);
    }
    if (Trace.posts()) {
      for (int i = 0; i < n && staged.holds(staged.place(i)); i++) {
        trace(engine, staged, staged.place(i));
      }
    }
    int done = engine.express(staged, n, index);
    if (done < n) {
      put(ring, index + done, staged, done, n);
      ring.publish(index + done, n - done);
    }
    run.end(engine, done == n && !engine.history.isPending());
    // what follows an executed request was accepted with it: a reset discards it
    return done == 0 && ring.sealed() && ring.retract(index) ? PostStatus.GONE : PostStatus.OK;
  }

  /**
   * Copies the requests from a number on into claimed slots, which the caller must publish: a slot
   * that could not be filled fails when it is executed.
   */
  private static void put(SendRing ring, long index, SendSlots staged, int from, int n) {
    for (int i = from; i < n; i++) {
      SendSlots slots = ring.slots();
      int b = ring.base(index + i - from);
      int f = staged.place(i);
      try {
        if (staged.holds(f)) {
          slots.copy(b, staged, f);
        } else { // threads share the builder
          slots.breakIt(b);
        }
      } catch (Throwable t) { // no memory for the place of a callback
        slots.breakIt(b);
      }
    }
  }
}
