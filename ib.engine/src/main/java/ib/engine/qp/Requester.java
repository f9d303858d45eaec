package ib.engine.qp;

import ib.core.spi.Trace;
import ib.core.verbs.Access;
import ib.core.verbs.EventType;
import ib.core.verbs.Limit;
import ib.core.verbs.QpState;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WrOpcode;
import ib.engine.mr.Copier;
import ib.engine.ring.SendRing;
import ib.engine.ring.SendWqe;
import ib.engine.wire.Packet;
import ib.engine.wire.Route;
import org.jspecify.annotations.Nullable;

/**
 * Turns send requests into packets (IBA vol. 1 section 9.7.2 ff.). A retransmission sets the cursor
 * back and runs the same code: there is no second path. The owner's.
 */
final class Requester {
  private static final int WINDOW_PSNS = 1 << 22;
  private static final int ACK_EVERY = 32;
  private static final int OP_WRITE = WrOpcode.RDMA_WRITE.value();
  private static final int OP_WRITE_IMM = WrOpcode.RDMA_WRITE_WITH_IMM.value();
  private static final int OP_SEND_IMM = WrOpcode.SEND_WITH_IMM.value();
  private static final int OP_READ = WrOpcode.RDMA_READ.value();

  private final QpCore qp;
  private final boolean reliable;
  private final boolean datagram;
  private final long lengthMost;
  private SendRing ring;
  private long cursor; // the request that is being sent or is next
  private long batchEnd; // published up to here
  private long started; // index after the newest request that has sequence numbers
  private int psnNext;
  private int readsOut;
  private long haltIndex =
      Long.MAX_VALUE; // where a local error was found: nothing is sent from here on
  private WcStatus haltStatus = WcStatus.SUCCESS;
  private boolean wantsPacket;
  private boolean drainWanted;

  Requester(QpCore qp) {
    this.qp = qp;
    this.reliable = qp.service == Opcode.RC;
    this.datagram = qp.service == Opcode.UD;
    this.lengthMost = qp.hca.config().limit(Limit.MAX_MSG_SZ);
    this.ring = qp.sends;
  }

  /** A new ring, or the first sequence number was set. */
  void reset() {
    ring = qp.sends;
    cursor = 0;
    batchEnd = 0;
    started = 0;
    readsOut = 0;
    wantsPacket = false;
    drainWanted = false;
    resume();
  }

  private void resume() {
    haltIndex = Long.MAX_VALUE;
    haltStatus = WcStatus.SUCCESS;
  }

  void psn(int first) {
    psnNext = first;
  }

  int psnNext() {
    return psnNext;
  }

  long started() {
    return started;
  }

  SendRing ring() {
    return ring;
  }

  long haltIndex() {
    return haltIndex;
  }

  /** The oldest request, a read, is answered; it counts when it was sent since the last rewind. */
  void readDone() {
    if (qp.completer.head() < cursor) {
      readsOut--;
    }
  }

  /** Whether an event of ours waits for a packet to come back. */
  boolean starved() {
    return wantsPacket || (!reliable && qp.completer.head() < cursor);
  }

  boolean refilled() {
    return wantsPacket
        ? qp.requestPool.available()
        : ring.at(qp.completer.head()).packetLast <= qp.requestPool.reclaimed();
  }

  /** The requests before an index were flushed. */
  void skipTo(long index) {
    cursor = index;
    started = index;
    readsOut = 0;
    wantsPacket = false;
    resume();
  }

  /** SQD was entered: tells when what was begun is done (IBA 10.3.1.5). */
  void drain(boolean tell) {
    drainWanted = tell;
  }

  boolean run(RunList run) {
    QpState state = qp.state;
    if (state != QpState.RTS && state != QpState.SQD) {
      return false;
    }
    boolean more = false;
    wantsPacket = false;
    cursor = Math.max(cursor, qp.completer.head()); // answered after a rewind: not sent once more
    while (cursor < haltIndex && ready(state) && !qp.completer.rnrWaiting()) {
      if (run.exhausted()) {
        more = true;
        break;
      }
      if (!advance(run)) {
        break;
      }
    }
    if (!reliable) {
      retireSent(run);
    }
    if (qp.completer.head() == haltIndex) {
      qp.completer.failHead(run, haltStatus, 0);
    } else if (drainWanted && state == QpState.SQD && qp.completer.head() == started) {
      drainWanted = false;
      qp.verbs.tell(EventType.SQ_DRAINED);
    }
    return more;
  }

  private boolean ready(QpState state) {
    if (cursor < started) {
      return true;
    }
    if (state == QpState.SQD) {
      return false;
    }
    return extend(cursor);
  }

  /** {@return whether the request at the index is published, as part of a batch} */
  boolean extend(long index) {
    if (index < batchEnd) {
      return true;
    }
    if (!ring.published(index)) {
      return false;
    }
    batchEnd = index + ring.at(index).batch;
    return true;
  }

  private boolean advance(RunList run) {
    SendWqe w = ring.at(cursor);
    if (cursor == started && !start(w)) {
      return false;
    }
    return w.opcode == OP_READ ? sendRead(w, run) : sendPart(w, run);
  }

  /** Gives a request its sequence numbers, or finds that it must wait or cannot be. */
  private boolean start(SendWqe w) {
    long length = w.messageLength();
    boolean read = w.opcode == OP_READ;
    if ((w.flags & SendFlags.FENCE) != 0 && readsOut > 0) {
      return false;
    }
    if (read && readsOut >= qp.path.maxRdAtomic) {
      return readsOut == 0 && halt(cursor, WcStatus.LOC_QP_OP_ERR);
    }
    int packets = datagram ? 1 : qp.path.packets(length);
    if (length > lengthMost
        || packets > WINDOW_PSNS
        || (datagram && length > qp.path.port().mtuBytes())) {
      return halt(cursor, WcStatus.LOC_LEN_ERR);
    }
    if (Psn.diff(psnNext, qp.completer.una()) + packets > WINDOW_PSNS && reliable) {
      return false;
    }
    if (w.broken || (read && !gather(w, 0, length, Access.LOCAL_WRITE, null))) {
      return halt(cursor, WcStatus.LOC_PROT_ERR);
    }
    w.length = length;
    w.psnFirst = psnNext;
    w.psnCount = packets;
    w.done = 0;
    psnNext = Psn.add(psnNext, packets);
    started++;
    return true;
  }

  private boolean halt(long index, WcStatus status) {
    if (index < haltIndex) {
      haltIndex = index;
      haltStatus = status;
    }
    return false;
  }

  private boolean sendPart(SendWqe w, RunList run) {
    QpPath path = qp.path;
    boolean segments = path.port().segments();
    int psn = Psn.add(w.psnFirst, (int) (w.done >>> path.mtuShift));
    int room = qp.hca.config().windowPackets() - Psn.diff(psn, qp.completer.una());
    if (segments && reliable && room <= 0) {
      return false; // the acknowledgement brings us back
    }
    long left = w.length - w.done;
    int most = datagram ? Integer.MAX_VALUE : segments ? path.mtu : qp.hca.config().jumboBytes();
    int bytes = (int) Math.min(left, most);
    Packet p = qp.requestPool.take();
    if (p == null) {
      wantsPacket = true;
      return false;
    }
    if (!gather(w, w.done, bytes, 0, p)) {
      p.free();
      return halt(cursor, WcStatus.LOC_PROT_ERR);
    }
    boolean last = bytes == left;
    int kind = w.opcode == OP_WRITE || w.opcode == OP_WRITE_IMM ? Opcode.WRITE : Opcode.SEND;
    boolean imm = last && (w.opcode == OP_WRITE_IMM || w.opcode == OP_SEND_IMM);
    p.opcode = qp.service | Opcode.part(kind, w.done == 0, last, imm);
    p.psn = psn;
    p.psnCount = datagram ? 1 : path.packets(bytes);
    // also when the window closes, however small it is: nothing else would open it again
    boolean ask = last || (segments && ((psn & (ACK_EVERY - 1)) == 0 || room == 1));
    p.ackRequest = reliable && ask;
    p.solicited = last && (w.flags & SendFlags.SOLICITED) != 0;
    p.immData = w.immData;
    if (kind == Opcode.WRITE) {
      p.remoteAddress = w.remoteAddress;
      p.rkey = w.rkey;
      p.dmaLength = (int) w.length;
    }
    w.done += bytes;
    if (last) {
      w.packetLast = qp.requestPool.taken();
      cursor++;
    }
    transmit(p, w, run);
    return true;
  }

  private boolean sendRead(SendWqe w, RunList run) {
    Packet p = qp.requestPool.take();
    if (p == null) {
      wantsPacket = true;
      return false;
    }
    long left = w.length - w.done;
    p.opcode = Opcode.RC | Opcode.READ_REQUEST;
    p.psn = Psn.add(w.psnFirst, (int) (w.done >>> qp.path.mtuShift));
    p.psnCount = qp.path.packets(left);
    p.ackRequest = true;
    p.solicited = false;
    p.remoteAddress = w.remoteAddress + w.done;
    p.rkey = w.rkey;
    p.dmaLength = (int) left;
    readsOut++;
    cursor++;
    transmit(p, w, run);
    return true;
  }

  private void transmit(Packet p, SendWqe w, RunList run) {
    Route route = datagram ? w.route : qp.path.route;
    if (route == null) {
      throw new IllegalStateException("no address"); // checked at the post and in modify
    }
    route.address(p);
    if (datagram) {
      p.destQpn = w.remoteQpn;
      p.qkey = w.remoteQkey < 0 ? qp.path.qkey : w.remoteQkey; // IBA 10.2.5
      p.sourceQpn = qp.qpn;
      qp.path.port().transmit(qp, p, qp.path.pkeyIndex, route.sgidIndex(), route.pathBits(), run);
    } else {
      p.destQpn = qp.path.destQpn;
      qp.transmit(p, run);
    }
  }

  private boolean gather(SendWqe w, long offset, long bytes, int rights, @Nullable Packet p) {
    if (w.inlineLength >= 0) {
      if (p != null && bytes > 0) {
        p.payload.add(null, w.inlineSegment(), offset, (int) bytes);
      }
      return true;
    }
    return Copier.gather(
        w.sges, offset, bytes, rights, qp.hca.lkeys(), qp.domain, p == null ? null : p.payload);
  }

  /**
   * Unreliable services: a request is done when its packets are back, so its memory is free then.
   */
  private void retireSent(RunList run) {
    long end = Math.min(cursor, haltIndex);
    if (qp.completer.head() < end) {
      long back = qp.requestPool.reclaimed();
      while (qp.completer.head() < end && ring.at(qp.completer.head()).packetLast <= back) {
        qp.completer.completeHead(run, WcStatus.SUCCESS, 0);
      }
    }
  }

  /** The payload of a packet could not be read (D6): a local protection error of its request. */
  void fault(int psn) {
    for (long i = qp.completer.head(); i < started; i++) {
      SendWqe w = ring.at(i);
      int d = Psn.diff(psn, w.psnFirst);
      if (d >= 0 && d < w.psnCount) {
        halt(i, WcStatus.LOC_PROT_ERR);
        return;
      }
    }
  }

  /** Sends everything from a sequence number on once more (go-back-N). */
  void rewind(int psn) {
    qp.count(HcaCounter.COMPLETER_RETRY_ERR);
    Trace.retransmission(qp.hca.config().nodeGuid(), qp.qpn, psn);
    boolean found = false;
    for (long i = qp.completer.head(); i < started; i++) {
      SendWqe w = ring.at(i);
      int d = Psn.diff(psn, w.psnFirst);
      if (found) {
        w.done = 0;
      } else if (d < w.psnCount) {
        found = true;
        cursor = i;
        if (w.opcode != OP_READ) {
          w.done = (long) Math.max(0, d) << qp.path.mtuShift;
        }
      }
    }
    readsOut = 0;
  }
}
