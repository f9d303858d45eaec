package ib.engine.packet.send;

import ib.core.verbs.Limit;
import ib.core.verbs.SendFlags;
import ib.core.wire.Psn;
import ib.engine.link.Link;
import ib.engine.mr.Checksum;
import ib.engine.qp.QpCore;
import ib.engine.qp.SendState;
import ib.engine.qp.Verb;
import ib.engine.ring.LargeHeader;
import ib.engine.ring.SendWords;
import ib.engine.ring.TcpHeader;
import ib.engine.run.RunList;
import ib.engine.wire.Opcode;
import ib.engine.wire.Packet;
import ib.engine.wire.Route;

/**
 * Sends with segmentation offload: one TCP segment that leaves as many datagrams. To a queue pair
 * of this JVM that accepts them together, over a medium that shows no packets, the segment leaves
 * as one packet that stands for all of them (D5), and its data is copied once. Only the thread that
 * holds this queue pair's claim calls in.
 */
final class LargeSend {
  /** Result of {@link #send}: the request has more segments. */
  static final int MORE = 0;

  /** Result of {@link #send}: the last segment was sent. */
  static final int LAST = 1;

  /** Result of {@link #send}: the pool has no free packet. */
  static final int WAITS = -1;

  /** Result of {@link #send}: the data cannot be read. */
  static final int FAULT = -2;

  private static final int MAX_SEGMENTS = 256;
  private static final int TOO_MANY = Integer.MAX_VALUE;

  private LargeSend() {}

  /**
   * {@return how many datagrams a request is, a number beyond all bounds when it cannot be sent}
   */
  static int packets(QpCore qp, SendWords slots, int b, long length) {
    int mtu = qp.port().mtu().bytes();
    LargeHeader header = slots.header(b);
    int mss = slots.mss(b);
    if (mss == 0 || header == null) {
      return length > mtu ? TOO_MANY : 1;
    }
    long bytesMost = qp.hca.config().limit(Limit.MAX_TSO);
    long segments = (length + mss - 1) / mss;
    boolean fits = header.length() + Math.min(mss, length) <= mtu && length <= bytesMost;
    return fits && segments >= 1 && segments <= MAX_SEGMENTS ? (int) segments : TOO_MANY;
  }

  /** Sends all of it, or its next segment. */
  static int send(QpCore qp, long request, RunList run) {
    SendState r = qp.sending;
    int b = r.place(request);
    LargeHeader header = r.slots.header(b);
    int mss = r.slots.mss(b);
    if (header == null || mss == 0) {
      return FAULT; // a thread has made a large send of it after it was checked
    }
    Packet p = qp.packets().requestPool.take();
    if (p == null) {
      return WAITS;
    }
    long done = r.done(request);
    long length = r.length(request);
    if (done == 0) {
      r.together = takenTogether(qp, request, header);
    }
    boolean together = r.together;
    int index = (int) (done / mss);
    int bytes = (int) (together ? length : Math.min(mss, length - done));
    boolean last = done + bytes == length;
    if (!(together
        ? whole(qp, p, request, header)
        : segment(qp, p, request, header, index, bytes))) {
      p.free();
      return FAULT;
    }
    p.opcode = Opcode.UD | Verb.part(Verb.SEND, true, true);
    p.psn = Psn.add(r.psnFirst(request), index);
    p.psnCount = together ? r.psnCount(request) : 1;
    p.ackRequest = false;
    p.solicited = last && (r.slots.flags(b) & SendFlags.SOLICITED) != 0;
    r.done(request, done + bytes);
    if (last) {
      r.packetLast(request, qp.packets().requestPool.taken());
    }
    run.spend(bytes);
    RequestPackets.transmit(qp, p, b, run);
    return last ? LAST : MORE;
  }

  /** Asked once per message: what it finds out may change with capture or faults. */
  private static boolean takenTogether(QpCore qp, long request, LargeHeader header) {
    SendState r = qp.sending;
    int b = r.place(request);
    Link port = qp.port();
    Route route = r.slots.route(b);
    if (route == null || r.psnCount(request) == 1 || port.wire().segments()) {
      return false;
    }
    Link there = port.reaches(route, header.length() + r.slots.mss(b));
    return there != null
        && there.queuePair(r.slots.remoteQpn(b)) instanceof QpCore peer
        && peer.service == Opcode.UD
        && peer.coalesces();
  }

  private static boolean whole(QpCore qp, Packet p, long request, LargeHeader header) {
    p.mss = qp.sending.slots.mss(qp.sending.place(request));
    p.headerLength = header.length();
    p.payload.add(header.wholeSegment(), 0, header.length());
    return RequestPackets.gather(qp, request, 0, qp.sending.length(request), 0, p);
  }

  private static boolean segment(
      QpCore qp, Packet p, long request, LargeHeader header, int index, int bytes) {
    long done = qp.sending.done(request);
    int at = header.place(index, qp.sending.psnCount(request));
    p.payload.add(header.cutSegment(), at, header.length());
    if (!RequestPackets.gather(qp, request, done, bytes, 0, p)) {
      return false;
    }
    long data = Checksum.sum(p.payload, 1);
    if (data < 0) {
      return false;
    }
    int segments = qp.sending.psnCount(request);
    TcpHeader.segment(header, index, segments, (int) done, bytes, data);
    return true;
  }
}
