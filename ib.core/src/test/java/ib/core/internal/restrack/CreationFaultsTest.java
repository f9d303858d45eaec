package ib.core.internal.restrack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.internal.callback.Contract;
import ib.core.internal.device.BoundDevice;
import ib.core.spi.DeviceOps;
import ib.core.testing.CoreRig;
import ib.core.testing.FakeDevice;
import ib.core.testing.Objects7;
import ib.core.verbs.Access;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.IbNoMemoryException;
import ib.core.verbs.MwType;
import ib.core.verbs.ObjectControl;
import ib.core.verbs.PollContext;
import ib.core.verbs.PortAttr;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Errors at every call of the driver leave every count as it was. */
@DisplayName("B11: no reference is lost on an error path")
class CreationFaultsTest {
  private final CoreRig rig = new CoreRig();
  private final BoundDevice device = rig.bind("ulp");

  @AfterEach
  void nothingLeft() {
    rig.fake().faults().clear();
    assertEquals(List.of(), device.sweepAndPoison());
    assertEquals(0, rig.objects().live());
    assertEquals(0, rig.fake().live());
    rig.close();
  }

  private Map<String, Runnable> creations(ProtectionDomain pd, CompletionQueue cq) {
    Map<String, Runnable> c = new LinkedHashMap<>();
    c.put("allocPd", device::allocPd);
    c.put("createCq", () -> device.createCq(new CqInit(1)));
    c.put("registerMemory", () -> pd.allocMemory(64, 8, Access.LOCAL_WRITE));
    c.put("allocFastRegistration", () -> pd.allocFastRegistration(4));
    c.put("allocWindow", () -> pd.allocWindow(MwType.TYPE_1));
    c.put("createAh", () -> pd.createAh(Objects7.ADDRESS));
    c.put("createSrq", () -> Objects7.srq(pd));
    c.put("createQp", () -> pd.createQp(new QpInit(QpType.RC, cq, Objects7.CAP)));
    return c;
  }

  @Test
  @DisplayName("B11: each creation fails in the driver")
  void b11EveryCreationFails() {
    ProtectionDomain pd = device.allocPd();
    CompletionQueue cq = device.createCq(new CqInit(16));
    creations(pd, cq)
        .forEach(
            (op, create) -> {
              rig.fake().faults().fail(op);
              assertThrows(IbNoMemoryException.class, create::run, op);
              assertEquals(0, pd.useCount(), op);
              assertEquals(0, cq.useCount(), op);
              assertEquals(2, rig.objects().live(), op);
              for (Quota q : Quota.values()) {
                int left =
                    switch (q) {
                      case PD, CQ -> 1;
                      case CQ_ENTRIES -> 16;
                      default -> 0;
                    };
                assertEquals(left, device.owner().account.used(q), op + ": " + q);
              }
              rig.fake().faults().clear();
            });
    cq.close();
    pd.close();
  }

  @Test
  @DisplayName("B11: managed queues fail in the driver")
  void b11ManagedQueueFails() {
    rig.fake().faults().fail("createCq");
    for (PollContext context : PollContext.values()) {
      assertThrows(IbNoMemoryException.class, () -> device.allocCq(16, 0, context));
    }
    assertEquals(0, rig.objects().live());
  }

  @Test
  @DisplayName(
      "B11: a driver that throws from doDestroy still loses the object, its users and its owner")
  void b11DestroyThrows() {
    Objects7 o = Objects7.of(device);
    for (String kind : List.of("QP", "MW", "SRQ", "AH", "MR", "CQ", "PD")) {
      rig.fake().faults().fail("destroy" + kind);
    }
    o.close();
    assertEquals(0, rig.objects().live());
    assertEquals(0, rig.fake().doubleDestroys());
    assertEquals(7, rig.contract().handlerExceptions());
    assertTrue(rig.clauses().contains("S28"));
    assertTrue(
        rig.contract().violations().stream()
            .allMatch(v -> v.culprit().equals(device.info().driver())));
  }

  @Test
  @DisplayName(
      "B11: a driver that returns null, or an object it had already, gives everything back")
  void b11DriverMakesNothing() {
    FakeDevice liar =
        new FakeDevice("liar0") {
          @Override
          public DeviceOps ops() {
            return new Liar(super.ops());
          }
        };
    try (CoreRig lies = new CoreRig(liar, new Contract(true))) {
      BoundDevice d = lies.bind("ulp");
      assertThrows(IllegalStateException.class, d::allocPd);
      assertEquals(0, lies.objects().live());
      assertEquals(List.of(), d.sweepAndPoison());
    }
  }

  /** Makes no protection domains. */
  private record Liar(DeviceOps ops) implements DeviceOps {
    @Override
    public ib.core.verbs.DeviceAttr queryDevice() {
      return ops.queryDevice();
    }

    @Override
    public PortAttr queryPort(int port) {
      return ops.queryPort(port);
    }

    @Override
    public ib.core.verbs.Gid queryGid(int port, int index) {
      return ops.queryGid(port, index);
    }

    @Override
    public int queryPkey(int port, int index) {
      return ops.queryPkey(port, index);
    }

    @Override
    public ProtectionDomain allocPd(ObjectControl control) {
      return null;
    }

    @Override
    public CompletionQueue createCq(ObjectControl control, CqInit init) {
      return ops.createCq(control, init);
    }
  }
}
