package ib.engine.qp;

import ib.core.verbs.SendFlags;
import ib.core.verbs.WrOpcode;
import ib.core.wire.Psn;
import ib.engine.mr.Copier;
import ib.engine.ring.SendWqe;
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
      QpCore qp, SendWqe w, long offset, long bytes, int rights, @Nullable Packet p) {
    if (w.inlineLength >= 0) {
      if (p != null && bytes > 0) {
        p.payload.add(w.inlineSegment(), offset, (int) bytes);
      }
      return true;
    }
    return Copier.gather(
        qp.keys.elements(w.sges.words(), 0, w.sges.count()),
        offset,
        bytes,
        rights,
        p == null ? null : p.payload);
  }

  /**
   * Sends a part of a send or write. The packet has its sequence number already, refers to its
   * payload, and asks for an acknowledgement or not.
   */
  static void part(QpCore qp, Packet p, SendWqe w, int bytes, boolean last, RunList run) {
    int what = Verb.what(w.opcode);
    p.opcode = qp.service | Verb.part(what, w.done == 0, last);
    p.psnCount = isDatagram(qp) ? 1 : qp.path.packets(bytes);
    p.solicited = last && (w.flags & SendFlags.SOLICITED) != 0;
    p.immData = w.immData;
    if ((what & Verb.WRITE) != 0) {
      p.remoteAddress = w.remoteAddress;
      p.rkey = w.rkey;
      p.dmaLength = (int) w.length;
    } else if ((what & Verb.INV) != 0) {
      p.rkey = w.immData;
    }
    w.done += bytes;
    transmit(qp, p, w, run);
  }

  /** Sends a request that has an answer of its own; a read asks for what is missing only. */
  static void request(QpCore qp, Packet p, SendWqe w, RunList run) {
    int what = Verb.what(w.opcode);
    p.ackRequest = true;
    p.solicited = false;
    p.psn = w.psnFirst;
    p.psnCount = 1;
    p.remoteAddress = w.remoteAddress;
    p.rkey = w.rkey;
    p.dmaLength = (int) w.length;
    switch (what & Verb.ANSWERED) {
      case Verb.READ -> {
        long left = w.length - w.done;
        p.opcode = Opcode.READ_REQUEST;
        p.psn = Psn.add(w.psnFirst, (int) (w.done >>> qp.path.mtuShift));
        p.psnCount = qp.path.packets(left);
        p.remoteAddress = w.remoteAddress + w.done;
        p.dmaLength = (int) left;
      }
      case Verb.ATOMIC -> {
        boolean swaps = w.opcode == OP_COMPARE_SWAP;
        p.opcode = swaps ? Opcode.COMPARE_SWAP : Opcode.FETCH_ADD;
        p.swapAdd = w.swapAdd;
        p.compare = swaps ? w.compare : 0;
      }
      case Verb.ATOMIC_WRITE -> {
        p.opcode = Opcode.ATOMIC_WRITE_REQUEST;
        p.payload.add(w.inlineSegment(), 0, Long.BYTES);
      }
      default -> {
        p.opcode = Opcode.FLUSH_REQUEST;
        p.feth = w.immData;
        p.dmaLength = (int) w.memoryLength;
      }
    }
    transmit(qp, p, w, run);
  }

  static void transmit(QpCore qp, Packet p, SendWqe w, RunList run) {
    boolean datagram = isDatagram(qp);
    Route route = datagram ? w.route : qp.path.route;
    if (route == null) {
      throw new IllegalStateException("no address"); // checked at the post and in modify
    }
    route.address(p);
    if (datagram) {
      p.destQpn = w.remoteQpn;
      p.qkey = w.remoteQkey < 0 ? qp.path.qkey : w.remoteQkey; // IBA 10.2.5
      p.sourceQpn = qp.qpn;
      int pkey = qp.specialNumber() == 1 ? w.pkeyIndex : qp.path.pkeyIndex; // IBA 10.9.3
      qp.path.port().transmit(qp, p, pkey, route.sgidIndex(), route.pathBits(), run);
    } else {
      p.destQpn = qp.path.destQpn;
      qp.transmit(p, run);
    }
  }

  private static boolean isDatagram(QpCore qp) {
    return qp.service == Opcode.UD;
  }
}
