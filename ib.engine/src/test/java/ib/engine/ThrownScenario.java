package ib.engine;

import ib.core.verbs.CompletionQueue;
import ib.core.verbs.EventType;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WorkCompletion;
import ib.engine.qp.HcaConfig;
import ib.engine.time.VirtualClock;
import ib.engine.verbs.Probe;
import java.util.List;

/** Traffic of every kind, in which one call or several throw; then everything is closed. */
public final class ThrownScenario {
  private static final int RECEIVES = 8;
  private static final int ROUNDS = 40;
  private static final long MILLISECOND = 1_000_000;

  private ThrownScenario() {}

  /**
   * Runs it, and closes everything in the end.
   *
   * @param how alone (one request without packets), direct, packets, lossy or unreliable
   * @param first number of the call that throws, 0 for none
   * @param end number of the first one after it that does not
   * @return how many calls there were while it could throw
   */
  public static long run(String how, long first, long end) {
    VirtualClock clock = new VirtualClock();
    QpType type = how.equals("unreliable") ? QpType.UC : QpType.RC;
    try (Rig rig = new Rig(clock, false, HcaConfig.of(0x10, 0x11), HcaConfig.of(0x20, 0x21))) {
      rig.connect(type);
      long[] lost = {0};
      if (!how.equals("direct") && !how.equals("alone")) {
        rig.wire.loses(how.equals("lossy") ? p -> ++lost[0] % 5 == 3 : p -> false);
      }
      Throwing.from(first == 0 ? Long.MAX_VALUE : first, end);
      int posted = how.equals("alone") ? write(rig) : traffic(rig, type);
      for (int i = 0; i < ROUNDS; i++) {
        rig.settle();
        clock.advance(MILLISECOND);
      }
      long calls = Throwing.stop();
      for (int i = 0; i < ROUNDS; i++) { // what was in the middle goes on, or to its end
        rig.settle();
        clock.advance(MILLISECOND);
      }
      check(rig, first, posted);
      for (Rig.Side s : rig.sides) {
        s.qp.close();
        s.mr.close();
        s.sendCq.close();
        s.recvCq.close();
      }
      return calls;
    } finally {
      Throwing.stop();
    }
  }

  /** In place of {@link #run}: the queue pairs are closed amid traffic, and closing throws. */
  public static long close(long first, long end) {
    VirtualClock clock = new VirtualClock();
    try (Rig rig = new Rig(clock, false, HcaConfig.of(0x10, 0x11), HcaConfig.of(0x20, 0x21))) {
      rig.connect(QpType.RC);
      rig.wire.loses(p -> false); // in packets
      int posted = traffic(rig, QpType.RC);
      Throwing.from(first == 0 ? Long.MAX_VALUE : first, end);
      for (Rig.Side s : rig.sides) {
        s.qp.close();
      }
      long calls = Throwing.stop();
      for (Rig.Side s : rig.sides) {
        s.mr.close();
        s.sendCq.close(); // nothing uses it any more
        s.recvCq.close();
        s.pd.close();
        if (Probe.objects(s.hca) > 0 || !Probe.claimed(s.hca)) {
          throw new AssertionError(Probe.objects(s.hca) + " objects are left", Throwing.last);
        }
      }
      if (first == 0 && count(rig.a().sendCq) != posted) {
        throw new AssertionError("not every request completed");
      }
      return calls;
    } finally {
      Throwing.stop();
    }
  }

  private static int write(Rig rig) {
    QueuePair qp = rig.a().qp;
    qp.wrStart();
    qp.wrFlags(SendFlags.SIGNALED);
    qp.wrRdmaWrite(rig.b().mr.rkey(), rig.b().mr.iova());
    qp.wrSetSge(rig.a().mr.lkey(), rig.a().mr.iova(), 64);
    return qp.wrComplete() == 0 ? 1 : 0;
  }

  private static int traffic(Rig rig, QpType type) {
    int posted = 0;
    Rig.Side a = rig.a();
    Rig.Side b = rig.b();
    for (Rig.Side s : List.of(a, b)) {
      for (int i = 0; i < RECEIVES; i++) {
        s.qp.postReceive(i, s.mr.lkey(), s.mr.iova(), 8192);
      }
    }
    long remote = b.mr.iova() + 65536;
    QueuePair qp = a.qp;
    for (int i = 0; i < (type == QpType.RC ? 7 : 3); i++) {
      qp.wrStart();
      qp.wrId(i).wrFlags(SendFlags.SIGNALED);
      switch (i) {
        case 0 -> qp.wrSend();
        case 1 -> qp.wrRdmaWriteImm(b.mr.rkey(), remote, 7);
        case 2 -> qp.wrSendImm(9);
        case 3 -> qp.wrRdmaRead(b.mr.rkey(), remote);
        case 4 -> qp.wrAtomicFetchAdd(b.mr.rkey(), remote, 1);
        case 5 -> qp.wrRdmaWrite(b.mr.rkey() ^ 1, remote); // refused
        default -> qp.wrSend(); // flushed
      }
      qp.wrSetSge(a.mr.lkey(), a.mr.iova() + 65536, i == 4 ? 8 : 3000);
      posted += qp.wrComplete() == 0 ? 1 : 0;
    }
    return posted;
  }

  private static void check(Rig rig, long first, int posted) {
    int failed = 0;
    int told = 0;
    for (Rig.Side s : rig.sides) {
      if (!Probe.free(s.qp) || !Probe.claimed(s.hca)) {
        throw new AssertionError(
            "A16: the claim of " + s.qp + " was not given back", Throwing.last);
      }
      if (Probe.crashPending(s.qp)) {
        throw new AssertionError("no step has made an error of an exception", Throwing.last);
      }
      failed += s.hca.counters(1).get("steps_crashed") > 0 ? 1 : 0;
      told += s.device.heard(EventType.QP_FATAL) ? 1 : 0;
      if (s.hca.counters(1).get("steps_crashed") > 0 && s.qp.state() != QpState.ERR) {
        throw new AssertionError("an exception and " + s.qp.state(), Throwing.last);
      }
      long sends = count(s.sendCq);
      long receives = count(s.recvCq);
      if (sends > posted || receives > RECEIVES) {
        throw new AssertionError(
            sends + " sends, " + receives + " receives completed", Throwing.last);
      }
    }
    if (first == 0 ? failed > 0 : failed > told + 1) {
      throw new AssertionError(failed + " failed, " + told + " told", Throwing.last);
    }
  }

  private static long count(CompletionQueue cq) {
    WorkCompletion[] wc = {new WorkCompletion()};
    long n = 0;
    while (cq.poll(wc, 1) > 0) {
      n++;
    }
    return n;
  }
}
