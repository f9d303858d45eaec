package ib.engine.direct;

import ib.core.verbs.Access;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WcOpcode;
import ib.core.verbs.WcStatus;
import ib.core.wire.Psn;
import ib.engine.link.HcaCounter;
import ib.engine.mr.Key;
import ib.engine.mr.Mover;
import ib.engine.mr.Sges;
import ib.engine.qp.Direction;
import ib.engine.qp.QpCore;
import ib.engine.qp.QpPath;
import ib.engine.qp.Ready;
import ib.engine.qp.ReceiveState;
import ib.engine.qp.Responder;
import ib.engine.qp.SendCompletions;
import ib.engine.qp.Verb;
import ib.engine.ring.SendKind;
import ib.engine.ring.SendWords;
import ib.engine.run.RunList;
import ib.engine.wire.Framing;
import ib.engine.wire.Opcode;
import ib.engine.wire.Route;
import org.jspecify.annotations.Nullable;

/**
 * Requests to a connected queue pair in this JVM, over a medium that neither disturbs nor shows
 * packets (D5): the claim holder of the sender claims the peer as well, and executes the request
 * there. Its return is the acknowledgement. {@link Join} finds the peer, {@link Ready} says when it
 * may be done. Only requests that succeed are executed here. All others (no receive, no right, not
 * in sequence, a peer that another thread has claimed) are sent as packets, so only one place
 * refuses requests. Its fields are in {@link ib.engine.qp.DirectState} and, at the peer, in {@link
 * Direction}. Only the thread that holds the queue pair's claim may call these methods.
 */
public final class DirectPath {
  private static final int KINDS = Verb.SEND | Verb.WRITE | Verb.READ;

  private DirectPath() {}

  /**
   * Executes the next request, as a whole and with both completions, or leaves it as it was.
   *
   * @param qp the sender
   * @param s requests, in the ring or in a builder
   * @param b the request
   * @param index the index of the request: the head of the ring
   * @return whether it was executed
   */
  static boolean execute(QpCore qp, SendWords s, int b, long index, RunList run) {
    long kind = s.measured(b);
    int what = Verb.what(SendKind.opcode(kind));
    long length = SendKind.measuredLength(kind);
    if ((what & KINDS) == 0
        || (what & Verb.INV) != 0
        || SendKind.isBroken(kind)
        || length > qp.directMost) {
      return false;
    }
    QpCore p = qp.directPeer;
    boolean first = p == null; // while the peer is held, each request makes the next one expected
    if (p == null) {
      p = claim(qp, run);
      if (p == null) {
        return false;
      }
    }
    if ((p.refuses & Ready.need(what)) != 0
        || !(p.responder instanceof ReceiveState r)
        || first && !isNext(qp, p, r)) {
      return false;
    }
    boolean done =
        (what & Verb.SEND) != 0
            ? send(qp, s, b, kind, r, run)
            : (what & Verb.WRITE) != 0 ? write(qp, s, b, kind, r, run) : read(qp, s, b, kind, p);
    if (done) {
      advance(qp, p, what, (int) length);
      run.spend((int) length);
      if (qp.signalAll || !SendKind.isSilent(kind)) {
        SendCompletions.push(qp, run, s, b, index, WcStatus.SUCCESS, 0);
      } else {
        SendCompletions.silent(qp, index);
      }
    }
    return done;
  }

  /** Whether the next request has the sequence number that the peer expects. */
  private static boolean isNext(QpCore qp, QpCore p, ReceiveState r) {
    Direction received = p.directReceived;
    if (qp.directAhead && received.ahead) {
      return qp.directPsn == received.psn;
    }
    int next = qp.directAhead ? qp.directPsn : qp.sending.psnNext;
    if (received.ahead ? received.psn != next : !r.isNext(next)) {
      return false;
    }
    qp.directPsn = next;
    qp.directAhead = true;
    received.psn = next;
    received.ahead = true;
    return true;
  }

  private static void advance(QpCore qp, QpCore p, int what, int length) {
    int psns = qp.packets(length);
    int next = Psn.add(qp.directPsn, psns);
    qp.directPsn = next;
    Direction received = p.directReceived;
    received.executed(next, (what & Verb.READ) != 0);
    counted(qp, received, what, length, psns);
  }

  /**
   * Releases the claim of the peer, and runs the peer if another thread has published work for it
   * meanwhile.
   *
   * @param followed whether the next request goes as packets at once. Then the response to that one
   *     acknowledges what was executed here too, as if all had been packets; without one, {@link
   *     #settle} does
   */
  public static void end(QpCore qp, RunList run, boolean followed) {
    QpCore p = qp.directPeer;
    if (p == null) {
      return;
    }
    try {
      if (qp.directUnacknowledged > 0 && !followed) {
        answered(qp, p.directReceived, Opcode.ACKNOWLEDGE, 1, 0);
      }
    } finally {
      leave(qp, p, run);
    }
  }

  /**
   * Counts the acknowledgement that {@link #end} has left to the response of a later request,
   * unless such a response is still to come. While another thread has claimed the peer, the next
   * step tries again.
   */
  public static void settle(QpCore qp, RunList run) {
    if (qp.sending.head() < qp.sending.started) {
      return;
    }
    if (claim(qp, run) != null) {
      end(qp, run, false);
    } else if (qp.peer == null) {
      qp.directUnacknowledged = 0; // the two were parted: no peer is left
    }
  }

  /** Claims the peer, and finds that it is still joined with us. */
  @SuppressWarnings("ReferenceEquality") // a run list is itself
  private static @Nullable QpCore claim(QpCore qp, RunList run) {
    Direction joined = qp.peer;
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
    qp.directClaimed = mine;
    qp.directPeer = p; // from here on, whatever is thrown, end gives it back
    p.heldBy(run.thread());
    if (Join.holds(qp, p)) {
      return p;
    }
    leave(qp, p, run);
    Join.part(qp); // it was modified; when it is ready again, the epoch tells
    return null;
  }

  private static void leave(QpCore qp, QpCore p, RunList run) {
    qp.directPeer = null;
    if (qp.directClaimed) {
      Join.leave(p, run);
    }
  }

  private static boolean send(
      QpCore qp, SendWords s, int b, long kind, ReceiveState r, RunList run) {
    QpCore p = r.qp;
    long length = SendKind.measuredLength(kind);
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
      if (key == null) {
        return false;
      }
      long version = key.admit(lkey, p.domain(), key, Access.LOCAL_WRITE, address, length);
      if (isRefused(p, key, version) || !s.store(b, kind, qp.keys, key, version, address)) {
        return false;
      }
    }
    complete(qp, s, b, kind, r, run);
    return true;
  }

  private static boolean write(
      QpCore qp, SendWords s, int b, long kind, ReceiveState r, RunList run) {
    QpCore p = r.qp;
    long length = SendKind.measuredLength(kind);
    boolean imm = (Verb.what(SendKind.opcode(kind)) & Verb.IMM) != 0;
    if (imm && !r.takeReceive()) {
      return false;
    }
    if (length > 0) {
      int rkey = s.rkey(b);
      long address = s.remoteAddress(b);
      Key key = p.keys.remote(rkey);
      if (key == null) {
        return false;
      }
      long version = key.admit(rkey, p.domain(), p, Access.REMOTE_WRITE, address, length);
      if (isRefused(p, key, version) || !s.store(b, kind, qp.keys, key, version, address)) {
        return false;
      }
    }
    if (imm) {
      complete(qp, s, b, kind, r, run);
    }
    return true;
  }

  private static boolean read(QpCore qp, SendWords s, int b, long kind, QpCore p) {
    long length = SendKind.measuredLength(kind);
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
    long version = key.admit(rkey, p.domain(), p, Access.REMOTE_READ, address, length);
    return !isRefused(p, key, version)
        && Mover.fetch(key, version, address, length, s.elements(b, kind, qp.keys));
  }

  /** Whether a key does not admit a request; then it is looked for anew the next time. */
  private static boolean isRefused(QpCore p, Key key, long version) {
    if (version != Key.REFUSED) {
      return false;
    }
    p.keys.forget(key);
    return true;
  }

  private static void complete(
      QpCore qp, SendWords s, int b, long kind, ReceiveState r, RunList run) {
    int what = Verb.what(SendKind.opcode(kind));
    boolean imm = (what & Verb.IMM) != 0;
    QpPath path = qp;
    Route route = path.route;
    r.complete(
        run,
        (what & Verb.SEND) != 0 ? WcOpcode.RECV : WcOpcode.RECV_RDMA_WITH_IMM,
        (int) SendKind.measuredLength(kind),
        Responder.immFlag(imm),
        imm ? s.immData(b) : 0,
        path.port().sourceLid(path.sourceBits),
        route == null ? 0 : route.sl(),
        (SendKind.flags(kind) & SendFlags.SOLICITED) != 0);
  }

  private static boolean global(QpCore qp) {
    Route route = qp.route;
    return route != null && route.global();
  }

  private static void counted(QpCore qp, Direction received, int what, int bytes, int packets) {
    boolean read = (what & Verb.READ) != 0;
    int opcode = read ? Opcode.READ_REQUEST : Verb.part(what, true, true);
    int asked = read ? 1 : packets;
    int words = Framing.words(opcode, global(qp), asked, read ? 0 : bytes);
    qp.directRequests += asked;
    qp.directRequestWords += words;
    received.requests += asked;
    received.requestWords += words;
    if (read) {
      answered(qp, received, Opcode.READ_RESPONSE_ONLY, packets, bytes);
    } else {
      qp.directUnacknowledged++;
    }
  }

  /** Counts a response, which acknowledges every request so far. */
  private static void answered(QpCore qp, Direction received, int opcode, int packets, int bytes) {
    int words = Framing.words(opcode, global(qp), packets, bytes);
    qp.directAnswers += packets;
    qp.directAnswerWords += words;
    received.answers += packets;
    received.answerWords += words;
    if (qp.directUnacknowledged > 1) {
      qp.count(HcaCounter.ACK_DEFERRED);
    }
    qp.directUnacknowledged = 0;
  }
}
