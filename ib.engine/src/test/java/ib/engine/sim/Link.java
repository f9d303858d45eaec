package ib.engine.sim;

import ib.core.verbs.Access;
import ib.core.verbs.AhAttr;
import ib.core.verbs.Mtu;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.WcStatus;
import ib.engine.verbs.Probe;
import java.util.SplittableRandom;

/**
 * Two queue pairs that talk to each other, and their life: connected, broken, flushed, connected
 * again once nothing of the old life can be on the way.
 */
final class Link {
  private static final int WRAP_DISTANCE = 256;
  private static final int PSNS = 1 << 24;
  private static final int RIGHTS =
      Access.LOCAL_WRITE
          | Access.REMOTE_WRITE
          | Access.REMOTE_READ
          | Access.REMOTE_ATOMIC
          | Access.FLUSH_GLOBAL;

  /** Where it stands. */
  private enum Life {
    UP,
    FLUSHING,
    QUIET
  }

  final Profile profile;
  final QpType type;
  final int depth;
  final int sges;
  final int sizeMost;
  private final Sim sim;
  private final SplittableRandom random;
  private final Mtu mtu;
  private final int timeout;
  private final int retries;
  private final int rnrRetries;
  private final int rnrTimer;
  private final int reads;
  private final Node nodeA;
  private final Node nodeB;
  private final Endpoint a;
  private final Endpoint b;
  private final Carriage[] carriages;
  private Life life = Life.QUIET;
  private long quietUntilNs;
  private final int[] psnFirst = new int[2];
  private final long[] psnsUsed = new long[2];

  Link(Sim sim, QpType type, Node nodeA, Node nodeB) {
    this.sim = sim;
    this.profile = sim.profile;
    this.random = sim.random;
    this.type = type;
    this.nodeA = nodeA;
    this.nodeB = nodeB;
    boolean bulk = profile.bulk();
    Mtu some = bulk ? Mtu.MTU_4096 : Mtu.values()[random.nextInt(Mtu.values().length)];
    this.mtu = profile == Profile.LAP ? Mtu.MTU_256 : some;
    this.depth = bulk ? 4 : 1 + random.nextInt(24);
    this.sges = 1 + random.nextInt(4);
    this.sizeMost = sizeMost();
    this.timeout = 8 + random.nextInt(8);
    // where nothing is lost, no queue pair may have to wait for a timer
    this.retries = profile.calm() ? 0 : few(profile);
    boolean givesUp = profile != Profile.LAP && random.nextInt(4) == 0;
    this.rnrRetries = givesUp ? random.nextInt(7) : 7;
    this.rnrTimer = 1 + random.nextInt(16);
    this.reads = 1 + random.nextInt(4);
    this.a = new Endpoint(sim, nodeA, this, "a");
    this.b = new Endpoint(sim, nodeB, this, "b");
    a.peer = b;
    b.peer = a;
    this.carriages = new Carriage[] {new Carriage(a.qp), new Carriage(b.qp)};
  }

  private int sizeMost() {
    if (type == QpType.UD) {
      return Mtu.MTU_4096.bytes();
    }
    if (profile.bulk()) {
      return profile.sizeMost;
    }
    return Math.max(512, profile.sizeMost >> random.nextInt(6));
  }

  private int few(Profile p) {
    return p == Profile.LOST_ACKS || p == Profile.LAP || random.nextInt(4) != 0
        ? 7
        : random.nextInt(8);
  }

  int mtuBytes() {
    return mtu.bytes();
  }

  Node otherNode(Node node) {
    return node.equals(nodeA) ? nodeB : nodeA;
  }

  /** Whether its program makes mistakes now and then. */
  boolean breaks() {
    return type == QpType.RC && !profile.bulk();
  }

  /** Whether the queue pairs were taken down on purpose. */
  boolean down() {
    return life != Life.UP || a.failed || b.failed || broken(a) || broken(b);
  }

  private static boolean broken(Endpoint e) {
    return e.qp.state() == QpState.ERR;
  }

  /** Whether an error is one that must be expected. */
  boolean explains(Endpoint at, Request r, WcStatus status) {
    return switch (status) {
      case RETRY_EXC_ERR -> type == QpType.RC && (profile.loses() || broken(at.peer) || late());
      case RNR_RETRY_EXC_ERR -> type == QpType.RC && rnrRetries < 7 && r.op.arrives();
      case REM_ACCESS_ERR -> r.bad || r.risky;
      case REM_INV_REQ_ERR, REM_OP_ERR -> r.bad;
      default -> false;
    };
  }

  /** Whether faults hold packets back for longer than an acknowledgement may take. */
  private boolean late() {
    return profile.disorders();
  }

  /** How often one end has gone through all sequence numbers since it was connected. */
  long laps() {
    return Math.max(psnsUsed[0], psnsUsed[1]) / PSNS;
  }

  /** Looks at how its messages travel, all the while with or without disturbance. */
  void observe(boolean disturbed) {
    for (Carriage c : carriages) {
      c.observe(disturbed);
    }
  }

  long direct() {
    return carriages[0].direct() + carriages[1].direct();
  }

  long switches() {
    return carriages[0].switches() + carriages[1].switches();
  }

  /** A request has used its sequence numbers up for good. */
  void consumed(Endpoint at, Request r) {
    int i = at == a ? 0 : 1;
    long before = psnFirst[i] + psnsUsed[i];
    psnsUsed[i] += type == QpType.UD ? 1 : r.psns(mtuBytes());
    sim.wraps += (psnFirst[i] + psnsUsed[i]) / PSNS - before / PSNS;
  }

  // ---- life ----

  /** Does something, or nothing; returns how much was done. */
  int turn(boolean idle) {
    return switch (life) {
      case UP -> up(idle);
      case FLUSHING -> {
        if (idle) {
          a.silent();
          b.silent();
        }
        if (flushed(a) && flushed(b)) {
          a.checkRings();
          b.checkRings();
          life = Life.QUIET;
          quietUntilNs = sim.clock.nanoTime() + profile.holdNs();
          yield 1;
        }
        yield 0;
      }
      case QUIET -> {
        if (sim.clock.nanoTime() < quietUntilNs || done()) {
          yield 0;
        }
        connect();
        yield 1;
      }
    };
  }

  private int up(boolean idle) {
    if (type != QpType.UD && (a.failed || b.failed || broken(a) || broken(b))) {
      takeDown(random.nextInt(4) == 0);
      return 1;
    }
    if (done()) {
      return 0;
    }
    if (breaks() && random.nextInt(2000) == 0) {
      takeDown(random.nextBoolean());
      return 1;
    }
    if (type == QpType.UD && random.nextInt(16) == 0) {
      sim.group.join(random.nextBoolean() ? a : b);
    }
    int n = 0;
    for (Endpoint e : random.nextBoolean() ? new Endpoint[] {a, b} : new Endpoint[] {b, a}) {
      if (idle || random.nextInt(3) == 0) {
        n += e.receives.post(idle ? 1 + random.nextInt(depth) : random.nextInt(4));
      }
      if (idle || random.nextInt(3) == 0) {
        n += e.poster.post(1 + random.nextInt(4));
      }
    }
    return n;
  }

  /** Both ends posted everything and it is done. */
  boolean done() {
    return done(a) && done(b);
  }

  private boolean done(Endpoint e) {
    return e.poster.posted() == e.operations && e.outstanding.isEmpty();
  }

  /** Whether requests wait for something. */
  boolean waits() {
    return !a.outstanding.isEmpty() || !b.outstanding.isEmpty();
  }

  /** When it must be looked at, by its own plans. */
  long nextNs() {
    return life == Life.QUIET && !done() ? quietUntilNs : Long.MAX_VALUE;
  }

  private void takeDown(boolean reset) {
    sim.cancelled = true;
    life = Life.FLUSHING;
    for (Endpoint e : new Endpoint[] {a, b}) {
      sim.poll(); // what has completed by now has done so for itself
      if (e.qp.state() == QpState.RESET) {
        continue;
      }
      if (reset && !e.sharesReceives) { // a shared receive in hand would be lost, as it should be
        e.qp.modify(new QpAttr().state(QpState.RESET));
        sim.poll();
        e.forget();
      } else {
        e.qp.modify(new QpAttr().state(QpState.ERR));
      }
    }
  }

  private static boolean flushed(Endpoint e) {
    return e.outstanding.isEmpty() && e.receives.isEmpty();
  }

  private void connect() {
    psnFirst[0] = PSNS - 1 - random.nextInt(WRAP_DISTANCE);
    psnFirst[1] = PSNS - 1 - random.nextInt(WRAP_DISTANCE);
    psnsUsed[0] = 0;
    psnsUsed[1] = 0;
    for (Endpoint e : new Endpoint[] {a, b}) {
      e.renew();
      if (e.qp.state() != QpState.RESET) {
        e.qp.modify(new QpAttr().state(QpState.RESET));
      }
    }
    bringUp(a, psnFirst[0], psnFirst[1]);
    bringUp(b, psnFirst[1], psnFirst[0]);
    sim.connects++;
    for (Carriage c : carriages) {
      c.renew();
    }
    life = Life.UP;
  }

  private void bringUp(Endpoint e, int sqPsn, int rqPsn) {
    QpAttr init = new QpAttr().state(QpState.INIT).pkeyIndex(0).port(1);
    if (type == QpType.UD) {
      e.qp.modify(init.qkey(Poster.QKEY));
      e.qp.modify(new QpAttr().state(QpState.RTR));
      e.receives.post(depth);
      e.qp.modify(new QpAttr().state(QpState.RTS).sqPsn(sqPsn));
      return;
    }
    e.qp.modify(init.accessFlags(RIGHTS));
    e.receives.post(random.nextInt(depth + 1));
    QpAttr rtr =
        new QpAttr()
            .state(QpState.RTR)
            .av(AhAttr.ofLid(1, e.peer.node.lid, 0))
            .pathMtu(mtu)
            .destQpn(e.peer.qp.qpn())
            .rqPsn(rqPsn);
    e.qp.modify(type == QpType.RC ? rtr.maxDestRdAtomic(reads).minRnrTimer(rnrTimer) : rtr);
    QpAttr rts = new QpAttr().state(QpState.RTS).sqPsn(sqPsn);
    e.qp.modify(
        type == QpType.RC
            ? rts.timeout(timeout).retryCount(retries).rnrRetry(rnrRetries).maxRdAtomic(reads)
            : rts);
  }

  // ---- the end ----

  /** Everything is done: flushes what is left of the receives. */
  void end() {
    observe(false);
    a.checkMemory();
    b.checkMemory();
    sim.group.leave(a);
    sim.group.leave(b);
    takeDown(false);
    sim.poll();
    for (Endpoint e : new Endpoint[] {a, b}) {
      if (!flushed(e)) {
        throw new SimFailure(e + ": not all was flushed");
      }
    }
  }

  /** Nothing is on the way any more: closes. */
  void close() {
    for (Endpoint e : new Endpoint[] {a, b}) {
      if (!Probe.idle(e.qp)) {
        throw new SimFailure(e + ": a packet was not released");
      }
      e.close();
    }
  }

  /** {@return what the link waits for} */
  String describe() {
    return this + " (" + life + "): " + a.describe() + ", " + b.describe();
  }

  @Override
  public String toString() {
    return String.format(
        "%s between nodes %d and %d, MTU %d, depth %d, timeout %d, retries %d, RNR retries %d, timer %d",
        type, nodeA.lid, nodeB.lid, mtuBytes(), depth, timeout, retries, rnrRetries, rnrTimer);
  }
}
