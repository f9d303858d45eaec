package ib.engine.qp;

import ib.engine.mr.MrKey;
import ib.engine.wire.Packet;
import ib.engine.wire.Route;
import org.jspecify.annotations.Nullable;

/**
 * The responses of one read (IBA vol. 1 section 9.7.5.1.9): they refer to the region, the requester
 * copies.
 */
final class ReadReply {
  private final QpCore qp;
  private boolean active;
  private boolean refused;
  private boolean first;
  private int psn;
  private long address;
  private long left;
  private @Nullable MrKey key;

  ReadReply(QpCore qp) {
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

  /** Begins to answer; the key was checked. */
  void begin(Packet request, @Nullable MrKey region) {
    active = true;
    refused = false;
    first = true;
    psn = request.psn;
    address = request.remoteAddress;
    left = request.dmaLength & 0xffffffffL;
    key = region;
  }

  /** Sends as much as packets and budget allow; returns whether the answer is complete. */
  boolean run(RunList run, int msn) {
    QpPath path = qp.path;
    int most = path.port().segments() ? path.mtu : qp.hca.config().jumboBytes();
    while (active) {
      MrKey region = key;
      if (region != null && !region.live()) {
        active = false;
        refused = true;
        return false;
      }
      if (run.exhausted()) {
        return false;
      }
      Packet p = qp.responsePool.take();
      if (p == null) {
        return false;
      }
      int bytes = (int) Math.min(left, most);
      if (region != null && bytes > 0) {
        p.payload.add(region, region.segment(), address - region.iova(), bytes);
      }
      boolean last = bytes == left;
      p.opcode = Opcode.RC | opcode(first, last);
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
