package ib.engine.qp;

import ib.core.verbs.Access;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WcOpcode;
import ib.core.verbs.WcStatus;
import ib.core.wire.Psn;
import ib.engine.link.HcaCounter;
import ib.engine.mr.Key;
import ib.engine.mr.Mover;
import ib.engine.mr.Sges;
import ib.engine.ring.SendKind;
import ib.engine.ring.SendSlots;
import ib.engine.run.RunList;
import ib.engine.wire.Framing;
import ib.engine.wire.Opcode;
import ib.engine.wire.Route;
import java.lang.ref.WeakReference;
import org.jspecify.annotations.Nullable;

/**
 * Requests to a connected queue pair in this JVM, over a medium that neither disturbs nor shows
 * packets (D5): the claim holder of the sender claims the peer as well, and executes the request
 * there. Its return is the acknowledgement. {@link Join} finds the peer, {@link Ready} says when it
 * may be done. Only requests that succeed are executed here. All others (no receive, no right, not
 * in sequence, a peer that another thread has claimed) are sent as packets, so only one place
 * refuses requests. Only the thread that holds the queue pair's claim may call these methods.
 */
final class DirectPath extends Direction {
  private static final int KINDS = Verb.SEND | Verb.WRITE | Verb.READ;

  private final QpCore qp;
  private final long most; // bytes of a request, so that one call is bounded
  private @Nullable QpCore peer; // claimed while a run lasts
  private boolean claimed; // by us: not the run list's anyway
  private int unacknowledged; // messages since the peer's last answer

  /** Makes the way of a queue pair whose requests are of so many bytes at most. */
  DirectPath(QpCounts qp, long most) {
    this.qp = (QpCore) qp;
    this.most = most;
  }

  /**
   * Executes the next request, as a whole and with both completions, or leaves it as it was.
   *
   * @param s requests, in the ring or in a builder
   * @param b the request
   * @param index the index of the request: the head of the ring
   * @return whether it was executed
   */
  boolean execute(SendSlots s, int b, long index, RunList run) {
    long kind = s.kind(b);
    int what = Verb.what(SendKind.opcode(kind));
    long length = s.messageLength(b, kind);
    if ((what & KINDS) == 0 || (what & Verb.INV) != 0 || SendKind.isBroken(kind) || length > most) {
      return false;
    }
    QpCore p = peer;
    if (p == null) {
      p = claim(run);
      if (p == null) {
        return false;
      }
    }
    if ((p.refuses & Ready.need(what)) != 0
        || !(p.responder instanceof ConnectedResponder r)
        || !isNext(p, r)) {
      return false;
    }
    boolean done =
        (what & Verb.SEND) != 0
            ? send(s, b, kind, length, r, run)
            : (what & Verb.WRITE) != 0
                ? write(s, b, kind, length, r, run)
                : read(s, b, kind, length, p);
    if (done) {
      advance(p, what, (int) length);
      run.spend((int) length);
      SendCompletions.push(qp, run, s, b, index, WcStatus.SUCCESS, 0);
    }
    return done;
  }

  /** Whether the next request has the sequence number that the peer expects. */
  private boolean isNext(QpCore p, ConnectedResponder r) {
    Direction received = p.directReceived;
    if (ahead && received.ahead) {
      return psn == received.psn;
    }
    int next = ahead ? psn : qp.requester.psnNext();
    if (received.ahead ? received.psn != next : !r.isNext(next)) {
      return false;
    }
    psn = next;
    ahead = true;
    received.psn = next;
    received.ahead = true;
    return true;
  }

  private void advance(QpCore p, int what, int length) {
    int psns = qp.packets(length);
    int next = Psn.add(psn, psns);
    psn = next;
    Direction received = p.directReceived;
    received.executed(next, (what & Verb.READ) != 0);
    counted(received, what, length, psns);
  }

  /**
   * Releases the claim of the peer, and runs the peer if another thread has published work for it
   * meanwhile.
   */
  void end(RunList run) {
    QpCore p = peer;
    if (p == null) {
      return;
    }
    try {
      if (unacknowledged > 0) {
        answered(p.directReceived, Opcode.ACKNOWLEDGE, 1, 0);
      }
    } finally {
      leave(p, run);
    }
  }

  /** Claims the peer, and finds that it is still joined with us. */
  private @Nullable QpCore claim(RunList run) {
    WeakReference<QpCore> joined = qp.peer;
    QpCore p = joined == null ? null : joined.get();
    if (p == null) {
      Join.part(qp); // it has gone
      return null;
    }
    boolean mine = p.owner != run;
    if (mine && !p.tryClaim()) {
      if (p.dead()) {
        Join.part(qp);
      }
      return null; // its owner will see the packet
    }
    claimed = mine;
    peer = p; // from here on, whatever is thrown, end gives it back
    p.heldBy(run.thread());
    if (Join.holds(qp, p)) {
      return p;
    }
    leave(p, run);
    Join.part(qp); // it was modified; when it is ready again, the epoch tells
    return null;
  }

  private void leave(QpCore p, RunList run) {
    peer = null;
    if (claimed) {
      Join.leave(p, run);
    }
  }

  private boolean send(
      SendSlots s, int b, long kind, long length, ConnectedResponder r, RunList run) {
    QpCore p = r.qp;
    if (!r.takeReceive()) {
      return false;
    }
    if (length > 0) {
      long[] to = r.words();
      int at = r.sges();
      if (r.sgeMost == 0 || length > Sges.length(to, at)) {
        return false; // into several elements only packets scatter
      }
      int lkey = Sges.lkey(to, at);
      long address = Sges.address(to, at);
      Key key = p.keys.receive(lkey);
      if (key == null
          || !copy(
              s,
              b,
              kind,
              length,
              p,
              key,
              key.admit(lkey, p.domain, key, Access.LOCAL_WRITE, address, length),
              address)) {
        return false;
      }
    }
    complete(s, b, kind, WcOpcode.RECV, length, r, run);
    return true;
  }

  private boolean write(
      SendSlots s, int b, long kind, long length, ConnectedResponder r, RunList run) {
    QpCore p = r.qp;
    boolean imm = (Verb.what(SendKind.opcode(kind)) & Verb.IMM) != 0;
    if (imm && !r.takeReceive()) {
      return false;
    }
    if (length > 0) {
      int rkey = s.rkey(b);
      long address = s.remoteAddress(b);
      Key key = p.keys.remote(rkey);
      if (key == null
          || !copy(
              s,
              b,
              kind,
              length,
              p,
              key,
              key.admit(rkey, p.domain, p, Access.REMOTE_WRITE, address, length),
              address)) {
        return false;
      }
    }
    if (imm) {
      complete(s, b, kind, WcOpcode.RECV_RDMA_WITH_IMM, length, r, run);
    }
    return true;
  }

  private boolean read(SendSlots s, int b, long kind, long length, QpCore p) {
    if (qp.maxRdAtomic == 0) {
      return false;
    }
    if (length == 0) {
      return true;
    }
    int rkey = s.rkey(b);
    long address = s.remoteAddress(b);
    Key key = p.keys.remote(rkey);
    if (key == null) {
      return false;
    }
    long version = key.admit(rkey, p.domain, p, Access.REMOTE_READ, address, length);
    if (version == Key.REFUSED) {
      p.keys.forget(key);
      return false;
    }
    return Mover.fetch(key, version, address, length, s.elements(b, kind, qp.keys));
  }

  /**
   * Copies the data of a request to memory that a key has admitted. The poster may execute a
   * request that is still in its builder, so each word that the check has used is read once, there:
   * who changes the builder meanwhile gets other bytes sent, never more.
   */
  private boolean copy(
      SendSlots s, int b, long kind, long length, QpCore p, Key key, long version, long address) {
    if (version == Key.REFUSED) {
      p.keys.forget(key);
      return false;
    }
    return s.store(b, kind, length, qp.keys, key, version, address);
  }

  private void complete(
      SendSlots s,
      int b,
      long kind,
      WcOpcode opcode,
      long length,
      ConnectedResponder r,
      RunList run) {
    boolean imm = (Verb.what(SendKind.opcode(kind)) & Verb.IMM) != 0;
    QpPath path = qp;
    Route route = path.route;
    r.complete(
        run,
        opcode,
        (int) length,
        Responder.immFlag(imm),
        imm ? s.immData(b) : 0,
        path.port().sourceLid(path.sourceBits),
        route == null ? 0 : route.sl(),
        (SendKind.flags(kind) & SendFlags.SOLICITED) != 0);
  }

  private boolean global() {
    Route route = qp.route;
    return route != null && route.global();
  }

  private void counted(Direction received, int what, int bytes, int packets) {
    boolean read = (what & Verb.READ) != 0;
    int opcode = read ? Opcode.READ_REQUEST : Verb.part(what, true, true);
    int asked = read ? 1 : packets;
    int words = Framing.words(opcode, global(), asked, read ? 0 : bytes);
    requests += asked;
    requestWords += words;
    received.requests += asked;
    received.requestWords += words;
    if (read) {
      answered(received, Opcode.READ_RESPONSE_ONLY, packets, bytes);
    } else {
      unacknowledged++;
    }
  }

  /** Counts a response, which acknowledges every request so far. */
  private void answered(Direction received, int opcode, int packets, int bytes) {
    int words = Framing.words(opcode, global(), packets, bytes);
    answers += packets;
    answerWords += words;
    received.answers += packets;
    received.answerWords += words;
    if (unacknowledged > 1) {
      qp.count(HcaCounter.ACK_DEFERRED);
    }
    unacknowledged = 0;
  }
}
