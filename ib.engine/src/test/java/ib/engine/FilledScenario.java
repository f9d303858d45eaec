package ib.engine;

import ib.core.verbs.PostStatus;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.RecvWr;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import ib.core.verbs.WrOpcode;
import ib.engine.qp.HcaConfig;
import ib.engine.time.VirtualClock;
import ib.engine.verbs.Probe;

/** Two requests are posted, and one of the calls that fill their slots throws. */
public final class FilledScenario {
  private FilledScenario() {}

  /**
   * Runs it.
   *
   * @param list whether in the list form, else from a builder while another thread has the claim
   * @param call number of the call that throws, 0 for none
   * @return how many calls there were
   */
  public static long run(boolean list, long call) {
    VirtualClock clock = new VirtualClock();
    try (Rig rig = new Rig(clock, false, HcaConfig.of(0x10, 0x11), HcaConfig.of(0x20, 0x21))) {
      rig.connect(QpType.RC);
      Rig.Side a = rig.a();
      rig.b().qp.postReceive(new RecvWr(1).addSge(rig.b().mr.lkey(), rig.b().mr.iova(), 64));
      rig.b().qp.postReceive(new RecvWr(1).addSge(rig.b().mr.lkey(), rig.b().mr.iova(), 64));
      if (!list) {
        made(a, 1);
        made(a, 2);
        Probe.hold(a.qp);
      }
      Throwing.from(call == 0 ? Long.MAX_VALUE : call, call + 1);
      int status = list ? a.qp.postSend(wr(a, 1).next(wr(a, 2))) : a.qp.wrComplete();
      long calls = Throwing.stop();
      if (!list) {
        Probe.letGo(a.qp);
      }
      check(a, status, call);
      return calls;
    } finally {
      Throwing.stop();
    }
  }

  private static SendWr wr(Rig.Side a, int id) {
    return new SendWr(1)
        .wrId(id)
        .opcode(WrOpcode.SEND)
        .flags(SendFlags.SIGNALED)
        .addSge(a.mr.lkey(), a.mr.iova(), 64);
  }

  private static void made(Rig.Side a, int id) {
    QueuePair qp = a.qp;
    if (id == 1) {
      qp.wrStart();
    }
    qp.wrId(id).wrFlags(SendFlags.SIGNALED).wrSend().wrSetSge(a.mr.lkey(), a.mr.iova(), 64);
  }

  private static void check(Rig.Side a, int status, long call) {
    WorkCompletion[] wc = {new WorkCompletion()};
    int failed = 0;
    for (int n = 0; n < 2; n++) {
      if (status != PostStatus.OK || a.sendCq.poll(wc, 1) != 1) {
        throw new AssertionError("call " + call + ": " + status + ", completions: " + n);
      }
      failed += wc[0].status() == WcStatus.SUCCESS ? 0 : 1;
    }
    if (failed > 0 != call > 0) {
      throw new AssertionError("call " + call + ": " + failed + " failed");
    }
  }
}
