package ib.engine.packet.send;

import ib.core.verbs.SendFlags;
import ib.core.verbs.WrOpcode;
import ib.core.wire.Psn;
import ib.engine.mr.Copier;
import ib.engine.mr.Payload;
import ib.engine.qp.QpCore;
import ib.engine.qp.SendState;
import ib.engine.qp.Verb;
import ib.engine.ring.SendKind;
import ib.engine.ring.SendWords;
import ib.engine.run.RunList;
import ib.engine.wire.Opcode;
import ib.engine.wire.Packet;
import ib.engine.wire.Route;
import org.jspecify.annotations.Nullable;

/**
 * Fills and sends the packets of send requests (IBA vol. 1 sections 9.4 and 9.5). Only the thread
 * that holds the queue pair's claim may call these methods.
 */
final class RequestPackets {
  private static final int OP_COMPARE_SWAP = WrOpcode.ATOMIC_CMP_AND_SWP.value();

  private RequestPackets() {}

  /** Whether a request's elements allow an access; with a packet they become its payload. */
  static boolean gather(
      QpCore qp, long index, long offset, long bytes, int rights, @Nullable Packet p) {
    SendWords slots = qp.sending.slots;
    int b = qp.sending.place(index);
    long kind = slots.kind(b);
    if (SendKind.inlineLength(kind) >= 0) {
      if (p != null && bytes > 0) {
        p.payload.add(slots.segment(), slots.inlineOffset(b) + offset, (int) bytes);
      }
      return true;
    }
    Payload payload = p == null ? null : p.payload;
    return Copier.gather(slots.elements(b, kind, qp.keys), offset, bytes, rights, payload);
  }

  /**
   * Sends a part of a send or write. The packet has its sequence number already, refers to its
   * payload, and asks for an acknowledgement or not.
   */
  static void part(QpCore qp, Packet p, long index, int bytes, boolean last, RunList run) {
    SendState r = qp.sending;
    SendWords slots = r.slots;
    int b = r.place(index);
    int what = Verb.what(slots.opcode(b));
    p.opcode = qp.service | Verb.part(what, r.done(index) == 0, last);
    p.psnCount = isDatagram(qp) ? 1 : qp.packets(bytes);
    p.solicited = last && (slots.flags(b) & SendFlags.SOLICITED) != 0;
    p.immData = slots.immData(b);
    if ((what & Verb.WRITE) != 0) {
      p.remoteAddress = slots.remoteAddress(b);
      p.rkey = slots.rkey(b);
      p.dmaLength = (int) r.length(index);
    } else if ((what & Verb.INV) != 0) {
      p.rkey = slots.immData(b);
    }
    r.done(index, r.done(index) + bytes);
    transmit(qp, p, b, run);
  }

  /** Sends a request that has an answer of its own; a read asks for some of its packets only. */
  static void request(QpCore qp, Packet p, long index, int psn, int psns, RunList run) {
    SendState r = qp.sending;
    SendWords slots = r.slots;
    int b = r.place(index);
    int opcode = slots.opcode(b);
    int what = Verb.what(opcode);
    p.ackRequest = true;
    p.solicited = false;
    p.psn = psn;
    p.psnCount = 1;
    p.remoteAddress = slots.remoteAddress(b);
    p.rkey = slots.rkey(b);
    p.dmaLength = (int) r.length(index);
    switch (what & Verb.ANSWERED) {
      case Verb.READ -> {
        long from = (long) Psn.diff(psn, r.psnFirst(index)) << qp.mtuShift;
        p.opcode = Opcode.READ_REQUEST;
        p.psnCount = psns;
        p.remoteAddress += from;
        p.dmaLength = (int) Math.min(r.length(index) - from, (long) psns << qp.mtuShift);
      }
      case Verb.ATOMIC -> {
        boolean swaps = opcode == OP_COMPARE_SWAP;
        p.opcode = swaps ? Opcode.COMPARE_SWAP : Opcode.FETCH_ADD;
        p.swapAdd = slots.swapAdd(b);
        p.compare = swaps ? slots.compare(b) : 0;
      }
      case Verb.ATOMIC_WRITE -> {
        p.opcode = Opcode.ATOMIC_WRITE_REQUEST;
        p.payload.add(slots.segment(), slots.inlineOffset(b), Long.BYTES);
      }
      default -> {
        p.opcode = Opcode.FLUSH_REQUEST;
        p.feth = slots.immData(b);
        p.dmaLength = (int) slots.memoryLength(b);
      }
    }
    transmit(qp, p, b, run);
  }

  static void transmit(QpCore qp, Packet p, int b, RunList run) {
    SendWords slots = qp.sending.slots;
    boolean datagram = isDatagram(qp);
    Route route = datagram ? slots.route(b) : qp.route;
    if (route == null) {
      throw new IllegalStateException("no address"); // checked at the post and in modify
    }
    route.address(p);
    if (datagram) {
      int qkey = slots.rkey(b);
      p.destQpn = slots.remoteQpn(b);
      p.qkey = qkey < 0 ? qp.qkey : qkey; // IBA 10.2.5
      p.sourceQpn = qp.qpn;
      int pkey = qp.specialNumber() == 1 ? slots.pkeyIndex(b) : qp.pkeyIndex; // IBA 10.9.3
      qp.transmit(p, pkey, route.sgidIndex(), route.pathBits(), run);
    } else {
      p.destQpn = qp.destQpn;
      qp.transmit(p, run);
    }
  }

  private static boolean isDatagram(QpCore qp) {
    return qp.service == Opcode.UD;
  }
}
