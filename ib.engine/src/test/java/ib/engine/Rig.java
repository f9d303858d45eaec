package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.core.verbs.Access;
import ib.core.verbs.AhAttr;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.EventType;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.Mtu;
import ib.core.verbs.PhysState;
import ib.core.verbs.PortState;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SharedReceiveQueue;
import ib.core.verbs.WorkCompletion;
import ib.engine.capture.Capture;
import ib.engine.capture.CapturingWire;
import ib.engine.qp.HcaConfig;
import ib.engine.time.NanoClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;

/** Devices on one {@link LoopWire}, and the everyday steps of a test. */
final class Rig implements AutoCloseable {
  static final int ALL_ACCESS =
      Access.LOCAL_WRITE
          | Access.REMOTE_WRITE
          | Access.REMOTE_READ
          | Access.REMOTE_ATOMIC
          | Access.FLUSH_GLOBAL
          | Access.MW_BIND;
  static final int QKEY = 0x11111111;

  final LoopWire wire = new LoopWire();
  final List<Side> sides = new ArrayList<>();
  final NanoClock clock;
  private final RandomGenerator random;
  private final int entries;
  private final int bytes;

  /** One device with the objects that most tests need. */
  static final class Side {
    TestDevice device;
    SoftHca hca;
    Capture capture;
    ProtectionDomain pd;
    CompletionQueue sendCq;
    CompletionQueue recvCq;
    MemoryRegion mr;
    QueuePair qp;
    SharedReceiveQueue srq;
    final Queue<EventType> unaffiliated = new ConcurrentLinkedQueue<>();

    int lid() {
      return hca.port(1).lid();
    }
  }

  Rig(NanoClock clock, boolean threads, HcaConfig... configs) {
    this(clock, threads, 4096, 1 << 20, configs);
  }

  /** With completion queues and memory of a chosen size: small for tests that make thousands. */
  Rig(NanoClock clock, boolean threads, int entries, int bytes, HcaConfig... configs) {
    this.clock = clock;
    this.entries = entries;
    this.bytes = bytes;
    this.random = RandomGeneratorFactory.of("L64X128MixRandom").create(42);
    for (int i = 0; i < configs.length; i++) {
      add(configs[i], threads, i + 1);
    }
  }

  /** Two devices with their workers' threads. */
  static Rig two() {
    return new Rig(NanoClock.SYSTEM, true, HcaConfig.of(0x10, 0x11), HcaConfig.of(0x20, 0x21));
  }

  private void add(HcaConfig config, boolean threads, int lid) {
    LoopWire.End end = wire.end();
    Side s = new Side();
    s.capture =
        new Capture("soft" + sides.size(), 1, config.linkLayer(), clock, b -> wire.segments(b));
    CapturingWire watched = new CapturingWire(end, s.capture, 1);
    s.hca =
        new SoftHca(
            config, List.of(watched), (type, port) -> s.unaffiliated.add(type), clock, random);
    wire.connect(end, watched.receiver(s.hca.port(1)));
    s.hca.port(1).lid(lid, 0);
    s.hca.port(1).state(PortState.ACTIVE, PhysState.LINK_UP);
    s.device = new TestDevice("soft" + sides.size(), s.hca);
    if (threads) {
      s.hca.start("worker-" + sides.size());
    }
    s.pd = s.device.allocPd();
    s.sendCq = s.device.createCq(new CqInit(entries));
    s.recvCq = s.device.createCq(new CqInit(entries));
    s.mr = s.pd.allocMemory(bytes, 4096, ALL_ACCESS);
    sides.add(s);
  }

  Side a() {
    return sides.get(0);
  }

  Side b() {
    return sides.get(1);
  }

  static QpInit init(Side s, QpType type, int depth) {
    QpInit init =
        new QpInit(type, s.sendCq, new QpCap(depth, depth, 4, 4, 128)).withRecvCq(s.recvCq);
    return s.srq == null ? init : init.withSrq(s.srq);
  }

  /** Makes a connected pair of queue pairs in RTS on the first two devices. */
  Rig connect(QpType type) {
    return connect(type, 64, 1, 7, 7);
  }

  Rig connect(QpType type, int depth, int timeout, int retries, int rnrRetries) {
    for (Side s : List.of(a(), b())) {
      s.qp = s.pd.createQp(init(s, type, depth));
    }
    bringUp(a(), a().qp, b().qp.qpn(), b().lid(), timeout, retries, rnrRetries);
    bringUp(b(), b().qp, a().qp.qpn(), a().lid(), timeout, retries, rnrRetries);
    return this;
  }

  static void bringUp(
      Side s, QueuePair qp, int peer, int lid, int timeout, int retries, int rnrRetries) {
    toRtr(qp, peer, lid, Mtu.MTU_1024);
    QpAttr rts = new QpAttr().state(QpState.RTS).sqPsn(0xfffffe);
    if (qp.type() == QpType.RC) {
      rts.timeout(timeout).retryCount(retries).rnrRetry(rnrRetries).maxRdAtomic(4);
    }
    qp.modify(rts);
  }

  static void toRtr(QueuePair qp, int peer, int lid, Mtu mtu) {
    QpAttr init = new QpAttr().state(QpState.INIT).pkeyIndex(0);
    if (qp.type() == QpType.RC || qp.type() == QpType.UC) {
      qp.modify(init.port(1).accessFlags(ALL_ACCESS));
      QpAttr rtr =
          new QpAttr()
              .state(QpState.RTR)
              .av(AhAttr.ofLid(1, lid, 0))
              .pathMtu(mtu)
              .destQpn(peer)
              .rqPsn(0xfffffe); // so that every longer test wraps
      if (qp.type() == QpType.RC) {
        rtr.maxDestRdAtomic(4).minRnrTimer(1);
      }
      qp.modify(rtr);
    } else {
      qp.modify(qp.type() == QpType.UD ? init.port(1).qkey(QKEY) : init.qkey(QKEY));
      qp.modify(new QpAttr().state(QpState.RTR));
    }
  }

  /** Runs workers that have no thread until nothing is left to do now. */
  void settle() {
    int n;
    do {
      n = 0;
      for (Side s : sides) {
        n += s.hca.step();
      }
    } while (n > 0);
  }

  /** The next completion, which must come. */
  static WorkCompletion await(CompletionQueue cq) {
    WorkCompletion[] wc = {new WorkCompletion()};
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
    while (cq.poll(wc, 1) == 0) {
      if (System.nanoTime() > end) {
        throw new AssertionError("no completion within 5 minutes");
      }
      Thread.onSpinWait();
    }
    return wc[0];
  }

  /** The completion that must be there already. */
  static WorkCompletion next(CompletionQueue cq) {
    WorkCompletion[] wc = {new WorkCompletion()};
    assertEquals(1, cq.poll(wc, 1), "a completion is there");
    return wc[0];
  }

  static void assertEmpty(CompletionQueue cq) {
    assertEquals(0, cq.poll(new WorkCompletion[] {new WorkCompletion()}, 1), "no completion");
  }

  @Override
  public void close() {
    sides.forEach(s -> s.hca.shutdown());
  }
}
