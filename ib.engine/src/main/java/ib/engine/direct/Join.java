package ib.engine.direct;

import ib.engine.link.Link;
import ib.engine.qp.QpCore;
import ib.engine.qp.QpPath;
import ib.engine.qp.Ready;
import ib.engine.run.RunList;
import ib.engine.wire.Opcode;
import ib.engine.wire.Route;
import org.jspecify.annotations.Nullable;

/**
 * Finds the peer of a connected queue pair in this JVM and joins the two, which is the first half
 * of the way without packets (D5). Two queue pairs are joined while each names the other as its
 * {@link QpCore#peer}. The thread that joins them holds the claims of both; the control path of
 * either ends it before it changes the queue pair, with the claim of that one alone. So who holds
 * both claims and finds both names still there knows that neither was modified since. What else may
 * change is counted by the medium's {@link ib.engine.wire.Epoch}.
 */
@SuppressWarnings("ReferenceEquality") // each of these is itself and equals nothing else
public final class Join {
  private Join() {}

  /**
   * Looks for the way to the peer, and joins the two if there is one. While another thread has
   * claimed the peer, nothing is found out, and the next request looks again. Only the thread that
   * holds the claim may call.
   */
  static void look(QpCore a, RunList run) {
    int epoch = a.epoch.now(); // first: after a change that comes meanwhile it is looked again
    Link to = reached(a);
    if (to == null
        || !(to.queuePair(a.destQpn) instanceof QpCore b)
        || b == a
        || b.service != Opcode.RC) {
      a.blocked |= Ready.NO_WAY;
      a.seenEpoch = epoch;
      return;
    }
    boolean mine = b.owner != run;
    if (mine && !b.tryClaim()) {
      a.blocked |= Ready.NO_WAY; // its owner will see the packet
      return;
    }
    try {
      b.heldBy(run.thread());
      if (b.portIndex() == to.number() - 1 && connected(a, b)) {
        joined(a, b, epoch);
        joined(b, a, epoch);
      } else {
        a.blocked |= Ready.NO_WAY;
        a.seenEpoch = epoch;
      }
    } finally {
      if (mine) {
        leave(b, run);
      }
    }
  }

  private static void joined(QpCore a, QpCore b, int epoch) {
    a.peer = b.directReceived;
    a.blocked &= ~(Ready.ALONE | Ready.NO_WAY);
    a.seenEpoch = epoch;
  }

  /** Whether the peer, whose claim is held, is still joined with us. */
  static boolean holds(QpCore a, QpCore b) {
    return b.peer == a.directReceived;
  }

  /** Ends what {@link #look} has joined; only the thread that holds the claim may call. */
  public static void part(QpCore a) {
    a.peer = null;
    a.blocked |= Ready.ALONE;
  }

  /**
   * Releases a claim; runs the queue pair if another thread has published work for it meanwhile.
   */
  static void leave(QpCore b, RunList run) {
    if (!b.release()) {
      run.add(b);
    }
  }

  /** The port at which packets would arrive that need not be packets, or null. */
  private static @Nullable Link reached(QpCore a) {
    Route route = a.route;
    return a.service != Opcode.RC || route == null ? null : a.port().reaches(route, a.mtu);
  }

  /** Whether packets would reach the peer and its answers us; the states are not looked at. */
  private static boolean connected(QpCore a, QpCore b) {
    QpPath ours = a;
    QpPath theirs = b;
    Route route = ours.route;
    Route back = theirs.route;
    if (back == null || route == null) {
      return false;
    }
    Link port = ours.port();
    Link other = theirs.port();
    return a.epoch == b.epoch // else not all changes would be noticed
        && route.sl() == back.sl() // data is counted by service level, both ways on one
        && !port.guard().muting() // whom it mutes, only packets tell
        && !other.guard().muting()
        && theirs.destQpn == a.qpn
        && theirs.mtu == ours.mtu
        && comesFrom(port, ours.sourceBits, route, back)
        && comesFrom(other, theirs.sourceBits, back, route)
        && other.tables().pkeyFits(theirs.pkeyIndex, port.tables().pkey(ours.pkeyIndex))
        && other.reaches(back, ours.mtu) == port;
  }

  /** Whether packets by a route have the source to which the way back leads (IBA 9.6.1.2). */
  private static boolean comesFrom(Link port, int pathBits, Route route, Route back) {
    return back.dlid() != 0
        ? back.dlid() == port.sourceLid(pathBits)
        : back.leadsTo(port.tables().gid(route.sgidIndex()));
  }
}
