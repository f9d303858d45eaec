package ib.engine.qp;

import ib.core.spi.Trace;
import ib.core.verbs.EventType;
import ib.core.verbs.Gid;
import ib.core.verbs.Limit;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpCreateFlags;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.SigType;
import ib.engine.cq.SoftCq;
import ib.engine.link.HcaCounter;
import ib.engine.link.Link;
import ib.engine.link.Traffic;
import ib.engine.mr.KeyHolder;
import ib.engine.mr.LastKeys;
import ib.engine.ring.ReceiveRing;
import ib.engine.ring.SendRing;
import ib.engine.ring.SendSlots;
import ib.engine.run.RunList;
import ib.engine.run.Worker;
import ib.engine.wire.Epoch;
import ib.engine.wire.Framing;
import ib.engine.wire.Opcode;
import ib.engine.wire.Packet;
import ib.engine.wire.PacketQueue;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The engine's state of one queue pair. Any thread may use the rings, the packet queues and the
 * signals; only the thread that holds the claim ({@link ib.engine.run.ClaimToken}) may touch the
 * rest.
 */
public abstract class QpCore extends QpCounts implements KeyHolder {
  public static final int ACK_TIMER = 1;
  public static final int RNR_TIMER = 2;
  public static final int REQUEST_FAULT = 4;
  public static final int RESPONSE_FAULT = 8;
  public static final int CQ_LOST = 16;

  private static final VarHandle SIGNALS;
  private static final VarHandle PACKETS;

  static {
    try {
      SIGNALS = MethodHandles.lookup().findVarHandle(QpCore.class, "signals", int.class);
      PACKETS = MethodHandles.lookup().findVarHandle(QpCore.class, "packets", Packets.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  // ---- for ever ----
  public final Hca hca;
  public final QpInit init;
  public final QpType type;
  public final int service;
  private final int domain;
  public final boolean signalAll;
  public final @Nullable SharedReceives srq;
  public final RunList runList; // of who claims it from outside; the control path's object, too
  public final SendState sending;
  public final Responder responder;
  public final ControlPath control;
  public final QpHistory history; // the control path's object, too
  public final LastKeys keys; // the responder's object, too
  public int qpn; // before it is published
  public QpConsumer verbs; // before it is published

  // ---- any thread ----
  private volatile @Nullable Packets packets; // made with the first one
  public volatile QpState state = QpState.RESET;
  public volatile SendRing sends;
  public volatile ReceiveRing receives;
  private volatile int signals;

  // ---- of the thread that holds the claim ----
  public int blocked = Ready.NEW_BLOCKED;
  public int refuses = Ready.NEW_REFUSES;
  public int seenEpoch; // of what Join has found
  public Epoch epoch; // of the port
  public @Nullable Direction peer; // its directReceived

  // verbs is set before another thread sees this; the makers of parts keep it and call nothing
  @SuppressWarnings({"NullAway", "this-escape"})
  public QpCore(
      Hca hca,
      QpInit init,
      int domain,
      SoftCq sendCq,
      SoftCq recvCq,
      @Nullable SharedReceives srq) {
    super(
        sendCq,
        recvCq,
        Math.min(hca.config().limit(Limit.MAX_MSG_SZ), hca.config().runBudgetBytes()));
    this.hca = hca;
    this.control = newControl();
    this.history = control;
    this.runList = control;
    this.init = init;
    this.type = init.type();
    this.service = Opcode.service(type);
    this.domain = domain;
    this.signalAll = init.sqSigType() == SigType.ALL_WR;
    this.srq = srq;
    this.epoch = hca.port(1).epoch(); // until it has a port
    this.sends = newSends();
    this.receives = newReceives();
    this.sending = newSending();
    this.responder = newResponder();
    this.keys = responder;
  }

  /** Makes the control path; called once. */
  protected abstract ControlPath newControl();

  /** Makes what the packet way sends by; called once, after the rings were made. */
  protected abstract SendState newSending();

  /** Makes what answers the peer; called once, after the rings were made. */
  protected abstract Responder newResponder();

  /** {@return the number, so that the order of a set is the same in each run of a simulation} */
  @Override
  public int hashCode() {
    return qpn;
  }

  @Override
  public final int domain() {
    return domain;
  }

  /** {@return 0 or 1 for the special queue pairs, else -1} */
  public int specialNumber() {
    return switch (type) {
      case SMI -> 0;
      case GSI -> 1;
      default -> -1;
    };
  }

  /** For a new life: what a late poster still holds of the old ring is sealed. */
  public SendRing newSends() {
    QpCap cap = init.cap();
    return new SendRing(cap.maxSendWr(), cap.maxSendSge(), cap.maxInlineData());
  }

  /** Makes a receive ring of this queue pair's size, of no slots if an SRQ serves it. */
  public ReceiveRing newReceives() {
    return new ReceiveRing(srq != null ? 0 : init.cap().maxRecvWr(), init.cap().maxRecvSge());
  }

  /** Belongs to a port from now on; what was counted so far stays with the one before. */
  @Override
  public void port(Link port) {
    if (portIndex() != port.number() - 1) {
      hca.takeCounts(this);
    }
    super.port(port);
    epoch = port.epoch();
    seenEpoch = epoch.now() - 1;
  }

  /** Counts that the queue pair was modified, so that its peer looks for it again. */
  public void changed() {
    if (live() && service == Opcode.RC) {
      epoch.changed();
    }
  }

  // ---- from any thread ----

  /** {@return whether packets of an opcode are for it: of its service, and CNPs where it helps} */
  public boolean takes(int opcode) {
    return (opcode & 0xe0) == service || (opcode == Opcode.CNP && service == Opcode.RC);
  }

  /** {@return its packets, made now if this is the first time} */
  public Packets packets() {
    Packets p = packets;
    while (p == null) {
      PACKETS.compareAndSet(this, null, new Packets(this));
      p = packets;
    }
    return p;
  }

  /** {@return whether none of its packets is under way} */
  public boolean isIdle() {
    Packets p = packets;
    return p == null || p.isIdle();
  }

  /** Queues an arrived packet and has the queue pair run. */
  @SuppressWarnings("ReferenceEquality") // a run list is itself
  public void deliver(Packet packet, RunList run) {
    Packets p = packets();
    boolean response = (Opcode.what(packet.opcode) & Opcode.RESPONSE) != 0;
    PacketQueue queue = response ? p.responses : p.requests;
    if (owner == run) {
      queue.add(packet);
      if (!listed) {
        run.add(this);
      }
    } else if (tryClaim()) {
      owner = run;
      queue.add(packet);
      run.add(this);
    } else {
      queue.push(packet);
      run.schedule(this);
    }
  }

  /** Sets a signal for the thread that holds the claim, and has the queue pair run. */
  void signal(int bit, RunList run) {
    SIGNALS.getAndBitwiseOr(this, bit);
    run.schedule(this);
  }

  @Override
  protected void cqLost(RunList run) {
    signal(CQ_LOST, run);
  }

  @Override
  protected void polled(boolean receive, long end) {
    (receive ? receives : sends).release(end);
  }

  /** Runs the queue pair if it waits for a packet, because one of its packets is free again. */
  @SuppressWarnings("ReferenceEquality") // a run list is itself
  void packetBack(RunList run) {
    if (owner == run) {
      if (!listed && packets().wait.waiting()) {
        run.add(this);
      }
    } else if (packets().wait.waitingAfterFree()) {
      run.schedule(this);
    }
  }

  // ---- for the thread that holds the claim ----

  /** {@return whether nothing has arrived for it} */
  public final boolean isQuiet() {
    Packets p = packets;
    return signals == 0 && !buried() && (p == null || p.isEmpty());
  }

  @Override
  protected void crashed(Throwable why) {
    count(HcaCounter.STEPS_CRASHED);
    history.crashed(why);
  }

  @Override
  protected Worker worker() {
    return hca.worker();
  }

  /** {@return its packets, null as long as there was none} */
  public final @Nullable Packets madePackets() {
    return packets;
  }

  /** {@return the signals that were set, all cleared now} */
  public final int takeSignals() {
    return signals == 0 ? 0 : (int) SIGNALS.getAndSet(this, 0);
  }

  /**
   * Executes requests at the peer before they are in the ring; for their poster, which has claimed
   * slots for them and publishes those of the requests that were not executed.
   *
   * @param staged the requests; fewer when another thread uses the same builder
   * @param n number of requests
   * @param index the index of the first slot
   * @return how many of them were executed, from the first on
   */
  public abstract int express(SendSlots staged, int n, long index);

  /** Counts the acknowledgement of what was executed at the peer, if no response will do so. */
  public abstract void settle(RunList run);

  /** Releases the claim of the peer, if it is held. */
  public abstract void letGo(RunList run);

  /** {@return whether segments may be given to it as one datagram} */
  public final boolean coalesces() {
    return (init.createFlags() & QpCreateFlags.COALESCED_RECEIVE) != 0;
  }

  /** Is run again when one of its packets comes back. */
  public void awaitPacket() {
    packets().wait.begin();
  }

  /** {@return whether the responder answers} */
  public boolean live() {
    QpState s = state;
    return s == QpState.RTR || s == QpState.RTS || s == QpState.SQD || s == QpState.SQE;
  }

  /** Goes to another state. */
  public void enter(QpState to, long cause) {
    QpState from = state;
    state = to;
    Ready.entered(this, to);
    history.changed(hca.worker().now(), to, cause);
    Trace.state(hca.config().nodeGuid(), qpn, from, to, history.cause());
  }

  /** Enters ERR, because a NAK refuses a request of the peer. */
  public void refuse(int syndrome, int psn, @Nullable EventType event) {
    history.nakSent(hca.worker().now(), psn, syndrome);
    fail(event);
  }

  /** Enters ERR; the current step flushes. */
  public void fail(@Nullable EventType event) {
    enter(QpState.ERR, event == null ? QpHistory.ASKED : QpHistory.event(event));
    if (event != null) {
      verbs.tell(event);
    }
  }

  /** Throws away what has arrived; returns false, for nothing is left. */
  public boolean discardPackets(RunList run) {
    Packets p = packets;
    if (p != null) {
      discard(p.requests, run);
      discard(p.responses, run);
    }
    return false;
  }

  private void discard(PacketQueue queue, RunList run) {
    for (Packet p = queue.peek(); p != null; p = queue.peek()) {
      queue.remove();
      received(p);
      drop(p, HcaCounter.DROP_QP_STATE);
      p.release(run);
    }
  }

  /** Marks the queue pair as destroyed: a step only discards packets afterwards. */
  public void bury() {
    die();
  }

  /** {@return whether it was claimed for good, or given up by who waited for its claim in vain} */
  public boolean buried() {
    return dead();
  }

  /** Sends a packet to the peer of the connection. */
  public void transmit(Packet packet, RunList run) {
    packet.sourceQpn = qpn;
    transmit(packet, pkeyIndex, sgidIndex, sourceBits, run);
  }

  /** Sends a packet by the port: fills the source and hands the packet to the wire. */
  public void transmit(Packet packet, int pkey, int sgid, int pathBits, RunList run) {
    Link port = port();
    if (!port.active()) {
      count(HcaCounter.DROP_PORT_DOWN);
      count(Traffic.XMIT_DISCARDS, Framing.packets(packet));
      packet.release(run);
      return;
    }
    sent(packet);
    packet.slid = port.sourceLid(pathBits);
    packet.pkey = port.tables().pkey(pkey);
    if (packet.global) {
      Gid source = port.tables().gid(sgid);
      packet.sgidHigh = source.high();
      packet.sgidLow = source.low();
    }
    if (packet.isMulticast()) {
      port.loopBack(packet, run);
    }
    port.wire().transmit(packet, run);
  }
}
