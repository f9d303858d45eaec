package ib.engine.qp;

import ib.core.wire.Psn;
import ib.engine.link.HcaCounter;
import ib.engine.mr.Copier;
import ib.engine.mr.Key;
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

  private final QpCore qp;
  private boolean active;
  private boolean refused;
  private boolean first;
  private int psn;
  private long address;
  private long left;
  private @Nullable Key key; // of a read that is not empty
  private long version;
  private boolean atomic;
  private long original;
  private boolean noticed; // a congestion notification was sent
  private long noticedNs;

  Reply(QpCore qp) {
    this.qp = qp;
  }

  boolean active() {
    return active;
  }

  /** Whether the region went away meanwhile. */
  boolean refused() {
    return refused;
  }

  /** The sequence number of the response that comes next, or did not come. */
  int psn() {
    return psn;
  }

  void end() {
    active = false;
    refused = false;
  }

  /** Begins to answer a read with what a key allowed. */
  void read(Packet request, @Nullable Key region, long admitted) {
    begin(request.psn);
    address = request.remoteAddress;
    left = request.dmaLength & 0xffffffffL;
    key = region;
    version = admitted;
  }

  /** Begins to answer an atomic. */
  void atomic(int at, long found) {
    begin(at);
    atomic = true;
    original = found;
  }

  /** Begins to answer an atomic write or a flush: like a read of nothing. */
  void done(int at) {
    begin(at);
  }

  private void begin(int at) {
    active = true;
    refused = false;
    first = true;
    psn = at;
    left = 0;
    key = null;
    atomic = false;
  }

  /** Sends as much as packets and budget allow; returns whether the answer is complete. */
  boolean run(RunList run, int msn) {
    QpPath path = qp.path;
    int most = path.port().wire().segments() ? path.mtu : qp.hca.config().jumboBytes();
    while (active) {
      Key region = key;
      if (run.exhausted()) {
        return false;
      }
      Packet p = qp.responsePool.take();
      if (p == null) {
        return false;
      }
      int bytes = (int) Math.min(left, most);
      if (region != null
          && !(region.live(version) && Copier.refer(region, version, address, bytes, p.payload))) {
        p.free();
        active = false;
        refused = true;
        return false;
      }
      boolean last = bytes == left;
      p.opcode = atomic ? Opcode.ATOMIC_ACKNOWLEDGE : opcode(first, last);
      p.swapAdd = original;
      p.psn = psn;
      p.psnCount = path.packets(bytes);
      p.syndrome = Syndrome.ACK;
      p.msn = msn;
      p.ackRequest = false;
      p.solicited = false;
      first = false;
      psn = Psn.add(psn, p.psnCount);
      address += bytes;
      left -= bytes;
      active = !last;
      address(p, qp, run);
    }
    return true;
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
  void notifyCongestion(RunList run) {
    long now = qp.hca.worker().now();
    Packet p = noticed && now - noticedNs < MIN_NOTICE_NS ? null : qp.responsePool.take();
    if (p == null) {
      return; // without a free packet the next marked request causes the notification
    }
    noticed = true;
    noticedNs = now;
    p.opcode = Opcode.CNP;
    p.becn = true;
    p.psn = 0;
    p.psnCount = 1;
    p.ackRequest = false;
    p.solicited = false;
    p.payload.add(RESERVED, 0, (int) RESERVED.byteSize());
    qp.counts.count(HcaCounter.NP_CNP_SENT);
    address(p, qp, run);
  }

  /** Sends a response to the peer of the connection. */
  void address(Packet p, QpCore from, RunList run) {
    Route route = from.path.route;
    if (route == null) {
      p.free();
      return;
    }
    route.address(p);
    p.destQpn = from.path.destQpn;
    from.transmit(p, run);
  }
}
