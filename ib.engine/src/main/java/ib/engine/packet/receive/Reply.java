package ib.engine.packet.receive;

import ib.core.wire.Psn;
import ib.engine.link.HcaCounter;
import ib.engine.mr.Copier;
import ib.engine.mr.Key;
import ib.engine.qp.QpCore;
import ib.engine.qp.QpPath;
import ib.engine.run.RunList;
import ib.engine.wire.Opcode;
import ib.engine.wire.Packet;
import ib.engine.wire.Route;
import ib.engine.wire.Syndrome;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The answer to one request that has an answer of its own (IBA vol. 1 section 9.7.5.1.9): the
 * responses of a read, which refer to the region so that the requester copies; the one response of
 * the others.
 */
final class Reply {
  /** The least time between two congestion notifications of a queue pair, in nanoseconds. */
  static final long MIN_NOTICE_NS = 50_000;

  private static final MemorySegment RESERVED =
      MemorySegment.ofArray(new byte[16]).asReadOnly(); // payload of a CNP

  private Reply() {}

  static void end(ConnectedResponder r) {
    r.replying = false;
    r.replyRefused = false;
  }

  /** Begins to answer a read with what a key allowed. */
  static void read(ConnectedResponder r, Packet request, @Nullable Key region, long admitted) {
    begin(r, request.psn);
    r.replyAddress = request.remoteAddress;
    r.replyLeft = request.dmaLength & 0xffffffffL;
    r.replyKey = region;
    r.replyVersion = admitted;
  }

  /** Begins to answer an atomic. */
  static void atomic(ConnectedResponder r, int at, long found) {
    begin(r, at);
    r.replyAtomic = true;
    r.replyOriginal = found;
  }

  /** Begins to answer an atomic write or a flush: like a read of nothing. */
  static void done(ConnectedResponder r, int at) {
    begin(r, at);
  }

  private static void begin(ConnectedResponder r, int at) {
    r.replying = true;
    r.replyRefused = false;
    r.replyFirst = true;
    r.replyPsn = at;
    r.replyLeft = 0;
    r.replyKey = null;
    r.replyAtomic = false;
  }

  /** Sends as much as packets and budget allow; returns whether the answer is complete. */
  static boolean run(ConnectedResponder r, RunList run, int msn) {
    QpCore qp = r.qp;
    QpPath path = qp;
    int most = path.port().wire().segments() ? path.mtu : qp.hca.config().jumboBytes();
    while (r.replying) {
      if (run.exhausted()) {
        return false;
      }
      Packet p = qp.packets().responsePool.take();
      if (p == null) {
        return false;
      }
      int bytes = (int) Math.min(r.replyLeft, most);
      if (!refers(r, p, bytes)) {
        p.free();
        r.replying = false;
        r.replyRefused = true;
        return false;
      }
      boolean last = bytes == r.replyLeft;
      p.opcode = r.replyAtomic ? Opcode.ATOMIC_ACKNOWLEDGE : opcode(r.replyFirst, last);
      p.swapAdd = r.replyOriginal;
      p.psn = r.replyPsn;
      p.psnCount = path.packets(bytes);
      p.syndrome = Syndrome.ACK;
      p.msn = msn;
      p.ackRequest = false;
      p.solicited = false;
      r.replyFirst = false;
      r.replyPsn = Psn.add(r.replyPsn, p.psnCount);
      r.replyAddress += bytes;
      r.replyLeft -= bytes;
      r.replying = !last;
      run.spend(0); // a wire that gives the packet back at once never empties the pool
      address(p, qp, run);
    }
    return true;
  }

  /** Makes a packet refer to the next bytes; false when the region went away. */
  private static boolean refers(ConnectedResponder r, Packet p, int bytes) {
    Key region = r.replyKey;
    return region == null
        || (region.live(r.replyVersion)
            && Copier.refer(region, r.replyVersion, r.replyAddress, bytes, p.payload));
  }

  private static int opcode(boolean first, boolean last) {
    if (first) {
      return last ? Opcode.READ_RESPONSE_ONLY : Opcode.READ_RESPONSE_FIRST;
    }
    return last ? Opcode.READ_RESPONSE_LAST : Opcode.READ_RESPONSE_MIDDLE;
  }

  /**
   * Sends a congestion notification packet (CNP) for a marked request (IBA A17.9.3), unless the
   * last one is less than {@link #MIN_NOTICE_NS} old. The marked packets of a window say the same.
   */
  static void notifyCongestion(ConnectedResponder r, RunList run) {
    QpCore qp = r.qp;
    long now = qp.hca.worker().now();
    Packet p =
        r.noticed && now - r.noticedNs < MIN_NOTICE_NS ? null : qp.packets().responsePool.take();
    if (p == null) {
      return; // without a free packet the next marked request causes the notification
    }
    r.noticed = true;
    r.noticedNs = now;
    p.opcode = Opcode.CNP;
    p.becn = true;
    p.psn = 0;
    p.psnCount = 1;
    p.ackRequest = false;
    p.solicited = false;
    p.payload.add(RESERVED, 0, (int) RESERVED.byteSize());
    qp.count(HcaCounter.NP_CNP_SENT);
    address(p, qp, run);
  }

  /** Sends a response to the peer of the connection. */
  static void address(Packet p, QpCore from, RunList run) {
    Route route = from.route;
    if (route == null) {
      p.free();
      return;
    }
    route.address(p);
    p.destQpn = from.destQpn;
    from.transmit(p, run);
  }
}
