package ib.engine.qp;

import ib.core.verbs.Access;
import ib.core.verbs.EventType;
import ib.core.verbs.QpState;
import ib.core.verbs.WcOpcode;
import ib.core.verbs.WcStatus;
import ib.engine.mr.Copier;
import ib.engine.mr.MrKey;
import ib.engine.wire.Packet;
import org.jspecify.annotations.Nullable;

/**
 * The responder of RC and UC (IBA vol. 1 sections 9.7.4 and 9.8): check sequence, opcode order,
 * resources, length, key; execute; complete; acknowledge. Acknowledgements are coalesced: one for
 * all requests that were there.
 */
final class ConnectedResponder extends Responder {
  private static final int NOTHING = -1;
  private static final long LENGTH_MOST = 1L << 31;

  private final boolean reliable;
  private int epsn; // the sequence number expected
  private int msn;
  private int current; // Opcode.SEND or WRITE in the middle of a message, else 0
  private long done; // bytes of the message so far
  private long writeLength;
  private long writeAddress;
  private @Nullable MrKey writeKey;
  private boolean quiet; // a NAK was sent, the sequence number expected has not come yet
  private boolean skipping; // UC: the rest of a broken message
  private boolean told; // COMM_EST
  private int ackPsn;
  private boolean lastWasRead;
  private int due = NOTHING; // the syndrome of the acknowledgement to be sent
  private int duePsn;
  private final ReadReply reply;

  ConnectedResponder(QpCore qp) {
    super(qp);
    this.reliable = qp.service == Opcode.RC;
    this.reply = new ReadReply(qp);
  }

  @Override
  void reset() {
    super.reset();
    msn = 0;
    current = 0;
    quiet = false;
    skipping = false;
    told = false;
    lastWasRead = false;
    due = NOTHING;
    reply.end();
  }

  void psn(int first) {
    epsn = first;
  }

  @Override
  boolean starved() {
    return due != NOTHING || reply.active();
  }

  @Override
  boolean refilled() {
    return qp.responsePool.available();
  }

  @Override
  boolean run(RunList run) {
    if (reply.active() && !reply(run)) {
      return run.exhausted();
    }
    for (Packet p = qp.requests.peek(); p != null; p = qp.requests.peek()) {
      if (run.exhausted()) {
        acknowledge(run);
        return true;
      }
      qp.requests.remove();
      receive(p, run);
      run.spend(p.payload.length());
      p.release(run);
      if (qp.state == QpState.ERR || (reply.active() && !reply(run))) {
        break;
      }
    }
    acknowledge(run);
    return reply.active() && run.exhausted();
  }

  private boolean reply(RunList run) {
    if (reply.run(run, msn)) {
      return true;
    }
    if (reply.refused()) {
      refuse(Syndrome.NAK_REMOTE_ACCESS, EventType.QP_ACCESS_ERR);
      duePsn = reply.psn(); // of the read itself: the number expected is behind it already
    }
    return false;
  }

  // ---- the way of a packet ----

  private void receive(Packet p, RunList run) {
    qp.received(p);
    if (!executes()) {
      qp.count(HcaCounter.DROP_QP_STATE);
      return;
    }
    if (!admits(p)) {
      return;
    }
    if (!told && qp.state == QpState.RTR) {
      told = true;
      qp.verbs.tell(EventType.COMM_EST); // IBA 11.6.3.1
    }
    int what = Opcode.what(p.opcode);
    int d = Psn.diff(p.psn, epsn);
    if (d != 0 && !(reliable ? inSequence(d, p, what) : resynchronized(p, what))) {
      return;
    }
    quiet = false;
    if (!reliable && skipping && (what & Opcode.START) == 0) {
      qp.count(HcaCounter.DROP_SEQUENCE);
      epsn = Psn.add(p.psn, p.psnCount);
      return;
    }
    skipping = false;
    execute(p, what, run);
  }

  /** RC: false, after a NAK for a gap or an answer to a duplicate. */
  private boolean inSequence(int d, Packet p, int what) {
    if (d < 0) {
      duplicate(p, what);
    } else if (quiet) {
      qp.count(HcaCounter.DROP_AFTER_NAK); // one NAK for a gap (IBA 9.7.5.1.3)
    } else {
      qp.count(HcaCounter.OUT_OF_SEQ_REQUEST);
      quiet = true;
      due = Syndrome.NAK_SEQUENCE;
      duePsn = epsn;
    }
    return false;
  }

  private void duplicate(Packet p, int what) {
    qp.count(HcaCounter.DUPLICATE_REQUEST);
    if ((what & Opcode.READ) != 0) {
      MrKey key = key(p, Access.REMOTE_READ);
      if (key != null || p.dmaLength == 0) {
        reply.begin(p, key);
      }
    } else if (due == NOTHING) {
      due = Syndrome.ACK;
      // never a plain ACK at the PSN of a read: some take it for the data (rocev2.md 0.8)
      ackPsn = lastWasRead ? Psn.add(p.psn, p.psnCount - 1) : Psn.add(epsn, -1);
      duePsn = ackPsn;
    }
  }

  /** UC: goes on only with the first packet of a message (IBA 9.8.2.2.1). */
  private boolean resynchronized(Packet p, int what) {
    current = 0;
    epsn = p.psn;
    if ((what & Opcode.START) != 0) {
      return true;
    }
    skipping = true;
    epsn = Psn.add(p.psn, p.psnCount);
    qp.count(HcaCounter.DROP_SEQUENCE);
    return false;
  }

  private void execute(Packet p, int what, RunList run) {
    int kind = what & (Opcode.SEND | Opcode.WRITE);
    boolean start = (what & Opcode.START) != 0;
    if (!reliable && start) {
      current = 0; // the message before was not finished
    }
    if (what == 0
        || (what & Opcode.ATOMIC) != 0
        || start != (current == 0)
        || !qp.path.lengthFits(p, what)) {
      invalid();
    } else if ((what & Opcode.READ) != 0) {
      read(p);
    } else if (!start && current != kind) {
      invalid();
    } else if (kind == Opcode.SEND) {
      send(p, what, run);
    } else {
      write(p, what, run);
    }
  }

  private void send(Packet p, int what, RunList run) {
    if ((what & Opcode.START) != 0) {
      if (!takeReceive()) {
        notReady();
        return;
      }
      done = 0;
    }
    int length = p.payload.length();
    if (done + length > receive.sges.length()) {
      complete(run, WcStatus.LOC_LEN_ERR, WcOpcode.RECV, 0, 0, 0, p);
      refuse(Syndrome.NAK_INVALID_REQUEST, null);
      return;
    }
    int result = Copier.toSges(p.payload, receive.sges, done, qp.hca.lkeys(), qp.domain);
    if (result == Copier.SOURCE) {
      fault(p);
    } else if (result == Copier.TARGET) {
      complete(run, WcStatus.LOC_PROT_ERR, WcOpcode.RECV, 0, 0, 0, p);
      refuse(Syndrome.NAK_REMOTE_OPERATION, null);
    } else {
      done += length;
      executed(p, what, Opcode.SEND);
      if ((what & Opcode.END) != 0) {
        boolean imm = (what & Opcode.IMM) != 0;
        complete(
            run, WcStatus.SUCCESS, WcOpcode.RECV, (int) done, immFlag(imm), imm ? p.immData : 0, p);
      }
    }
  }

  private void write(Packet p, int what, RunList run) {
    int length = p.payload.length();
    boolean start = (what & Opcode.START) != 0;
    boolean end = (what & Opcode.END) != 0;
    if (start && !beginWrite(p)) {
      return;
    }
    long left = writeLength - done;
    if (length > left || end != (length == left)) {
      invalid();
      return;
    }
    boolean imm = (what & Opcode.IMM) != 0;
    if (imm && !takeReceive()) {
      notReady();
      return;
    }
    MrKey key = writeKey;
    int result =
        length == 0 || key == null
            ? Copier.OK
            : Copier.toRegion(p.payload, key, writeAddress + done);
    if (result == Copier.SOURCE) {
      fault(p);
    } else if (result == Copier.TARGET) {
      refuse(Syndrome.NAK_REMOTE_ACCESS, EventType.QP_ACCESS_ERR);
    } else {
      done += length;
      executed(p, what, Opcode.WRITE);
      if (imm) {
        complete(
            run,
            WcStatus.SUCCESS,
            WcOpcode.RECV_RDMA_WITH_IMM,
            (int) writeLength,
            immFlag(true),
            p.immData,
            p);
      }
    }
  }

  private boolean beginWrite(Packet p) {
    long length = p.dmaLength & 0xffffffffL;
    if ((qp.path.access & Access.REMOTE_WRITE) == 0 || length > LENGTH_MOST) {
      invalid();
      return false;
    }
    writeKey = length == 0 ? null : key(p, Access.REMOTE_WRITE);
    if (writeKey == null && length > 0) {
      refuse(Syndrome.NAK_REMOTE_ACCESS, EventType.QP_ACCESS_ERR);
      return false;
    }
    writeLength = length;
    writeAddress = p.remoteAddress;
    done = 0;
    return true;
  }

  private void read(Packet p) {
    long length = p.dmaLength & 0xffffffffL;
    if (!reliable || (qp.path.access & Access.REMOTE_READ) == 0 || length > LENGTH_MOST) {
      invalid();
      return;
    }
    MrKey key = length == 0 ? null : key(p, Access.REMOTE_READ);
    if (key == null && length > 0) {
      refuse(Syndrome.NAK_REMOTE_ACCESS, EventType.QP_ACCESS_ERR);
      return;
    }
    p.psnCount = qp.path.packets(length);
    epsn = Psn.add(epsn, p.psnCount);
    msn = Psn.add(msn, 1);
    lastWasRead = true;
    due = NOTHING; // the response acknowledges all before it
    reply.begin(p, key);
  }

  private @Nullable MrKey key(Packet p, int rights) {
    MrKey key = qp.hca.rkeys().find(p.rkey);
    long length = p.dmaLength & 0xffffffffL;
    return key != null && key.allows(qp.domain, rights, p.remoteAddress, length) ? key : null;
  }

  private void executed(Packet p, int what, int kind) {
    epsn = Psn.add(epsn, p.psnCount);
    boolean end = (what & Opcode.END) != 0;
    current = end ? 0 : kind;
    if (end) {
      msn = Psn.add(msn, 1);
    }
    lastWasRead = false;
    if (p.ackRequest && reliable) {
      due = Syndrome.ACK;
      duePsn = Psn.add(epsn, -1);
    }
  }

  // ---- refusals ----

  private void fault(Packet p) {
    qp.count(HcaCounter.DROP_FAULT);
    p.fault = true; // its sender is told; to us it never came
    if (!reliable) {
      skipping = true;
      current = 0;
    }
  }

  private void notReady() {
    if (reliable) {
      qp.count(HcaCounter.SEND_RNR_ERR);
      quiet = true; // what follows comes again
      due = Syndrome.RNR | qp.path.minRnrTimer;
      duePsn = epsn;
    } else {
      qp.count(HcaCounter.DROP_NO_RECEIVE);
      skipping = true;
      current = 0;
      epsn = Psn.add(epsn, 1);
    }
  }

  private void invalid() {
    refuse(Syndrome.NAK_INVALID_REQUEST, EventType.QP_REQ_ERR);
  }

  /**
   * RC: NAK, error state, event (IBA 9.9.3). UC: the message is dropped, unless a receive failed.
   */
  private void refuse(int syndrome, @Nullable EventType event) {
    if (reliable) {
      due = syndrome;
      duePsn = epsn;
      qp.refuse(syndrome, epsn, event);
    } else if (event == null) {
      qp.fail(null);
    } else {
      qp.count(HcaCounter.DROP_SEQUENCE);
      skipping = true;
      current = 0;
    }
  }

  // ---- acknowledgements ----

  private void acknowledge(RunList run) {
    if (due == NOTHING) {
      return;
    }
    Packet p = qp.responsePool.take();
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
    reply.address(p, qp, run);
  }

  @Override
  void lastWord(RunList run) {
    acknowledge(run);
  }
}
