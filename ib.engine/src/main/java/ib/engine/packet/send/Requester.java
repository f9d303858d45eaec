package ib.engine.packet.send;

import ib.core.spi.Trace;
import ib.core.verbs.EventType;
import ib.core.verbs.Limit;
import ib.core.verbs.QpState;
import ib.core.verbs.WcStatus;
import ib.core.wire.Psn;
import ib.engine.link.HcaCounter;
import ib.engine.qp.QpCore;
import ib.engine.qp.QpPath;
import ib.engine.qp.Ready;
import ib.engine.qp.Verb;
import ib.engine.run.RunList;
import ib.engine.wire.Opcode;
import ib.engine.wire.Packet;

/**
 * Turns send requests into packets (IBA vol. 1 section 9.7.2 ff.). A retransmission moves the
 * cursor back and runs the same code. One object with the {@link Completer}, so that a queue pair
 * is small. Only the claim holder may call these methods.
 */
public final class Requester extends Completer {
  final boolean reliable;
  final boolean datagram;
  private final long executable; // opcodes as bits
  final long lengthMost; // bytes of a message

  public Requester(QpCore qp) {
    super(qp);
    this.reliable = qp.service == Opcode.RC;
    this.datagram = qp.service == Opcode.UD;
    this.executable = Verb.executable(qp.service);
    this.lengthMost = qp.hca.config().limit(Limit.MAX_MSG_SZ);
  }

  /** Starts again at the beginning of the ring, which is new or has a new first PSN. */
  public void reset() {
    ring = qp.sends;
    slots = ring.slots();
    batchEnd = ring.head();
    drainWanted = false;
    qp.directUnacknowledged = 0;
    openWindow();
    skipTo(ring.head());
    forget();
  }

  public void psn(int first) {
    psnNext = first;
    psnSent = first;
    ackEnd = first;
    silent = 0;
    una(first);
  }

  /** Whether an event of ours waits for a packet to come back. */
  public boolean starved() {
    return wantsPacket || (!reliable && head() < cursor);
  }

  public boolean refilled() {
    return wantsPacket
        ? qp.packets().requestPool.available()
        : packetLast(head()) <= qp.packets().requestPool.reclaimed();
  }

  /** Continues at an index; the requests before it were flushed. */
  public void skipTo(long index) {
    cursor = index;
    started = index;
    readsOut = 0;
    wantsPacket = false;
    localExecuted = false;
    haltIndex = Long.MAX_VALUE;
    haltStatus = WcStatus.SUCCESS;
  }

  /** Enters SQD; raises SQ_DRAINED, if wanted, when the begun requests end (IBA 10.3.1.5). */
  public void drain(boolean tell) {
    drainWanted = tell;
  }

  public boolean run(RunList run) {
    QpState state = qp.state;
    if (state != QpState.RTS && state != QpState.SQD) {
      return false;
    }
    boolean more = false;
    wantsPacket = false;
    localUnsettled = false;
    skipAcknowledged();
    if (state == QpState.SQD) {
      askLate();
    }
    do {
      while (cursor < haltIndex && ready(state) && !rnrWaiting()) {
        if (run.exhausted()) {
          more = true;
          break;
        }
        if (!advance(run)) {
          break;
        }
      }
    } while (!reliable && retireSent(run) && !more && !wantsPacket);
    if (head() == haltIndex) {
      failHead(run, haltStatus, 0);
    } else if (drainWanted && state == QpState.SQD && head() == started) {
      drainWanted = false;
      qp.verbs.tell(EventType.SQ_DRAINED);
    }
    return LocalWork.insists(qp, run) || more;
  }

  /** Skips requests that were acknowledged after the cursor was moved back. */
  private void skipAcknowledged() {
    cursor = Math.max(cursor, head());
    if (reliable && cursor < started) {
      Resend.skip(this, cursor, una(), qp.mtuShift);
    }
  }

  private boolean ready(QpState state) {
    return cursor < started || (state != QpState.SQD && extend(cursor));
  }

  /** Goes on behind the requests that were executed at the peer. */
  public void sync(long index, int psn) {
    cursor = index;
    started = index;
    psn(psn);
    completed(index);
  }

  private boolean advance(RunList run) {
    int b = place(cursor);
    int what = Verb.what(slots.opcode(b));
    if (cursor == started && !start(b, what, run)) {
      return cursor < started; // what is before it is asked for
    }
    if ((what & Verb.LOCAL) != 0) {
      packetLast(cursor, qp.packets().requestPool.taken());
      cursor++;
      completeLocal(run);
      if (head() < cursor) {
        askLate(); // it completes after what is before it
      }
      return true;
    }
    if ((what & Verb.LARGE) != 0) {
      return sendLarge(run);
    }
    return (what & Verb.ANSWERED) != 0 ? sendRequest(run) : sendPart(run);
  }

  private boolean start(int b, int what, RunList run) {
    mayFly();
    return (executable >>> slots.opcode(b) & 1) != 0 // else changed since it was checked
        ? (what & Verb.LOCAL) != 0 ? startLocal(b, run) : RequestStart.remote(this, b, what)
        : halt(cursor, WcStatus.LOC_QP_OP_ERR);
  }

  /** Executes a request that needs no packet, once: a retransmission passes it by. */
  private boolean startLocal(int b, RunList run) {
    if (LocalWork.waits(qp, slots, b, cursor)) {
      askLate();
      return false;
    }
    if (qp.directUnacknowledged > 0 && LocalWork.isLast(slots, b)) {
      qp.settle(run); // packets would have been acknowledged by now
    }
    WcStatus status = LocalWork.start(qp, slots, b);
    if (status != WcStatus.SUCCESS) {
      return status != null && halt(cursor, status);
    }
    begin(0, 0);
    return true;
  }

  void begin(long length, int psns) {
    qp.blocked |= Ready.UNDER_WAY;
    asked = psnNext;
    number(cursor, length, psnNext, psns, qp.port().wire().segments());
    psnNext = Psn.add(psnNext, psns);
    started++;
  }

  boolean halt(long index, WcStatus status) {
    qp.blocked |= Ready.UNDER_WAY;
    if (index < haltIndex) {
      haltIndex = index;
      haltStatus = status;
    }
    return false;
  }

  private boolean sendPart(RunList run) {
    QpPath path = qp;
    long index = cursor;
    long done = done(index);
    boolean segments = path.port().wire().segments();
    int psn = Psn.add(psnFirst(index), (int) (done >>> path.mtuShift));
    int room = windowSize() - Psn.diff(psn, una());
    boolean windowed = segments && reliable;
    if (windowed && room <= 0 && AckRequests.underWay(qp)) {
      return false; // the acknowledgement brings us back
    }
    long left = length(index) - done;
    int most = datagram ? Integer.MAX_VALUE : segments ? path.mtu : qp.hca.config().jumboBytes();
    int bytes = (int) Math.min(left, most);
    Packet p = qp.packets().requestPool.take();
    if (p == null) {
      wantsPacket = true;
      return false;
    }
    if (!RequestPackets.gather(qp, index, done, bytes, 0, p)) {
      p.free();
      return halt(cursor, WcStatus.LOC_PROT_ERR);
    }
    boolean last = bytes == left;
    if (last) {
      packetLast(index, qp.packets().requestPool.taken());
      cursor++;
    }
    p.repeated = Psn.diff(psn, psnSent) < 0;
    boolean asks =
        windowed
            ? room <= 1 || AckRequests.asks(qp, p, psn, last ? slots.flags(place(index)) : -1)
            : last;
    sent(psn, datagram ? 1 : path.packets(bytes));
    if (asks && reliable) {
      AckRequests.asked(qp, Psn.add(psn, path.packets(bytes)));
    }
    if (!reliable) {
      run.spend(bytes); // nothing else bounds what one call sends
    }
    p.psn = psn;
    p.ackRequest = reliable && asks;
    RequestPackets.part(qp, p, index, bytes, last, run);
    if (windowed && again(psn)) {
      done(index, done);
      cursor -= last ? 1 : 0;
    }
    return true;
  }

  private boolean sendLarge(RunList run) {
    sent(psnFirst(cursor), psnCount(cursor));
    int how = LargeSend.send(qp, cursor, run);
    wantsPacket = how == LargeSend.WAITS;
    cursor += how == LargeSend.LAST ? 1 : 0;
    return how >= 0 || (how == LargeSend.FAULT && halt(cursor, WcStatus.LOC_PROT_ERR));
  }

  @Override
  boolean askLate() {
    if (!reliable || cursor != started || AckRequests.underWay(qp)) {
      return false;
    }
    long at = Resend.last(this, head(), started, qp.mtuShift);
    cursor = at < 0 ? cursor : at;
    return at >= 0;
  }

  private void sent(int psn, int count) {
    int end = Psn.add(psn, count);
    psnSent = Psn.diff(end, psnSent) > 0 ? end : psnSent;
  }

  /** Sends a request that has an answer of its own, of a long read the next part. */
  private boolean sendRequest(RunList run) {
    long index = cursor;
    int psn = Resend.expected(this, index, qp.mtuShift);
    psn = Psn.diff(asked, psn) > 0 ? asked : psn;
    int end = Psn.add(psnFirst(index), psnCount(index));
    int next = ReadParts.end(this, psn, end);
    if (readsOut >= qp.maxRdAtomic || ReadParts.waits(this, psn)) {
      return false; // the answers that are owed bring us back
    }
    Packet p = qp.packets().requestPool.take();
    if (p == null) {
      wantsPacket = true;
      return false;
    }
    readsOut++;
    asked = next;
    cursor += next == end ? 1 : 0;
    sent(psn, Psn.diff(next, psn));
    AckRequests.asked(qp, next);
    RequestPackets.request(qp, p, index, psn, Psn.diff(next, psn), run);
    return true;
  }

  /** Unreliable services: a request is done, and its memory free, when its packets are back. */
  private boolean retireSent(RunList run) {
    long end = Math.min(cursor, haltIndex);
    long before = head();
    long back = before < end ? qp.packets().requestPool.reclaimed() : 0;
    while (head() < end && packetLast(head()) <= back) {
      completeHead(run, WcStatus.SUCCESS, 0);
    }
    return head() > before;
  }

  /** The payload of a packet could not be read (D6): a local protection error of its request. */
  public void fault(int psn) {
    long at = Resend.holder(this, head(), started, psn);
    if (at >= 0) {
      halt(at, WcStatus.LOC_PROT_ERR);
    }
  }

  @Override
  void rewind(int psn) {
    qp.count(HcaCounter.COMPLETER_RETRY_ERR);
    Trace.retransmission(qp.hca.config().nodeGuid(), qp.qpn, psn);
    long at = Resend.from(this, head(), started, psn, qp.mtuShift);
    cursor = at < 0 ? cursor : at;
    asked = psn;
    readsOut = 0;
  }
}
