package ib.engine;

import static ib.engine.EngineScenarios.require;

import ib.core.testing.Interleavings;
import ib.core.verbs.AhAttr;
import ib.core.verbs.Mtu;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QueuePair;
import java.lang.foreign.ValueLayout;

/** The way without packets ends while a request takes it (D5). */
public final class WayScenarios {
  private WayScenarios() {}

  /** The peer loses its P_Key while a request looks for the way: the next finds none (D5). */
  public static class PkeyTaken extends EngineScenarios.Pair {
    @Override
    public void setUp() {
      Interleavings.spawn("a", false, () -> post(1));
      Interleavings.spawn("control", false, this::take);
    }

    void take() {
      rig.b().hca.port(1).pkey(0, 0x8123);
    }

    @Override
    public void check() {
      post(2);
      require(target.segment().get(ValueLayout.JAVA_LONG, 16) == 0, "written without a P_Key");
    }
  }

  /** The bug, where the count after the change is dropped: it is counted before. */
  public static final class CountedFirst extends PkeyTaken {
    @Override
    void take() {
      rig.b().hca.port(1).epoch().changed();
      super.take();
    }
  }

  /** The peer is connected with another queue pair: no request of ours is executed there then. */
  public static final class Reconnected extends EngineScenarios.Pair {
    /** Has found its peer. */
    public Reconnected() {
      post(3);
    }

    @Override
    public void setUp() {
      Interleavings.spawn("a", false, () -> post(1));
      Interleavings.spawn("control", false, this::reconnect);
    }

    private void reconnect() {
      QueuePair qp = rig.b().qp;
      qp.modify(new QpAttr().state(QpState.RESET));
      qp.modify(new QpAttr().state(QpState.INIT).pkeyIndex(0).port(1).accessFlags(Rig.ALL_ACCESS));
      qp.modify(
          new QpAttr()
              .state(QpState.RTR)
              .av(AhAttr.ofLid(1, 3, 0)) // the same numbers at another port
              .pathMtu(Mtu.MTU_1024)
              .destQpn(rig.a().qp.qpn())
              .rqPsn(0xffffff)
              .maxDestRdAtomic(4)
              .minRnrTimer(1));
      qp.modify(
          new QpAttr()
              .state(QpState.RTS)
              .sqPsn(0)
              .timeout(1)
              .retryCount(7)
              .rnrRetry(7)
              .maxRdAtomic(1));
      target.segment().set(ValueLayout.JAVA_LONG, 8, 0);
    }

    @Override
    public void check() {
      require(target.segment().get(ValueLayout.JAVA_LONG, 8) == 0, "written by who was the peer");
    }
  }
}
