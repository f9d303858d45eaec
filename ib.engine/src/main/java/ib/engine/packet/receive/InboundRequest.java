package ib.engine.packet.receive;

import ib.core.verbs.Access;
import ib.core.verbs.Flush;
import ib.core.wire.Psn;
import ib.engine.link.HcaCounter;
import ib.engine.mr.Copier;
import ib.engine.mr.Key;
import ib.engine.mr.RemoteAtomic;
import ib.engine.qp.QpCore;
import ib.engine.qp.ReceiveState;
import ib.engine.wire.Opcode;
import ib.engine.wire.Packet;
import ib.engine.wire.Syndrome;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Executes the requests that have an answer of their own: reads, atomics, atomic writes, flushes.
 * What cannot be executed twice leaves its result in a table of as many places as such requests may
 * be under way (the responder resources of IBA vol. 1 section 9.7.5.1.9), whence a duplicate is
 * answered. Only the thread that holds this queue pair's claim calls in.
 */
final class InboundRequest {
  private static final int FLUSH_RANGE_LEVEL = 0x30;
  private static final int WORDS = 2; // of a result: sequence number and opcode; the original value

  private InboundRequest() {}

  static void reset(ConnectedResponder r) {
    r.resultCount = 0;
    r.newestResult = 0;
  }

  /** Sets how many such requests the peer may have outstanding; the newest results stay. */
  static void resources(ConnectedResponder r, int most) {
    int kept = Math.min(r.resultCount, most);
    long[] keptResults = kept == 0 ? ReceiveState.NO_RESULTS : new long[WORDS * most];
    for (int n = kept - 1, i = r.newestResult; n >= 0; n--) {
      System.arraycopy(r.results, WORDS * i, keptResults, WORDS * n, WORDS);
      i = before(r, i);
    }
    r.results = keptResults;
    r.resources = most;
    r.resultCount = kept;
    r.newestResult = Math.max(0, kept - 1);
  }

  private static int before(ConnectedResponder r, int i) {
    return i == 0 ? r.resources - 1 : i - 1;
  }

  /** Executes a request that is next in sequence. */
  static void execute(ConnectedResponder r, Packet p, int what) {
    QpCore qp = r.qp;
    long length = p.dmaLength & 0xffffffffL;
    if (r.resources == 0 || length > ConnectedResponder.MAX_LENGTH || !wellFormed(p, what)) {
      RequestRefusal.invalid(r);
      return;
    }
    int rights = rights(p, what);
    if (rights == 0 || (qp.access & rights) != rights) {
      RequestRefusal.invalid(r);
      return;
    }
    boolean whole = whole(p, what);
    long bytes = (what & Opcode.ATOMIC) != 0 ? Long.BYTES : length;
    Key key = bytes == 0 && !whole ? null : qp.hca.rkeys().find(p.rkey);
    long version = key == null ? Key.REFUSED : admit(qp, key, p, rights, bytes, whole);
    if ((bytes > 0 || whole) && version == Key.REFUSED) {
      RequestRefusal.refuse(r, Syndrome.NAK_REMOTE_ACCESS);
    } else if ((what & Opcode.READ) != 0) {
      p.psnCount = qp.packets(length);
      r.answered(p);
      Reply.read(r, p, key, version);
    } else if ((what & Opcode.FLUSH) != 0) {
      VarHandle.fullFence(); // every earlier write is visible to every thread
      r.answered(p);
      Reply.done(r, p.psn);
    } else if (key != null) {
      change(r, p, what, key, version);
    }
  }

  private static long admit(QpCore qp, Key key, Packet p, int rights, long bytes, boolean whole) {
    long first = whole ? key.first() : p.remoteAddress;
    return key.admit(p.rkey, qp.domain(), qp, rights, first, whole ? 0 : bytes);
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

  private static void change(ConnectedResponder r, Packet p, int what, Key key, long version) {
    boolean writes = (what & Opcode.ATOMIC_WRITE) != 0;
    long operand = p.swapAdd;
    if (writes) {
      MemorySegment written = value(r);
      if (Copier.toSegment(p.payload, written, 0) != Copier.OK) {
        RequestRefusal.fault(r, p);
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
    RemoteAtomic atomic = r.atomic;
    if (atomic == null) {
      atomic = new RemoteAtomic();
      r.atomic = atomic;
    }
    if (r.results.length == 0) { // before it is executed: what cannot be kept must not be done
      r.results = new long[WORDS * r.resources];
    }
    if (atomic.execute(op, key, version, p.remoteAddress, operand, p.compare) != Copier.OK) {
      RequestRefusal.refuse(r, RequestRefusal.why(key, version, p.remoteAddress));
      return;
    }
    long original = atomic.original();
    keep(r, p, original);
    r.answered(p);
    answer(r, p.opcode, p.psn, original);
  }

  private static MemorySegment value(ConnectedResponder r) {
    MemorySegment bytes = r.value;
    if (bytes == null) {
      bytes = MemorySegment.ofArray(new byte[Long.BYTES]);
      r.value = bytes;
    }
    return bytes;
  }

  private static void keep(ConnectedResponder r, Packet p, long original) {
    int at = r.newestResult + 1 == r.resources ? 0 : r.newestResult + 1;
    r.newestResult = at;
    r.results[WORDS * at] = asked(p);
    r.results[WORDS * at + 1] = original;
    r.resultCount = Math.min(r.resultCount + 1, r.resources);
  }

  private static long asked(Packet p) {
    return (long) p.opcode << 32 | p.psn;
  }

  private static void answer(ConnectedResponder r, int opcode, int psn, long original) {
    if (opcode == Opcode.ATOMIC_WRITE_REQUEST) {
      Reply.done(r, psn);
    } else {
      Reply.atomic(r, psn, original);
    }
  }

  /** Answers a request that was executed before: reads again, the others from the table. */
  static void duplicate(ConnectedResponder r, Packet p, int what) {
    QpCore qp = r.qp;
    long length = p.dmaLength & 0xffffffffL;
    if ((what & Opcode.READ) != 0) {
      Key key = length == 0 ? null : qp.hca.rkeys().find(p.rkey);
      long version =
          key == null
              ? Key.REFUSED
              : key.admit(p.rkey, qp.domain(), qp, Access.REMOTE_READ, p.remoteAddress, length);
      boolean allowed =
          (qp.access & Access.REMOTE_READ) != 0 && r.isPast(Psn.add(p.psn, qp.packets(length)));
      if (allowed && (version != Key.REFUSED || length == 0)) {
        Reply.read(r, p, key, version);
      }
    } else if ((what & Opcode.FLUSH) != 0) {
      VarHandle.fullFence();
      Reply.done(r, p.psn);
    } else {
      replay(r, p);
    }
  }

  private static void replay(ConnectedResponder r, Packet p) {
    int i = r.newestResult;
    for (int n = 0; n < r.resultCount; n++) {
      if (r.results[WORDS * i] == asked(p)) {
        answer(r, p.opcode, p.psn, r.results[WORDS * i + 1]);
        return;
      }
      i = before(r, i);
    }
    r.qp.count(HcaCounter.DROP_DUPLICATE);
  }
}
