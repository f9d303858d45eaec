package ib.core.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.internal.callback.Contract;
import ib.core.internal.device.BoundDevice;
import ib.core.testing.CoreRig;
import ib.core.testing.FakeDevice;
import ib.core.testing.Objects7;
import ib.core.testing.Wait;
import ib.core.verbs.Access;
import ib.core.verbs.AhAttr;
import ib.core.verbs.CqInit;
import ib.core.verbs.Gid;
import ib.core.verbs.MwType;
import ib.core.verbs.PortModify;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SrqAttr;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The core serializes nothing: a second call enters the driver while the first is inside. */
@DisplayName("S13-S16: nothing is serialized")
class ReentrancyTest {
  private final CoreRig rig = new CoreRig(new FakeDevice("fake0"), new Contract(true));
  private final BoundDevice device = rig.bind("ulp");
  private final Objects7 o = Objects7.of(device);
  private final QueuePair ud = o.pd().createQp(new QpInit(QpType.UD, o.cq(), Objects7.CAP));

  @AfterEach
  void close() {
    rig.fake().faults().clear();
    device.sweepAndPoison();
    rig.close();
  }

  static Stream<String> operations() {
    ReentrancyTest t = new ReentrancyTest();
    try {
      return List.copyOf(t.calls().keySet()).stream();
    } finally {
      t.close();
    }
  }

  /** Driver operation to the call that leads to it, always on the same object. */
  private Map<String, Runnable> calls() {
    Gid group = new Gid(0xff12_0000_0000_0000L, 1);
    AhAttr address = Objects7.ADDRESS;
    Map<String, Runnable> m = new LinkedHashMap<>();
    m.put("allocPd", device::allocPd);
    m.put("createCq", () -> device.createCq(new CqInit(1)));
    m.put("queryPort", () -> device.queryPort(1));
    m.put("modifyPort", () -> device.modifyPort(1, new PortModify(0, 0, false, false)));
    m.put("registerMemory", () -> o.pd().allocMemory(8, 8, Access.LOCAL_WRITE));
    m.put("allocFastRegistration", () -> o.pd().allocFastRegistration(1));
    m.put("allocWindow", () -> o.pd().allocWindow(MwType.TYPE_2));
    m.put("createAh", () -> o.pd().createAh(address));
    m.put("createQp", () -> o.pd().createQp(new QpInit(QpType.RC, o.cq(), Objects7.CAP)));
    m.put("createSrq", () -> Objects7.srq(o.pd()));
    m.put("doModify", () -> o.qp().modify(new QpAttr().state(QpState.RESET)));
    m.put("doQuery", o.qp()::query);
    m.put("doAttachMulticast", () -> ud.attachMulticast(group, 0));
    m.put("doDetachMulticast", () -> ud.detachMulticast(group, 0));
    m.put("doResize", () -> o.cq().resize(32));
    m.put("doModerate", () -> o.cq().moderate(1, 1));
    m.put("doModifySrq", () -> o.srq().modify(new SrqAttr(0, 0, 1)));
    m.put("doReregister", () -> o.mr().reregister(null, 0));
    m.put("doModifyAh", () -> o.ah().modify(address));
    m.put("destroyMR", () -> o.pd().allocFastRegistration(1).close());
    return m;
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("operations")
  @DisplayName("S15: the second call enters the driver while the first blocks there")
  void s15SecondCallEnters(String op) {
    CountDownLatch bothInside = new CountDownLatch(2);
    int before = rig.fake().faults().hits(op);
    rig.fake()
        .faults()
        .at(
            op,
            () -> {
              bothInside.countDown();
              Wait.on(bothInside); // fails when the core lets one in at a time
            });
    Runnable call = calls().get(op);
    Future<?> first = Wait.start(call);
    Future<?> second = Wait.start(call);
    Wait.end(first);
    Wait.end(second);
    assertEquals(before + 2, rig.fake().faults().hits(op));
  }

  @Test
  @DisplayName("S15: the list of operations is the driver's whole control path")
  void s15EveryOperation() {
    assertTrue(calls().size() >= 20);
    calls().forEach((op, call) -> assertTrue(entered(op, call), op));
  }

  private boolean entered(String op, Runnable call) {
    int before = rig.fake().faults().hits(op);
    call.run();
    return rig.fake().faults().hits(op) == before + 1;
  }
}
