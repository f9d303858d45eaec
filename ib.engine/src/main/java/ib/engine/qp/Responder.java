package ib.engine.qp;

import ib.core.verbs.Cqe;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.WcFlags;
import ib.core.verbs.WcOpcode;
import ib.core.verbs.WcStatus;
import ib.engine.link.HcaCounter;
import ib.engine.mr.LastKeys;
import ib.engine.mr.Sges;
import ib.engine.ring.HeldReceive;
import ib.engine.ring.ReceiveRing;
import ib.engine.ring.ReceiveSlot;
import ib.engine.run.RunList;
import ib.engine.wire.Opcode;
import ib.engine.wire.Packet;
import ib.engine.wire.Route;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The common part of both kinds of responder: admission of packets, and the current receive
 * request. One object with the registered memory as the queue pair finds it, so that a queue pair
 * is small. Only the thread that holds this queue pair's claim calls in.
 */
public abstract class Responder extends LastKeys {
  private static final long[] NONE = {};
  private static final VarHandle HOLDING;

  static {
    try {
      HOLDING = MethodHandles.lookup().findVarHandle(Responder.class, "holding", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  public final QpCore qp;
  public final int sgeMost; // elements of a receive request
  private final @Nullable HeldReceive held; // of a shared queue
  public boolean
      lastTold; // of Flusher: QP_LAST_WQE_REACHED was raised in this life, or no longer matters
  private long[] words = NONE; // of the receive in hand: of its ring, or of the held one
  private int place; // of the receive in hand in its words
  private long end; // index after the receive in hand, 0 when its queue is shared
  private boolean holding; // a receive request is in hand; one of a shared queue written by HOLDING

  public Responder(QpCore qp) {
    super(qp.hca.lkeys(), qp.hca.rkeys(), qp.domain());
    this.qp = qp;
    SharedReceives srq = qp.srq;
    this.sgeMost = srq == null ? qp.init.cap().maxRecvSge() : srq.ring().sgeMost();
    this.held = srq == null ? null : new HeldReceive(sgeMost);
  }

  /** Works on the requests that have arrived; returns whether the budget ended it. */
  public abstract boolean run(RunList run);

  /** Whether it waits for one of its packets. */
  public abstract boolean starved();

  /** Whether such a packet is there now. */
  public abstract boolean refilled();

  /** Sends what is still to be said in ERR; returns false when there is no packet for it now. */
  public abstract boolean lastWord(RunList run);

  /** Forgets the current receive, because the queue pair was reset. */
  public void reset() {
    lastTold = false;
    words = NONE; // the ring is gone
    HOLDING.setRelease(this, false);
  }

  /** Whether the packet may be looked at: P_Key (IBA 9.6.1.1.3) and, when connected, the sender. */
  public boolean admits(Packet p) {
    QpPath path = qp;
    boolean fits =
        switch (qp.type) {
          case SMI -> true; // QP0 has no partition (IBA 10.9.3)
          case GSI -> path.port().tables().pkeyIndex(p.pkey) >= 0; // QP1 is in all of them
          default -> path.port().tables().pkeyFits(path.pkeyIndex, p.pkey);
        };
    if (!fits) {
      path.port().guard().badPkey(p);
      qp.drop(p, HcaCounter.DROP_PKEY);
      return false;
    }
    Route route = path.route;
    if (route != null && !route.leadsTo(p)) {
      path.port().guard().violation(p);
      qp.drop(p, HcaCounter.DROP_SOURCE);
      return false;
    }
    return true;
  }

  /**
   * Whether a receive request of a shared queue is in hand; any thread. One of its own queue stays
   * in its slot meanwhile, and counts there.
   */
  public boolean holdsShared() {
    return qp.srq != null && (boolean) HOLDING.getAcquire(this);
  }

  /** {@return whether there is a receive request in hand now} */
  public boolean takeReceive() {
    if (holding) {
      return true;
    }
    HeldReceive copy = held;
    SharedReceives srq = qp.srq;
    if (copy == null || srq == null) {
      ReceiveRing ring = qp.receives;
      long oldest = ring.head();
      if (!ring.published(oldest)) {
        return false;
      }
      inHand(ring.words(), ring.base(oldest), oldest + 1);
      holding = true;
      return true;
    }
    HOLDING.setRelease(this, true); // before it leaves the ring, so that a drain never misses it
    boolean taken = false;
    try {
      taken = srq.take(copy);
      inHand(copy.words(), 0, 0);
    } finally {
      if (!taken) {
        HOLDING.setRelease(this, false);
      }
    }
    return taken;
  }

  @SuppressWarnings("ReferenceEquality") // an array is itself
  private void inHand(long[] w, int b, long after) {
    if (words != w) { // a reference store costs a barrier
      words = w;
    }
    place = b;
    end = after;
  }

  /** The words of the receive request in hand, one of its own queue in the slot where it is. */
  public long[] words() {
    return words;
  }

  /** Where the first element of the receive request in hand begins in its words. */
  public int sges() {
    return ReceiveSlot.sges(place);
  }

  /** {@return the bytes of the receive request in hand} */
  public long receiveLength() {
    return Sges.length(words, sges(), sgeMost);
  }

  /** Takes the elements of the receive request in hand for a copy. */
  public LastKeys receiveElements() {
    return elements(words, sges(), sgeMost);
  }

  /** Completes the receive request in hand. */
  public void complete(
      RunList run, WcStatus status, WcOpcode opcode, int bytes, int flags, int imm, Packet p) {
    boolean datagram = qp.service == Opcode.UD;
    int pkeyIndex = qp.type == QpType.GSI ? qp.port().tables().pkeyIndex(p.pkey) : qp.pkeyIndex;
    long path =
        datagram
            ? p.slid
                | (long) pkeyIndex << 16
                | (long) qp.port().pathBits(p.dlid) << 32
                | (long) p.mss << 48
            : p.slid;
    int from = datagram ? p.sourceQpn : qp.destQpn;
    push(run, status, opcode, bytes, flags, imm, from, path, p.sl, p.solicited);
    if (status == WcStatus.SUCCESS) {
      qp.count(HcaCounter.RDMA_RECVS);
    }
  }

  /** Completes the receive request in hand with a message that came without a packet. */
  public void complete(
      RunList run,
      WcOpcode opcode,
      int bytes,
      int flags,
      int imm,
      int slid,
      int sl,
      boolean solicited) {
    int from = qp.destQpn;
    push(run, WcStatus.SUCCESS, opcode, bytes, flags, imm, from, slid, sl, solicited);
    qp.directReceived.messages++;
  }

  /** Flushes the receive request in hand. */
  public void flush(RunList run) {
    if (holding) {
      flushed(run);
    }
  }

  /** Flushes the oldest request of a ring that is sealed, which was killed. */
  public void flushKilled(ReceiveRing ring, RunList run) {
    long oldest = ring.head();
    inHand(ring.words(), ring.base(oldest), oldest + 1);
    flushed(run);
  }

  private void flushed(RunList run) {
    push(run, WcStatus.WR_FLUSH_ERR, WcOpcode.RECV, 0, 0, 0, 0, 0, 0, false);
  }

  /**
   * Pushes the completion; the order is that of {@link SendCompletions#push}. The slot may be
   * filled anew as soon as the completion can be polled, so all of it is read before.
   */
  private void push(
      RunList run,
      WcStatus status,
      WcOpcode opcode,
      int bytes,
      int flags,
      int imm,
      int srcQp,
      long path,
      int sl,
      boolean solicited) {
    long after = end;
    ReceiveRing ring = qp.receives;
    long wrId = ReceiveSlot.wrId(words, place);
    HeldReceive copy = held;
    Cqe cqe = copy == null ? ring.cqe(after - 1) : copy.cqe();
    try {
      if (after > 0) {
        ring.tell(after - 1);
      }
      qp.recvCq.push(
          run,
          wrId,
          status,
          opcode,
          flags,
          0,
          bytes,
          imm,
          qp.qpn,
          srcQp,
          path,
          sl,
          qp.recvPlace(),
          after,
          cqe,
          solicited);
    } finally {
      if (after > 0) {
        ring.retire(after - 1);
      }
      HOLDING.setRelease(this, false); // after the completion
    }
  }

  /** Whether requests are executed in this state. */
  public boolean executes() {
    QpState s = qp.state;
    return s == QpState.RTS || s == QpState.RTR || s == QpState.SQD || s == QpState.SQE;
  }

  public static int immFlag(boolean imm) {
    return imm ? WcFlags.WITH_IMM : 0;
  }
}
