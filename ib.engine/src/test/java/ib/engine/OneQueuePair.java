package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.core.verbs.PhysState;
import ib.core.verbs.PortState;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import ib.engine.qp.HcaConfig;
import ib.engine.qp.QpCore;
import ib.engine.time.VirtualClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A queue pair of a device that no thread runs, for tests of a part of it. */
public final class OneQueuePair implements AutoCloseable {
  public final QpCore qp;

  /** The other end of a connected one. */
  public final @Nullable QpCore peer;

  private final Rig rig =
      new Rig(new VirtualClock(), false, HcaConfig.of(0x10, 0x11), HcaConfig.of(0x20, 0x21));

  /**
   * Makes a reliable one.
   *
   * @param connected whether it is in RTS and has a peer; else it is in RESET
   */
  public OneQueuePair(boolean connected) {
    this(QpType.RC, connected);
  }

  /** Makes one of a type. */
  public OneQueuePair(QpType type, boolean connected) {
    Rig.Side a = rig.a();
    if (connected) {
      rig.connect(type);
    } else {
      a.qp = a.pd.createQp(Rig.init(a, type, 4));
    }
    qp = Objects.requireNonNull(a.hca.port(1).queuePair(a.qp.qpn()));
    peer = connected ? rig.b().hca.port(1).queuePair(rig.b().qp.qpn()) : null;
  }

  /** Takes the link of the device's port down. */
  public void linkDown() {
    rig.a().hca.port(1).state(PortState.DOWN, PhysState.DISABLED);
  }

  /** Posts writes, whose packets stay on the way. */
  public void post(int writes) {
    Rig.Side a = rig.a();
    rig.wire.holds(p -> true);
    a.qp.wrStart();
    for (int i = 0; i < writes; i++) {
      a.qp.wrId(i).wrFlags(SendFlags.SIGNALED);
      a.qp.wrRdmaWrite(rig.b().mr.rkey(), rig.b().mr.iova());
      a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), 8);
    }
    assertEquals(0, a.qp.wrComplete());
  }

  /** Has the packets arrive that are on the way; {@return what requests complete with} */
  public List<WcStatus> complete() {
    Rig.Side a = rig.a();
    rig.wire.holds(null);
    rig.wire.deliverHeld(p -> true, a.hca.newRunContext());
    rig.settle();
    List<WcStatus> all = new ArrayList<>();
    WorkCompletion[] wc = {new WorkCompletion()};
    while (a.sendCq.poll(wc, 1) > 0) {
      all.add(wc[0].status());
    }
    return all;
  }

  /** {@return a counter of the device's port} */
  public long count(String name) {
    return Objects.requireNonNull(rig.a().hca.counters(1).get(name), name);
  }

  @Override
  public void close() {
    rig.close();
  }
}
