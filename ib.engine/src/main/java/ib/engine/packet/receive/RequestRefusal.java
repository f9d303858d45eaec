package ib.engine.packet.receive;

import ib.core.verbs.EventType;
import ib.core.verbs.QpState;
import ib.core.wire.Psn;
import ib.engine.link.HcaCounter;
import ib.engine.mr.Copier;
import ib.engine.mr.Key;
import ib.engine.wire.Framing;
import ib.engine.wire.Packet;
import ib.engine.wire.Syndrome;
import org.jspecify.annotations.Nullable;

/**
 * Requests that are not executed: the answer to the peer, the counters, and the state of the queue
 * pair (IBA vol. 1 sections 9.9.3 and 9.8). Only the thread that holds the queue pair's claim may
 * call these methods.
 */
final class RequestRefusal {
  private RequestRefusal() {}

  /** Drops a packet whose sender's memory could not be read. */
  static void fault(ConnectedResponder r, Packet p) {
    r.qp.drop(p, HcaCounter.DROP_FAULT);
    p.fault(); // the sender's queue pair reads this flag; for this one the packet never came
    r.skipping = !r.reliable;
  }

  /** Handles a message for which no receive is posted: sends an RNR NAK if reliable. */
  static void notReady(ConnectedResponder r, Packet p) {
    if (r.reliable) {
      r.qp.count(HcaCounter.SEND_RNR_ERR);
      behind(r, p, 0, HcaCounter.DROP_AFTER_NAK);
      r.quiet = true; // what follows comes again
      r.due = Syndrome.RNR | r.qp.minRnrTimer;
      r.duePsn = r.epsn;
    } else {
      r.qp.count(HcaCounter.DROP_NO_RECEIVE);
      behind(r, p, 0, HcaCounter.DROP_SEQUENCE);
      r.skipping = true;
      r.epsn = Psn.add(r.epsn, 1);
    }
  }

  /**
   * Refuses a packet of a send or write.
   *
   * @param taken how many of those that it stands for would have been executed before
   */
  static void refuse(
      ConnectedResponder r, Packet p, int taken, int syndrome, @Nullable EventType event) {
    refuse(r, syndrome, event);
    behind(r, p, taken, dropped(r));
  }

  private static HcaCounter dropped(ConnectedResponder r) {
    return r.qp.state == QpState.ERR ? HcaCounter.DROP_QP_STATE : HcaCounter.DROP_SEQUENCE;
  }

  /**
   * Counts what a packet that stands for several has behind the refused one of them: on a wire that
   * segments, these arrive and are dropped.
   */
  static void behind(ConnectedResponder r, Packet p, int taken, HcaCounter reason) {
    r.qp.count(reason, Math.max(0, Framing.packets(p) - taken - 1));
  }

  /**
   * Refuses a request for memory of this side, with the event that belongs to the syndrome.
   *
   * @param syndrome NAK_REMOTE_ACCESS, or NAK_REMOTE_OPERATION when the memory itself has failed
   */
  static void refuse(ConnectedResponder r, int syndrome) {
    boolean access = syndrome == Syndrome.NAK_REMOTE_ACCESS;
    refuse(r, syndrome, access ? EventType.QP_ACCESS_ERR : EventType.QP_FATAL);
  }

  /** Refuses a packet of a send or write for memory of this side, as {@link #refuse}. */
  static void refuse(ConnectedResponder r, Packet p, int syndrome) {
    refuse(r, syndrome);
    behind(r, p, 0, dropped(r));
  }

  /** Why a copy to memory that a key had admitted has failed, as a syndrome. */
  static int why(@Nullable Key key, long version, long address) {
    return key != null && Copier.isOpen(key, version, address)
        ? Syndrome.NAK_REMOTE_OPERATION
        : Syndrome.NAK_REMOTE_ACCESS;
  }

  /** Refuses a request that violates the protocol. */
  static void invalid(ConnectedResponder r) {
    refuse(r, Syndrome.NAK_INVALID_REQUEST, EventType.QP_REQ_ERR);
  }

  /**
   * Refuses a request. RC: NAK, error state, event (IBA 9.9.3). UC: drops the message, unless
   * memory of this side has failed.
   */
  static void refuse(ConnectedResponder r, int syndrome, @Nullable EventType event) {
    r.accessRefused = event == EventType.QP_ACCESS_ERR;
    if (r.reliable) {
      r.due = syndrome;
      r.duePsn = r.epsn;
      r.qp.refuse(syndrome, r.epsn, event);
    } else if (event == null || event == EventType.QP_FATAL) {
      r.qp.fail(event);
    } else {
      r.qp.count(HcaCounter.DROP_SEQUENCE);
      r.skipping = true;
    }
  }
}
