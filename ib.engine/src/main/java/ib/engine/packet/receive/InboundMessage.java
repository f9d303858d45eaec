package ib.engine.packet.receive;

import ib.core.verbs.Access;
import ib.core.verbs.WcFlags;
import ib.core.verbs.WcOpcode;
import ib.core.verbs.WcStatus;
import ib.engine.mr.Copier;
import ib.engine.mr.Key;
import ib.engine.qp.Invalidation;
import ib.engine.qp.QpCore;
import ib.engine.qp.Responder;
import ib.engine.run.RunList;
import ib.engine.wire.Opcode;
import ib.engine.wire.Packet;
import ib.engine.wire.Syndrome;

/**
 * Executes sends and writes as they arrive in order (IBA vol. 1 section 9.7.4). Only the thread
 * that holds the queue pair's claim may call these methods.
 */
final class InboundMessage {
  private InboundMessage() {}

  /** Abandons the message whose packets are arriving. */
  static void abandon(ConnectedResponder r) {
    r.current = 0;
    r.unsettled = false;
    r.writeKey = null;
  }

  /** Whether a packet continues or begins a message as it must (IBA 9.7.4.1.1). */
  static boolean follows(ConnectedResponder r, int what) {
    boolean start = (what & Opcode.START) != 0;
    return start ? r.current == 0 : r.current == (what & (Opcode.SEND | Opcode.WRITE));
  }

  static void send(ConnectedResponder r, Packet p, int what, RunList run) {
    QpCore qp = r.qp;
    if ((what & Opcode.START) != 0) {
      if (!r.takeReceive()) {
        RequestRefusal.notReady(r, p);
        return;
      }
      r.done = 0;
    }
    boolean fits = r.done + p.payload.length() <= r.receiveLength();
    int result = fits ? Copier.toSges(p.payload, r.receiveElements(), r.done) : Copier.TARGET;
    if (result == Copier.SOURCE) {
      RequestRefusal.fault(r, p);
    } else if (result == Copier.TARGET) {
      refuse(r, p, run);
    } else if ((what & Opcode.INV) != 0 && !Invalidation.remote(qp, p.rkey)) {
      RequestRefusal.refuse(r, p, Syndrome.NAK_REMOTE_ACCESS);
      fail(r, run, WcStatus.MW_BIND_ERR, p); // IBA 11.6.2: memory management operation error
    } else {
      settle(r, p, what, run);
    }
  }

  /**
   * Refuses what the receive cannot take, as a wire that segments would have it: a packet may stand
   * for several, and those before the one that is refused are executed.
   */
  private static void refuse(ConnectedResponder r, Packet p, RunList run) {
    QpCore qp = r.qp;
    int length = p.payload.length();
    long room = r.receiveLength() - r.done;
    int result = Copier.OK;
    int done = 0;
    int end = 0;
    while (result == Copier.OK && done < length) {
      end = Math.min(done + qp.mtu, length);
      result =
          end > room
              ? Copier.TARGET
              : Copier.toSges(p.payload, done, end - done, r.receiveElements(), r.done + done);
      done = result == Copier.OK ? end : done;
    }
    if (result == Copier.SOURCE) {
      RequestRefusal.fault(r, p);
      return;
    }
    boolean tooLong = end > room;
    int syndrome = tooLong ? qp.port().wire().tooLongSyndrome() : Syndrome.NAK_REMOTE_OPERATION;
    RequestRefusal.refuse(r, p, done >>> qp.mtuShift, syndrome, null);
    fail(r, run, tooLong ? WcStatus.LOC_LEN_ERR : WcStatus.LOC_PROT_ERR, p);
  }

  /** Ends a part of a send, as soon as what it has invalidated is settled. */
  static void settle(ConnectedResponder r, Packet p, int what, RunList run) {
    r.unsettled = (what & Opcode.INV) != 0 && !Invalidation.settled(r.qp, p.rkey);
    if (!r.unsettled) {
      r.done += p.payload.length();
      executed(r, p, what, Opcode.SEND);
      if ((what & Opcode.END) != 0) {
        sent(r, p, what, run);
      }
    }
  }

  private static void sent(ConnectedResponder r, Packet p, int what, RunList run) {
    boolean inv = (what & Opcode.INV) != 0;
    boolean imm = (what & Opcode.IMM) != 0;
    int flags = Responder.immFlag(imm) | (inv ? WcFlags.WITH_INVALIDATE : 0);
    int data = inv ? p.rkey : imm ? p.immData : 0;
    r.complete(run, WcStatus.SUCCESS, WcOpcode.RECV, (int) r.done, flags, data, p);
  }

  private static void fail(ConnectedResponder r, RunList run, WcStatus status, Packet p) {
    r.complete(run, status, WcOpcode.RECV, 0, 0, 0, p);
  }

  static void write(ConnectedResponder r, Packet p, int what, RunList run) {
    int length = p.payload.length();
    boolean start = (what & Opcode.START) != 0;
    boolean end = (what & Opcode.END) != 0;
    if (start && !beginWrite(r, p)) {
      return;
    }
    long left = r.writeLength - r.done;
    if (length > left || end != (length == left)) {
      RequestRefusal.invalid(r);
      return;
    }
    boolean imm = (what & Opcode.IMM) != 0;
    if (imm && !r.takeReceive()) {
      RequestRefusal.notReady(r, p);
      return;
    }
    Key key = r.writeKey;
    int result =
        key == null
            ? Copier.OK
            : Copier.toRegion(p.payload, key, r.writeVersion, r.writeAddress + r.done);
    if (result == Copier.SOURCE) {
      RequestRefusal.fault(r, p);
    } else if (result == Copier.TARGET) {
      int why = RequestRefusal.why(key, r.writeVersion, r.writeAddress + r.done);
      RequestRefusal.refuse(r, p, why);
    } else {
      r.done += length;
      executed(r, p, what, Opcode.WRITE);
      if (imm) {
        r.complete(
            run,
            WcStatus.SUCCESS,
            WcOpcode.RECV_RDMA_WITH_IMM,
            (int) r.writeLength,
            Responder.immFlag(true),
            p.immData,
            p);
      }
    }
  }

  private static boolean beginWrite(ConnectedResponder r, Packet p) {
    QpCore qp = r.qp;
    long length = p.dmaLength & 0xffffffffL;
    if ((qp.access & Access.REMOTE_WRITE) == 0 || length > ConnectedResponder.MAX_LENGTH) {
      RequestRefusal.invalid(r);
      return false;
    }
    r.writeKey = null;
    if (length > 0) {
      Key key = qp.hca.rkeys().find(p.rkey);
      r.writeVersion =
          key == null
              ? Key.REFUSED
              : key.admit(p.rkey, qp.domain(), qp, Access.REMOTE_WRITE, p.remoteAddress, length);
      if (r.writeVersion == Key.REFUSED) {
        RequestRefusal.refuse(r, p, Syndrome.NAK_REMOTE_ACCESS);
        return false;
      }
      r.writeKey = key;
    }
    r.writeLength = length;
    r.writeAddress = p.remoteAddress;
    r.done = 0;
    return true;
  }

  private static void executed(ConnectedResponder r, Packet p, int what, int kind) {
    boolean end = (what & Opcode.END) != 0;
    r.current = end ? 0 : kind;
    r.executed(p, end);
  }
}
