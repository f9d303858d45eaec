package ib.engine.qp;

import ib.core.verbs.Access;
import ib.core.verbs.EventType;
import ib.core.verbs.WcFlags;
import ib.core.verbs.WcOpcode;
import ib.core.verbs.WcStatus;
import ib.engine.mr.Copier;
import ib.engine.mr.Key;
import ib.engine.run.RunList;
import ib.engine.wire.Opcode;
import ib.engine.wire.Packet;
import ib.engine.wire.Syndrome;
import org.jspecify.annotations.Nullable;

/**
 * Executes sends and writes as they arrive in order (IBA vol. 1 section 9.7.4). Only the thread
 * that holds the queue pair's claim may call these methods.
 */
final class InboundMessage {
  private final QpCore qp;
  private final ConnectedResponder responder;
  private int current; // Opcode.SEND or WRITE in the middle of a message, else 0
  private long done; // bytes of the message so far
  private long writeLength;
  private long writeAddress;
  private @Nullable Key writeKey;
  private long writeVersion;
  private boolean unsettled; // a send with invalidate is executed, its key not settled

  InboundMessage(QpCore qp, ConnectedResponder responder) {
    this.qp = qp;
    this.responder = responder;
  }

  /** Abandons the message whose packets are arriving. */
  void abandon() {
    current = 0;
    unsettled = false;
    writeKey = null;
  }

  /** Whether a packet continues or begins a message as it must (IBA 9.7.4.1.1). */
  boolean follows(int what) {
    boolean start = (what & Opcode.START) != 0;
    return start ? current == 0 : current == (what & (Opcode.SEND | Opcode.WRITE));
  }

  /** Whether a message was begun and is not complete. */
  boolean begun() {
    return current != 0;
  }

  void send(Packet p, int what, RunList run) {
    if ((what & Opcode.START) != 0) {
      if (!responder.takeReceive()) {
        responder.notReady();
        return;
      }
      done = 0;
    }
    int length = p.payload.length();
    if (done + length > responder.receive.sges.length()) {
      fail(run, WcStatus.LOC_LEN_ERR, p);
      responder.refuse(qp.path.port().wire().tooLongSyndrome(), null);
      return;
    }
    int result = Copier.toSges(p.payload, responder.receive.sges, done, qp.hca.lkeys(), qp.domain);
    if (result == Copier.SOURCE) {
      responder.fault(p);
    } else if (result == Copier.TARGET) {
      fail(run, WcStatus.LOC_PROT_ERR, p);
      responder.refuse(Syndrome.NAK_REMOTE_OPERATION, null);
    } else if ((what & Opcode.INV) != 0 && !Invalidation.remote(qp, p.rkey)) {
      fail(run, WcStatus.MW_BIND_ERR, p); // IBA 11.6.2: memory management operation error
      responder.refuse(Syndrome.NAK_REMOTE_ACCESS, EventType.QP_ACCESS_ERR);
    } else {
      settle(p, what, run);
    }
  }

  /** Whether the packet in hand is executed but others still copy through what it invalidated. */
  boolean unsettled() {
    return unsettled;
  }

  /** Ends a part of a send, as soon as what it has invalidated is settled. */
  void settle(Packet p, int what, RunList run) {
    unsettled = (what & Opcode.INV) != 0 && !Invalidation.settled(qp, p.rkey);
    if (!unsettled) {
      done += p.payload.length();
      executed(p, what, Opcode.SEND);
      if ((what & Opcode.END) != 0) {
        sent(p, what, run);
      }
    }
  }

  private void sent(Packet p, int what, RunList run) {
    boolean inv = (what & Opcode.INV) != 0;
    boolean imm = (what & Opcode.IMM) != 0;
    int flags = Responder.immFlag(imm) | (inv ? WcFlags.WITH_INVALIDATE : 0);
    int data = inv ? p.rkey : imm ? p.immData : 0;
    responder.complete(run, WcStatus.SUCCESS, WcOpcode.RECV, (int) done, flags, data, p);
  }

  private void fail(RunList run, WcStatus status, Packet p) {
    responder.complete(run, status, WcOpcode.RECV, 0, 0, 0, p);
  }

  void write(Packet p, int what, RunList run) {
    int length = p.payload.length();
    boolean start = (what & Opcode.START) != 0;
    boolean end = (what & Opcode.END) != 0;
    if (start && !beginWrite(p)) {
      return;
    }
    long left = writeLength - done;
    if (length > left || end != (length == left)) {
      responder.invalid();
      return;
    }
    boolean imm = (what & Opcode.IMM) != 0;
    if (imm && !responder.takeReceive()) {
      responder.notReady();
      return;
    }
    Key key = writeKey;
    int result =
        length == 0 || key == null
            ? Copier.OK
            : Copier.toRegion(p.payload, key, writeVersion, writeAddress + done);
    if (result == Copier.SOURCE) {
      responder.fault(p);
    } else if (result == Copier.TARGET) {
      responder.refuse(Syndrome.NAK_REMOTE_ACCESS, EventType.QP_ACCESS_ERR);
    } else {
      done += length;
      executed(p, what, Opcode.WRITE);
      if (imm) {
        responder.complete(
            run,
            WcStatus.SUCCESS,
            WcOpcode.RECV_RDMA_WITH_IMM,
            (int) writeLength,
            Responder.immFlag(true),
            p.immData,
            p);
      }
    }
  }

  private boolean beginWrite(Packet p) {
    long length = p.dmaLength & 0xffffffffL;
    if ((qp.path.access & Access.REMOTE_WRITE) == 0 || length > ConnectedResponder.MAX_LENGTH) {
      responder.invalid();
      return false;
    }
    writeKey = null;
    if (length > 0) {
      Key key = qp.hca.rkeys().find(p.rkey);
      writeVersion =
          key == null
              ? Key.REFUSED
              : key.admit(p.rkey, qp.domain, qp, Access.REMOTE_WRITE, p.remoteAddress, length);
      if (writeVersion == Key.REFUSED) {
        responder.refuse(Syndrome.NAK_REMOTE_ACCESS, EventType.QP_ACCESS_ERR);
        return false;
      }
      writeKey = key;
    }
    writeLength = length;
    writeAddress = p.remoteAddress;
    done = 0;
    return true;
  }

  private void executed(Packet p, int what, int kind) {
    boolean end = (what & Opcode.END) != 0;
    current = end ? 0 : kind;
    responder.executed(p, end);
  }
}
