package ib.engine.packet.receive;

import ib.core.verbs.EventType;
import ib.core.verbs.QpState;
import ib.core.wire.Psn;
import ib.engine.link.HcaCounter;
import ib.engine.qp.Direction;
import ib.engine.qp.PacketPool;
import ib.engine.qp.QpCore;
import ib.engine.qp.Ready;
import ib.engine.qp.ReceiveState;
import ib.engine.run.RunList;
import ib.engine.wire.Framing;
import ib.engine.wire.Opcode;
import ib.engine.wire.Packet;
import ib.engine.wire.Syndrome;

/**
 * The responder of RC and UC (IBA vol. 1 sections 9.7.4 and 9.8): what comes in which order, what
 * is a duplicate, what is acknowledged and what refused. Acknowledgements are coalesced: one for
 * all requests that were there.
 */
public final class ConnectedResponder extends ReceiveState {
  static final long MAX_LENGTH = 1L << 31;
  private static final int NOTHING = -1;
  private static final int ACK_WITHIN = 48; // of packets that follow each other, fewer than windows

  final boolean reliable;
  private int msn;
  boolean quiet; // a NAK was sent, the sequence number expected has not come yet
  boolean skipping; // UC: the rest of a broken message
  boolean accessRefused; // by the packet in hand
  private boolean lastWasAnswered; // the request before the one expected had an answer of its own
  int due = NOTHING; // the syndrome of the acknowledgement to be sent
  int duePsn;
  private boolean deferred; // it waits for company
  private int acknowledged; // the last sequence number that was

  public ConnectedResponder(QpCore qp) {
    super(qp);
    this.reliable = qp.service == Opcode.RC;
  }

  @Override
  public void reset() {
    super.reset();
    msn = 0;
    quiet = false;
    skipping = false;
    lastWasAnswered = false;
    due = NOTHING;
    Reply.end(this);
    InboundMessage.abandon(this);
    InboundRequest.reset(this);
    settled();
  }

  public void psn(int first) {
    epsn = first;
    acknowledged = Psn.add(first, -1);
  }

  /** Sets how many READs and atomics the peer may have outstanding. */
  public void resources(int most) {
    InboundRequest.resources(this, most);
  }

  /** Whether the sequence number expected is this one or a later one. */
  boolean isPast(int psn) {
    return Psn.diff(psn, epsn) <= 0;
  }

  /** Says whether it is in the middle of something, at the end of a step. */
  private void settled() {
    boolean middle = due != NOTHING || quiet || replying || current != 0 || unsettled;
    qp.refuses = qp.refuses & ~Ready.MIDDLE | (middle ? Ready.MIDDLE : 0);
  }

  /**
   * Advances past the requests that the sender's own thread has executed here (D5). That thread's
   * return was their acknowledgement.
   */
  public void sync(Direction received) {
    if (received.unsynced > 0) {
      epsn = received.psn;
      acknowledged = Psn.add(epsn, -1);
      msn = Psn.add(msn, received.unsynced);
      lastWasAnswered = received.read;
      received.unsynced = 0;
    }
  }

  @Override
  public boolean starved() {
    return due != NOTHING && !deferred || replying;
  }

  @Override
  public boolean refilled() {
    return qp.packets().responsePool.available();
  }

  @Override
  public boolean run(RunList run) {
    try {
      return execute(run);
    } finally {
      settled();
    }
  }

  private boolean execute(RunList run) {
    if (replying && !reply(run)) {
      return run.exhausted();
    }
    for (Packet p = qp.packets().requests.peek(); p != null; p = qp.packets().requests.peek()) {
      if (run.exhausted()) {
        acknowledge(run);
        return true;
      }
      if (!unsettled) {
        receive(p, run);
      } else if (executes()) {
        InboundMessage.settle(this, p, Opcode.what(p.opcode), run);
      } else {
        InboundMessage.abandon(this); // its receive is flushed
      }
      if (unsettled) {
        Thread.onSpinWait();
        run.spend(0); // the budget bounds how long this call insists
        acknowledge(run);
        return true;
      }
      qp.packets().requests.remove();
      run.spend(p.payload.length());
      p.release(run);
      if (qp.state == QpState.ERR || (replying && !reply(run))) {
        break;
      }
    }
    acknowledge(run);
    return replying && run.exhausted();
  }

  /**
   * A response could not be read (D6): refuses its request.
   *
   * @param fault the result of {@link PacketPool#takeFault}
   */
  public void fault(int fault) {
    if (fault != 0 && qp.live()) {
      Reply.end(this);
      RequestRefusal.refuse(this, fault >>> PacketPool.PSN_BITS);
      duePsn = fault & Psn.MAX;
    }
  }

  private boolean reply(RunList run) {
    if (Reply.run(this, run, msn)) {
      return true;
    }
    if (replyRefused) {
      RequestRefusal.refuse(this, Syndrome.NAK_REMOTE_ACCESS);
      duePsn = replyPsn; // of the read itself: the number expected is behind it already
    }
    return false;
  }

  // ---- the way of a packet ----

  private void receive(Packet p, RunList run) {
    qp.received(p);
    if (!executes()) {
      qp.drop(p, HcaCounter.DROP_QP_STATE);
      return;
    }
    if (!admits(p)) {
      return;
    }
    if (p.congested && reliable) {
      Reply.notifyCongestion(this, run);
    }
    if ((qp.refuses & Ready.SILENT) != 0) {
      qp.refuses &= ~Ready.SILENT;
      qp.verbs.tell(EventType.COMM_EST); // IBA 11.6.3.1
    }
    int what = Opcode.what(p.opcode);
    int d = Psn.diff(p.psn, epsn);
    if (d != 0 && !(reliable ? inSequence(d, p, what) : resynchronized(p, what))) {
      return;
    }
    quiet = false;
    if (!reliable && skipping && (what & Opcode.START) == 0) {
      qp.drop(p, HcaCounter.DROP_SEQUENCE);
      epsn = Psn.add(p.psn, p.psnCount);
      return;
    }
    skipping = false;
    accessRefused = false;
    execute(p, what, run);
    if (accessRefused) {
      qp.count(HcaCounter.RKEY_VIOLATIONS);
      qp.port().guard().provenViolation(p);
    }
  }

  /** RC: false, after a NAK for a gap or an answer to a duplicate. */
  private boolean inSequence(int d, Packet p, int what) {
    if (Math.abs(d) > PSN_FAR) {
      qp.count(HcaCounter.PSN_VIOLATIONS);
      qp.port().guard().violation(p);
    }
    if (d < 0) {
      duplicate(p, what);
    } else if (quiet) {
      qp.drop(p, HcaCounter.DROP_AFTER_NAK); // one NAK for a gap (IBA 9.7.5.1.3)
    } else {
      qp.count(HcaCounter.OUT_OF_SEQ_REQUEST);
      RequestRefusal.behind(this, p, 0, HcaCounter.DROP_AFTER_NAK);
      quiet = true;
      due = Syndrome.NAK_SEQUENCE;
      duePsn = epsn;
    }
    return false;
  }

  private void duplicate(Packet p, int what) {
    qp.count(HcaCounter.DUPLICATE_REQUEST, Framing.packets(p));
    if ((what & Opcode.ANSWERED) != 0) {
      InboundRequest.duplicate(this, p, what);
    } else if (due == NOTHING) {
      due = Syndrome.ACK;
      // never a plain ACK at the PSN of a READ: some requesters take it for the data
      duePsn = Psn.add(lastWasAnswered ? p.psn : epsn, lastWasAnswered ? p.psnCount - 1 : -1);
    }
  }

  /** UC: goes on only with the first packet of a message (IBA 9.8.2.2.1). */
  private boolean resynchronized(Packet p, int what) {
    epsn = p.psn;
    if ((what & Opcode.START) != 0) {
      return true;
    }
    skipping = true;
    epsn = Psn.add(p.psn, p.psnCount);
    qp.drop(p, HcaCounter.DROP_SEQUENCE);
    return false;
  }

  private void execute(Packet p, int what, RunList run) {
    if (!reliable && (what & Opcode.START) != 0) {
      InboundMessage.abandon(this); // the message before was not finished
    }
    if (what == 0 || !InboundMessage.follows(this, what) || !qp.lengthFits(p, what)) {
      RequestRefusal.invalid(this);
    } else if ((what & Opcode.ANSWERED) != 0) {
      InboundRequest.execute(this, p, what);
    } else if ((what & Opcode.SEND) != 0) {
      InboundMessage.send(this, p, what, run);
    } else {
      InboundMessage.write(this, p, what, run);
    }
  }

  /** A part of a send or write was executed. */
  void executed(Packet p, boolean end) {
    epsn = Psn.add(epsn, p.psnCount);
    msn = Psn.add(msn, end ? 1 : 0);
    lastWasAnswered = false;
    if (p.ackRequest && reliable) {
      due = Syndrome.ACK;
      duePsn = Psn.add(epsn, -1);
    }
  }

  /** Advances past a request whose response acknowledges all packets before it. */
  void answered(Packet p) {
    epsn = Psn.add(epsn, p.psnCount);
    msn = Psn.add(msn, 1);
    lastWasAnswered = true;
    acknowledged = Psn.add(epsn, -1);
    due = NOTHING;
  }

  // ---- acknowledgements ----

  private void acknowledge(RunList run) {
    deferred =
        due == Syndrome.ACK
            && qp.state == QpState.RTS
            && Psn.diff(duePsn, acknowledged) < ACK_WITHIN
            && run.defers(qp);
    if (due == NOTHING || deferred) {
      return;
    }
    Packet p = qp.packets().responsePool.take();
    if (p == null) {
      return; // starved; goes out when a packet comes back
    }
    p.opcode = Opcode.RC | Opcode.ACKNOWLEDGE;
    p.psn = duePsn;
    p.psnCount = 1;
    p.syndrome = due;
    p.msn = msn;
    p.ackRequest = false;
    p.solicited = false;
    due = NOTHING;
    acknowledged = Psn.add(epsn, -1);
    Reply.address(p, qp, run);
  }

  @Override
  public boolean lastWord(RunList run) {
    acknowledge(run);
    return due == NOTHING;
  }
}
