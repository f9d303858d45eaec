package ib.engine.qp;

import ib.core.spi.Trace;
import ib.core.verbs.EventType;
import ib.core.verbs.Limit;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.SigType;
import ib.engine.cq.SoftCq;
import ib.engine.link.HcaCounter;
import ib.engine.mr.LastKeys;
import ib.engine.ring.ReceiveRing;
import ib.engine.ring.SendRing;
import ib.engine.ring.SendSlots;
import ib.engine.run.RunList;
import ib.engine.run.Worker;
import ib.engine.wire.Epoch;
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
final class QpCore extends QpCounts {
  static final int ACK_TIMER = 1;
  static final int RNR_TIMER = 2;
  static final int REQUEST_FAULT = 4;
  static final int RESPONSE_FAULT = 8;
  static final int CQ_LOST = 16;

  /** Of a queue pair that its domain does not know. */
  static final int NO_PLACE = -1;

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
  final HcaCore hca;
  final QpInit init;
  final QpType type;
  final int service;
  final int domain;
  final boolean signalAll;
  final @Nullable SoftSrq srq;
  final RunList runList; // of who claims it from outside; the control path's object, too
  final Requester requester;
  final Completer completer; // the requester's object, too
  final Responder responder;
  final QpControl control;
  final QpHistory history; // the control path's object, too
  final LastKeys keys; // the responder's object, too
  int qpn; // before it is published
  SoftQp verbs; // before it is published
  int domainPlace = NO_PLACE; // of its domain

  // ---- any thread ----
  private volatile @Nullable Packets packets; // made with the first one
  volatile QpState state = QpState.RESET;
  volatile SendRing sends;
  volatile ReceiveRing receives;
  private volatile int signals;

  // ---- of the thread that holds the claim ----
  int blocked = Ready.NEW_BLOCKED;
  int refuses = Ready.NEW_REFUSES;
  int seenEpoch; // of what Join has found
  Epoch epoch; // of the port
  @Nullable Direction peer; // its directReceived

  @SuppressWarnings("NullAway") // verbs is set before another thread sees this
  QpCore(
      HcaCore hca, QpInit init, int domain, SoftCq sendCq, SoftCq recvCq, @Nullable SoftSrq srq) {
    super(
        sendCq,
        recvCq,
        Math.min(hca.config().limit(Limit.MAX_MSG_SZ), hca.config().runBudgetBytes()));
    this.hca = hca;
    this.control = new QpControl(this);
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
    this.requester = new Requester(this);
    this.completer = requester;
    this.responder =
        service == Opcode.UD ? new DatagramReceiver(this) : new ConnectedResponder(this);
    this.keys = responder;
  }

  /** {@return the number, so that the order of a set is the same in each run of a simulation} */
  @Override
  public int hashCode() {
    return qpn;
  }

  /** {@return 0 or 1 for the special queue pairs, else -1} */
  int specialNumber() {
    return switch (type) {
      case SMI -> 0;
      case GSI -> 1;
      default -> -1;
    };
  }

  /** For a new life: what a late poster still holds of the old ring is sealed. */
  SendRing newSends() {
    QpCap cap = init.cap();
    return new SendRing(cap.maxSendWr(), cap.maxSendSge(), cap.maxInlineData());
  }

  /** Makes a receive ring of this queue pair's size, of no slots if an SRQ serves it. */
  ReceiveRing newReceives() {
    return new ReceiveRing(srq != null ? 0 : init.cap().maxRecvWr(), init.cap().maxRecvSge());
  }

  /** Belongs to a port from now on; what was counted so far stays with the one before. */
  @Override
  void port(HcaPort port) {
    if (portIndex() != port.number() - 1) {
      hca.tally().settle(this);
    }
    super.port(port);
    epoch = port.epoch();
    seenEpoch = epoch.now() - 1;
  }

  /** Counts that the queue pair was modified, so that its peer looks for it again. */
  void changed() {
    if (live() && service == Opcode.RC) {
      epoch.changed();
    }
  }

  // ---- from any thread ----

  /** {@return whether packets of an opcode are for it: of its service, and CNPs where it helps} */
  boolean takes(int opcode) {
    return (opcode & 0xe0) == service || (opcode == Opcode.CNP && service == Opcode.RC);
  }

  /** {@return its packets, made now if this is the first time} */
  Packets packets() {
    Packets p = packets;
    while (p == null) {
      PACKETS.compareAndSet(this, null, new Packets(this));
      p = packets;
    }
    return p;
  }

  /** {@return whether none of its packets is under way} */
  boolean isIdle() {
    Packets p = packets;
    return p == null || p.isIdle();
  }

  /** Queues an arrived packet and has the queue pair run. */
  @SuppressWarnings("ReferenceEquality") // a run list is itself
  void deliver(Packet packet, RunList run) {
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

  private boolean isQuiet() {
    Packets p = packets;
    return signals == 0 && !buried() && (p == null || p.isEmpty());
  }

  @Override
  protected boolean direct(RunList run) {
    try {
      return isQuiet() && DirectSends.run(this, run);
    } catch (Throwable t) {
      history.caught(t);
      return false; // the step that follows makes an error of it
    }
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
  int express(SendSlots staged, int n, long index) {
    try {
      return isQuiet() ? DirectSends.express(this, staged, n, index) : 0;
    } catch (Throwable t) {
      history.caught(t);
      return Math.clamp(sends.head() - index, 0, n); // some may have completed before
    }
  }

  @Override
  protected boolean step(RunList run) {
    try {
      sync();
      history.begin(run);
      return history.isFinal() ? discardPackets(run) : work(run);
    } catch (Throwable t) {
      return history.caught(t);
    }
  }

  @Override
  protected boolean watch() {
    try {
      if (!history.isFinal()) {
        completer.watch();
      }
      return true;
    } catch (Throwable t) {
      return !history.caught(t);
    }
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

  private boolean work(RunList run) {
    if (signals != 0) {
      signalled((int) SIGNALS.getAndSet(this, 0), run);
    }
    if (buried()) {
      return discardPackets(run);
    }
    boolean more = false;
    for (; ; run.spend(0)) { // the budget bounds this loop, too
      Packets p = packets;
      more = false;
      if (p != null) {
        p.wait.end();
        more = completer.responses(run);
        more |= responder.run(run);
      }
      if (state == QpState.ERR) {
        return Flusher.flush(this, run);
      }
      DirectSends.run(this, run);
      sync();
      more |= requester.run(run);
      if (directUnacknowledged > 0) {
        DirectPath.settle(this, run);
      }
      if (state == QpState.ERR) {
        return Flusher.flush(this, run);
      }
      if (state == QpState.SQE) {
        Flusher.flushSends(this, run);
      }
      if (more || !(requester.starved() || responder.starved())) {
        break;
      }
      packets().wait.begin();
      more = requester.starved() && requester.refilled();
      more |= responder.starved() && responder.refilled();
      if (!more || run.exhausted()) {
        break;
      }
    }
    return more;
  }

  /**
   * Makes the packet way know what the descriptor way has executed. Afterwards the numbers of
   * requester and responder count. Called before anything else uses these numbers: at the beginning
   * of each step, before packets are made, and by the control path.
   */
  void sync() {
    if (directAhead) {
      directAhead = false;
      requester.sync(sends.head(), directPsn);
    }
    if (directReceived.ahead && responder instanceof ConnectedResponder r) {
      directReceived.ahead = false;
      r.sync(directReceived);
    }
  }

  private void signalled(int s, RunList run) {
    if ((s & ACK_TIMER) != 0) {
      completer.ackTimer(run);
    }
    if ((s & RNR_TIMER) != 0) {
      completer.rnrTimer();
    }
    if ((s & REQUEST_FAULT) != 0) {
      requester.fault(packets().requestPool.faultPsn());
    }
    if ((s & RESPONSE_FAULT) != 0 && live()) {
      fail(EventType.QP_ACCESS_ERR);
    }
    if ((s & CQ_LOST) != 0 && state != QpState.RESET && state != QpState.ERR) {
      fail(EventType.QP_FATAL);
    }
  }

  /** Is run again when one of its packets comes back. */
  void awaitPacket() {
    packets().wait.begin();
  }

  /** {@return whether the responder answers} */
  boolean live() {
    QpState s = state;
    return s == QpState.RTR || s == QpState.RTS || s == QpState.SQD || s == QpState.SQE;
  }

  /** Goes to another state. */
  void enter(QpState to, long cause) {
    QpState from = state;
    state = to;
    Ready.entered(this, to);
    history.changed(hca.worker().now(), to, cause);
    Trace.state(hca.config().nodeGuid(), qpn, from, to, history.cause());
  }

  /** Enters ERR, because a NAK refuses a request of the peer. */
  void refuse(int syndrome, int psn, @Nullable EventType event) {
    history.nakSent(hca.worker().now(), psn, syndrome);
    fail(event);
  }

  /** Enters ERR; the current step flushes. */
  void fail(@Nullable EventType event) {
    enter(QpState.ERR, event == null ? QpHistory.ASKED : QpHistory.event(event));
    if (event != null) {
      verbs.tell(event);
    }
  }

  /** Throws away what has arrived; returns false, for nothing is left. */
  boolean discardPackets(RunList run) {
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
  void bury() {
    die();
  }

  /** {@return whether it was claimed for good, or given up by who waited for its claim in vain} */
  boolean buried() {
    return dead();
  }

  /** Sends a packet to the peer of the connection. */
  void transmit(Packet packet, RunList run) {
    packet.sourceQpn = qpn;
    port().transmit(this, packet, pkeyIndex, sgidIndex, sourceBits, run);
  }
}
