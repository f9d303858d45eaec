package ib.engine;

import com.sun.management.OperatingSystemMXBean;
import ib.core.verbs.Access;
import ib.core.verbs.AddressHandle;
import ib.core.verbs.AhAttr;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.IbObject;
import ib.core.verbs.IbTimedOutException;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.MemoryWindow;
import ib.core.verbs.Mtu;
import ib.core.verbs.MwType;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.RecvWr;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.SharedReceiveQueue;
import ib.core.verbs.SrqAttr;
import ib.core.verbs.SrqInit;
import ib.core.verbs.WorkCompletion;
import ib.core.verbs.WrOpcode;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One thread of many that call anything at any time on objects which all of them share: builders
 * are used by several at once, what is in use is closed, lists change while they are posted.
 */
final class ApiFuzz {
  private static final int SHARED = 6; // objects of each kind
  private static final int BYTES = 8192;
  private static final long LONGEST_NS = 5_000_000_000L;
  private static final int LIST = 4;
  private static final OperatingSystemMXBean MACHINE =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  /** The objects of a device, which all threads share; any of them may be missing or closed. */
  static final class Objects {
    final Rig.Side side;
    final AtomicReferenceArray<@Nullable QueuePair> qps = new AtomicReferenceArray<>(SHARED);
    final AtomicReferenceArray<@Nullable CompletionQueue> cqs = new AtomicReferenceArray<>(SHARED);
    final AtomicReferenceArray<@Nullable MemoryRegion> mrs = new AtomicReferenceArray<>(SHARED);
    final AtomicReferenceArray<@Nullable MemoryWindow> mws = new AtomicReferenceArray<>(SHARED);
    final AtomicReferenceArray<@Nullable AddressHandle> ahs = new AtomicReferenceArray<>(SHARED);
    final AtomicReferenceArray<@Nullable SharedReceiveQueue> srqs =
        new AtomicReferenceArray<>(SHARED);
    final SendWr[] sends = new SendWr[LIST];
    final RecvWr[] receives = new RecvWr[LIST];

    Objects(Rig.Side side) {
      this.side = side;
      for (int i = 0; i < LIST; i++) {
        sends[i] = new SendWr(3);
        receives[i] = new RecvWr(3);
      }
    }

    /** Closes what is left; whatever is in use goes after its users. */
    void close() {
      for (AtomicReferenceArray<?> all :
          new AtomicReferenceArray<?>[] {qps, mws, ahs, mrs, srqs, cqs}) {
        for (int i = 0; i < SHARED; i++) {
          if (all.get(i) instanceof IbObject o) {
            o.close();
          }
        }
      }
    }
  }

  private final Objects[] both;
  private final SplittableRandom random;
  private final Map<String, LongAdder> seen;
  private final WorkCompletion[] polled = new WorkCompletion[4];
  private String call = "";

  /** Makes a fuzzer that calls methods of the objects of both sides. */
  ApiFuzz(Objects[] both, long seed, ConcurrentSkipListMap<String, LongAdder> seen) {
    this.both = both;
    this.random = new SplittableRandom(seed);
    this.seen = seen;
    for (int i = 0; i < polled.length; i++) {
      polled[i] = new WorkCompletion();
    }
  }

  /**
   * Calls until it is time; throws when a call has lasted too long or nothing could be claimed. A
   * call that waits needs the others to run: on a machine that does other work most of the time,
   * what counts is the processor time that all threads together were given, of which they use all.
   */
  void run(long endNs) {
    while (System.nanoTime() - endNs < 0) {
      long start = System.nanoTime();
      long given = MACHINE.getProcessCpuTime();
      String how;
      try {
        one(both[random.nextInt(2)], both[random.nextInt(2)]);
        how = "done";
      } catch (IbTimedOutException e) {
        throw new AssertionError(call + ": " + e.getMessage(), e);
      } catch (RuntimeException | OutOfMemoryError e) {
        how = e.getClass().getSimpleName();
      }
      long took = System.nanoTime() - start;
      if (took > LONGEST_NS && MACHINE.getProcessCpuTime() - given > LONGEST_NS) {
        throw new AssertionError(call + " took " + took / 1_000_000 + " ms");
      }
      seen.computeIfAbsent(call + " " + how, k -> new LongAdder()).increment();
    }
  }

  private int some() {
    return random.nextInt(SHARED);
  }

  private void one(Objects o, Objects other) {
    int what = random.nextInt(100);
    if (what < 35) {
      builder(o, other);
    } else if (what < 50) {
      list(o, other);
    } else if (what < 60) {
      receive(o);
    } else if (what < 75) {
      poll(o);
    } else if (what < 85) {
      control(o, other);
    } else if (what < 93) {
      make(o);
    } else {
      end(o);
    }
  }

  private void builder(Objects o, Objects other) {
    call = "builder";
    QueuePair qp = o.qps.get(some());
    MemoryRegion mr = o.mrs.get(some());
    MemoryRegion remote = other.mrs.get(some());
    if (qp == null || mr == null || remote == null) {
      return;
    }
    for (int i = random.nextInt(1, 12); i > 0; i--) { // in any order, unlike a correct program
      step(qp, mr, remote, o);
    }
    if (random.nextInt(3) > 0) {
      qp.wrComplete();
    }
  }

  private void step(QueuePair qp, MemoryRegion mr, MemoryRegion remote, Objects o) {
    long at = remote.iova() + random.nextInt(-8, BYTES);
    switch (random.nextInt(16)) {
      case 0, 1 -> qp.wrStart();
      case 2 -> qp.wrId(random.nextLong()).wrFlags(random.nextInt(16));
      case 3, 4 -> qp.wrSend();
      case 5 -> qp.wrSendImm(random.nextInt());
      case 6 -> qp.wrRdmaWrite(remote.rkey(), at);
      case 7 -> qp.wrRdmaRead(remote.rkey(), at);
      case 8 -> qp.wrAtomicFetchAdd(remote.rkey(), at & -8, 1);
      case 9 -> qp.wrSendInv(remote.rkey());
      case 10 -> qp.wrLocalInv(mr.rkey());
      case 11 -> {
        MemoryWindow mw = o.mws.get(some());
        if (mw != null) {
          qp.wrBindMw(mw, MemoryRegion.nextKey(mw.rkey()), mr, mr.iova(), 64, Access.REMOTE_READ);
        }
      }
      case 12 -> {
        AddressHandle ah = o.ahs.get(some());
        if (ah != null) {
          qp.wrSetUdAddress(ah, qp.qpn(), Rig.QKEY);
        }
      }
      case 13 -> qp.wrSetInline(mr.segment(), 0, random.nextInt(-1, 140));
      case 14 -> qp.wrAddSge(mr.lkey(), mr.iova() + random.nextInt(BYTES), random.nextInt(BYTES));
      default -> qp.wrSetSge(mr.lkey(), mr.iova() + random.nextInt(64), random.nextInt(BYTES));
    }
  }

  private void list(Objects o, Objects other) {
    call = "postSend";
    QueuePair qp = o.qps.get(some());
    MemoryRegion mr = o.mrs.get(some());
    MemoryRegion remote = other.mrs.get(some());
    AddressHandle ah = o.ahs.get(some());
    if (qp == null || mr == null || remote == null) {
      return;
    }
    for (int i = 0; i < LIST; i++) { // which others post at this moment
      SendWr wr = o.sends[i];
      wr.wrId(i).opcode(WrOpcode.values()[random.nextInt(WrOpcode.values().length)]);
      wr.flags(random.nextInt(4) == 0 ? SendFlags.INLINE : SendFlags.SIGNALED).clearSges();
      wr.addSge(mr.lkey(), mr.iova(), random.nextInt(200)).ah(ah).remoteQpn(qp.qpn());
      wr.rkey(remote.rkey()).remoteAddr(remote.iova() + random.nextInt(BYTES));
      wr.next(i + 1 < LIST && random.nextBoolean() ? o.sends[i + 1] : null);
    }
    qp.postSend(o.sends[0]);
  }

  private void receive(Objects o) {
    call = "postReceive";
    QueuePair qp = o.qps.get(some());
    MemoryRegion mr = o.mrs.get(some());
    SharedReceiveQueue srq = o.srqs.get(some());
    if (qp == null || mr == null) {
      return;
    }
    RecvWr wr = o.receives[random.nextInt(LIST - 1)];
    wr.clearSges().addSge(mr.lkey(), mr.iova(), random.nextInt(BYTES));
    wr.next(random.nextBoolean() ? o.receives[LIST - 1] : null);
    if (srq != null && random.nextBoolean()) {
      srq.postReceive(wr);
    } else if (random.nextBoolean()) {
      qp.postReceive(wr);
    } else {
      qp.postReceive(1, mr.lkey(), mr.iova(), random.nextInt(BYTES));
    }
  }

  private void poll(Objects o) {
    call = "poll";
    CompletionQueue cq = o.cqs.get(some());
    if (cq == null) {
      return;
    }
    switch (random.nextInt(6)) {
      case 0 -> cq.requestNotify(random.nextInt(8));
      case 1 -> {
        if (cq.startPoll()) {
          cq.status();
          cq.nextPoll();
        }
        cq.endPoll();
      }
      case 2 -> {
        call = "moderate";
        cq.moderate(random.nextInt(4), random.nextInt(100));
      }
      case 3 -> {
        call = "resize";
        cq.resize(random.nextInt(1, 200));
      }
      default -> cq.poll(polled, polled.length);
    }
  }

  private void control(Objects o, Objects other) {
    call = "modify";
    QueuePair qp = o.qps.get(some());
    QueuePair peer = other.qps.get(some());
    if (qp == null || peer == null) {
      return;
    }
    switch (random.nextInt(8)) {
      case 0 -> qp.modify(new QpAttr().state(QpState.RESET));
      case 1 -> qp.modify(new QpAttr().state(QpState.ERR));
      case 2 -> qp.modify(new QpAttr().state(QpState.SQD));
      case 3 -> {
        call = "query";
        qp.query();
      }
      default -> {
        if (qp.state() != QpState.RESET) {
          qp.modify(new QpAttr().state(QpState.RESET));
        }
        Rig.toRtr(qp, peer.qpn(), other.side.lid(), Mtu.MTU_1024);
        QpAttr rts = new QpAttr().state(QpState.RTS).sqPsn(0xfffffe);
        qp.modify(
            qp.type() == QpType.RC ? rts.timeout(8).retryCount(2).rnrRetry(2).maxRdAtomic(4) : rts);
      }
    }
  }

  private void make(Objects o) {
    call = "make";
    int i = some();
    Rig.Side s = o.side;
    switch (random.nextInt(6)) {
      case 0 -> put(o.cqs, i, () -> s.device.createCq(new CqInit(random.nextInt(1, 200))));
      case 1 -> put(o.mrs, i, () -> s.pd.allocMemory(BYTES, 64, Rig.ALL_ACCESS));
      case 2 -> put(o.mws, i, () -> s.pd.allocWindow(MwType.values()[random.nextInt(2)]));
      case 3 -> put(o.ahs, i, () -> s.pd.createAh(AhAttr.ofLid(1, 1 + random.nextInt(2), 0)));
      case 4 ->
          put(o.srqs, i, () -> s.pd.createSrq(new SrqInit(new SrqAttr(16, 3, 2), null, null)));
      default -> put(o.qps, i, () -> pair(o));
    }
  }

  private QueuePair pair(Objects o) {
    QpType type = new QpType[] {QpType.RC, QpType.RC, QpType.UC, QpType.UD}[random.nextInt(4)];
    CompletionQueue send = o.cqs.get(some());
    CompletionQueue receive = o.cqs.get(some());
    QpInit init =
        new QpInit(type, send == null ? o.side.sendCq : send, new QpCap(16, 16, 3, 3, 128));
    init = init.withRecvCq(receive == null ? o.side.recvCq : receive);
    SharedReceiveQueue srq = random.nextInt(3) == 0 ? o.srqs.get(some()) : null;
    return o.side.pd.createQp(srq == null ? init : init.withSrq(srq));
  }

  private static <T extends IbObject> void put(
      AtomicReferenceArray<@Nullable T> all, int i, Supplier<T> maker) {
    if (all.get(i) == null) {
      T made = maker.get();
      if (!all.compareAndSet(i, null, made)) {
        made.close();
      }
    }
  }

  private void end(Objects o) {
    call = "close";
    int i = some();
    switch (random.nextInt(7)) {
      case 0 -> close(o.cqs, i);
      case 1 -> close(o.mrs, i);
      case 2 -> close(o.mws, i);
      case 3 -> close(o.ahs, i);
      case 4 -> close(o.srqs, i);
      case 5 -> {
        call = "reregister";
        MemoryRegion mr = o.mrs.get(i);
        if (mr != null) {
          MemorySegment same = mr.segment();
          mr.reregister(same, Rig.ALL_ACCESS);
        }
      }
      default -> close(o.qps, i);
    }
  }

  /** Others may be using it: it is closed first, and only then taken away. */
  private static <T extends IbObject> void close(AtomicReferenceArray<@Nullable T> all, int i) {
    T o = all.get(i);
    if (o != null) {
      o.close(); // refused while it is used by others
      all.compareAndSet(i, o, null);
    }
  }

  /** {@return what was called and came of it, for the report} */
  static String report(Map<String, LongAdder> seen) {
    return new TreeMap<>(seen).toString();
  }
}
