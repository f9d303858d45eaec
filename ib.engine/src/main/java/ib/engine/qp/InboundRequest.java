package ib.engine.qp;

import ib.core.verbs.Access;
import ib.core.verbs.EventType;
import ib.core.verbs.Flush;
import ib.core.wire.Psn;
import ib.engine.link.HcaCounter;
import ib.engine.mr.Copier;
import ib.engine.mr.Key;
import ib.engine.mr.RemoteAtomic;
import ib.engine.wire.Opcode;
import ib.engine.wire.Packet;
import ib.engine.wire.Syndrome;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Executes the requests that have an answer of their own: reads, atomics, atomic writes, flushes.
 * What cannot be executed twice leaves its result in a table of as many places as such requests may
 * be under way (the responder resources of IBA vol. 1 section 9.7.5.1.9), whence a duplicate is
 * answered. Only the thread that holds this queue pair's claim calls in.
 */
final class InboundRequest {
  private static final int FLUSH_RANGE_LEVEL = 0x30;
  private static final int WORDS = 2; // of a result: sequence number and opcode; the original value
  private static final long[] NONE = {};

  private final QpCore qp;
  private final ConnectedResponder responder;
  private final Reply reply;
  private @Nullable RemoteAtomic atomic; // made with the first atomic
  private @Nullable MemorySegment value; // made with the first atomic write

  // results, newest overwriting oldest
  private long[] results = NONE;
  private int count;
  private int newest;

  InboundRequest(QpCore qp, ConnectedResponder responder, Reply reply) {
    this.qp = qp;
    this.responder = responder;
    this.reply = reply;
  }

  void reset() {
    count = 0;
    newest = 0;
  }

  /** Sets how many such requests the peer may have outstanding; the newest results stay. */
  void resources(int most) {
    int kept = Math.min(count, most);
    long[] keptResults = new long[WORDS * most];
    for (int n = kept - 1, i = newest; n >= 0; n--) {
      System.arraycopy(results, WORDS * i, keptResults, WORDS * n, WORDS);
      i = before(i);
    }
    results = keptResults;
    count = kept;
    newest = Math.max(0, kept - 1);
  }

  /** {@return how many such requests the peer may have under way} */
  int resources() {
    return results.length / WORDS;
  }

  private int before(int i) {
    return i == 0 ? resources() - 1 : i - 1;
  }

  /** Executes a request that is next in sequence. */
  void execute(Packet p, int what) {
    long length = p.dmaLength & 0xffffffffL;
    if (results.length == 0 || length > ConnectedResponder.MAX_LENGTH || !wellFormed(p, what)) {
      responder.invalid();
      return;
    }
    int rights = rights(p, what);
    if (rights == 0 || (qp.path.access & rights) != rights) {
      responder.invalid();
      return;
    }
    boolean whole = whole(p, what);
    long bytes = (what & Opcode.ATOMIC) != 0 ? Long.BYTES : length;
    Key key = bytes == 0 && !whole ? null : qp.hca.rkeys().find(p.rkey);
    long version = key == null ? Key.REFUSED : admit(key, p, rights, bytes, whole);
    if ((bytes > 0 || whole) && version == Key.REFUSED) {
      responder.refuse(Syndrome.NAK_REMOTE_ACCESS, EventType.QP_ACCESS_ERR);
    } else if ((what & Opcode.READ) != 0) {
      p.psnCount = qp.path.packets(length);
      responder.answered(p);
      reply.read(p, key, version);
    } else if ((what & Opcode.FLUSH) != 0) {
      VarHandle.fullFence(); // every earlier write is visible to every thread
      responder.answered(p);
      reply.done(p.psn);
    } else if (key != null) {
      change(p, what, key, version);
    }
  }

  private long admit(Key key, Packet p, int rights, long bytes, boolean whole) {
    long first = whole ? key.first() : p.remoteAddress;
    return key.admit(p.rkey, qp.domain, qp, rights, first, whole ? 0 : bytes);
  }

  private static boolean whole(Packet p, int what) {
    return (what & Opcode.FLUSH) != 0 && (p.feth & FLUSH_RANGE_LEVEL) != Flush.RANGE;
  }

  /** Lengths and alignment. */
  private static boolean wellFormed(Packet p, int what) {
    int payload = p.payload.length();
    return switch (what & Opcode.ANSWERED) {
      case Opcode.ATOMIC -> payload == 0 && (p.remoteAddress & 7) == 0;
      case Opcode.ATOMIC_WRITE ->
          payload == Long.BYTES && p.dmaLength == Long.BYTES && (p.remoteAddress & 7) == 0;
      case Opcode.FLUSH -> payload == 0 && (p.feth & ~(FLUSH_RANGE_LEVEL | 0xf)) == 0;
      default -> payload == 0;
    };
  }

  /** {@return the rights that a request needs, 0 when no access flag grants them} */
  private static int rights(Packet p, int what) {
    return switch (what & Opcode.ANSWERED) {
      case Opcode.READ -> Access.REMOTE_READ;
      case Opcode.ATOMIC -> Access.REMOTE_ATOMIC;
      case Opcode.ATOMIC_WRITE -> Access.REMOTE_WRITE;
      default -> (p.feth & 0xf) == Flush.GLOBAL ? Access.FLUSH_GLOBAL : 0;
    };
  }

  private void change(Packet p, int what, Key key, long version) {
    boolean writes = (what & Opcode.ATOMIC_WRITE) != 0;
    long operand = p.swapAdd;
    if (writes) {
      MemorySegment written = value();
      if (Copier.toSegment(p.payload, written, 0) != Copier.OK) {
        responder.fault(p);
        return;
      }
      operand = written.get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
    }
    RemoteAtomic.Op op =
        writes
            ? RemoteAtomic.Op.WRITE
            : p.opcode == Opcode.COMPARE_SWAP
                ? RemoteAtomic.Op.COMPARE_SWAP
                : RemoteAtomic.Op.FETCH_ADD;
    if (atomic == null) {
      atomic = new RemoteAtomic();
    }
    if (atomic.execute(op, key, version, p.remoteAddress, operand, p.compare) != Copier.OK) {
      responder.refuse(Syndrome.NAK_REMOTE_ACCESS, EventType.QP_ACCESS_ERR);
      return;
    }
    long original = writes ? 0 : atomic.original();
    keep(p, original);
    responder.answered(p);
    answer(p.opcode, p.psn, original);
  }

  private MemorySegment value() {
    MemorySegment bytes = value;
    if (bytes == null) {
      bytes = MemorySegment.ofArray(new byte[Long.BYTES]);
      value = bytes;
    }
    return bytes;
  }

  private void keep(Packet p, long original) {
    newest = newest + 1 == resources() ? 0 : newest + 1;
    results[WORDS * newest] = asked(p);
    results[WORDS * newest + 1] = original;
    count = Math.min(count + 1, resources());
  }

  private static long asked(Packet p) {
    return (long) p.opcode << 32 | p.psn;
  }

  private void answer(int opcode, int psn, long original) {
    if (opcode == Opcode.ATOMIC_WRITE_REQUEST) {
      reply.done(psn);
    } else {
      reply.atomic(psn, original);
    }
  }

  /** Answers a request that was executed before: reads again, the others from the table. */
  void duplicate(Packet p, int what) {
    long length = p.dmaLength & 0xffffffffL;
    if ((what & Opcode.READ) != 0) {
      Key key = length == 0 ? null : qp.hca.rkeys().find(p.rkey);
      long version =
          key == null
              ? Key.REFUSED
              : key.admit(p.rkey, qp.domain, qp, Access.REMOTE_READ, p.remoteAddress, length);
      boolean allowed =
          (qp.path.access & Access.REMOTE_READ) != 0
              && responder.isPast(Psn.add(p.psn, qp.path.packets(length)));
      if (allowed && (version != Key.REFUSED || length == 0)) {
        reply.read(p, key, version);
      }
    } else if ((what & Opcode.FLUSH) != 0) {
      VarHandle.fullFence();
      reply.done(p.psn);
    } else {
      replay(p);
    }
  }

  private void replay(Packet p) {
    int i = newest;
    for (int n = 0; n < count; n++) {
      if (results[WORDS * i] == asked(p)) {
        answer(p.opcode, p.psn, results[WORDS * i + 1]);
        return;
      }
      i = before(i);
    }
    qp.counts.count(HcaCounter.DROP_DUPLICATE);
  }
}
