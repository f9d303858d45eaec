package ib.engine.qp;

import ib.core.verbs.Limit;
import ib.core.verbs.SendFlags;
import ib.core.wire.Psn;
import ib.engine.link.Link;
import ib.engine.mr.Checksum;
import ib.engine.ring.LargeHeader;
import ib.engine.ring.SendWqe;
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
  static int packets(QpCore qp, SendWqe w, long length) {
    int mtu = qp.path.port().mtuBytes();
    LargeHeader header = w.header;
    if (w.mss == 0 || header == null) {
      return length > mtu ? TOO_MANY : 1;
    }
    long bytesMost = qp.hca.config().limit(Limit.MAX_TSO);
    long segments = (length + w.mss - 1) / w.mss;
    boolean fits = header.length() + Math.min(w.mss, length) <= mtu && length <= bytesMost;
    return fits && segments >= 1 && segments <= MAX_SEGMENTS ? (int) segments : TOO_MANY;
  }

  /** Sends all of it, or its next segment. */
  static int send(QpCore qp, SendWqe w, RunList run) {
    LargeHeader header = w.header;
    if (header == null || w.mss == 0) {
      return FAULT; // a thread has made a large send of it after it was checked
    }
    Packet p = qp.requestPool.take();
    if (p == null) {
      return WAITS;
    }
    if (w.done == 0) {
      qp.requester.together = takenTogether(qp, w, header);
    }
    boolean together = qp.requester.together;
    int index = (int) (w.done / w.mss);
    int bytes = (int) (together ? w.length : Math.min(w.mss, w.length - w.done));
    boolean last = w.done + bytes == w.length;
    if (!(together ? whole(qp, p, w, header) : segment(qp, p, w, header, index, bytes))) {
      p.free();
      return FAULT;
    }
    p.opcode = Opcode.UD | Verb.part(Verb.SEND, true, true);
    p.psn = Psn.add(w.psnFirst, index);
    p.psnCount = together ? w.psnCount : 1;
    p.ackRequest = false;
    p.solicited = last && (w.flags & SendFlags.SOLICITED) != 0;
    w.done += bytes;
    if (last) {
      w.packetLast = qp.requestPool.taken();
    }
    run.spend(bytes);
    RequestPackets.transmit(qp, p, w, run);
    return last ? LAST : MORE;
  }

  /** Asked once per message: what it finds out may change with capture or faults. */
  private static boolean takenTogether(QpCore qp, SendWqe w, LargeHeader header) {
    Link port = qp.path.port();
    Route route = w.route;
    if (route == null || w.psnCount == 1 || port.wire().segments()) {
      return false;
    }
    Link there = port.reaches(route, header.length() + w.mss);
    return there != null
        && there.queuePair(w.remoteQpn) instanceof QpCore peer
        && peer.responder instanceof DatagramReceiver r
        && r.coalesces();
  }

  private static boolean whole(QpCore qp, Packet p, SendWqe w, LargeHeader header) {
    p.mss = w.mss;
    p.headerLength = header.length();
    p.payload.add(header.wholeSegment(), 0, header.length());
    return RequestPackets.gather(qp, w, 0, w.length, 0, p);
  }

  private static boolean segment(
      QpCore qp, Packet p, SendWqe w, LargeHeader header, int index, int bytes) {
    int at = header.place(index, w.psnCount);
    p.payload.add(header.cutSegment(), at, header.length());
    if (!RequestPackets.gather(qp, w, w.done, bytes, 0, p)) {
      return false;
    }
    long data = Checksum.sum(p.payload, 1);
    if (data < 0) {
      return false;
    }
    boolean last = w.done + bytes == w.length;
    TcpHeader.segment(header.cut(), at, header.length(), index, (int) w.done, bytes, last, data);
    return true;
  }
}
