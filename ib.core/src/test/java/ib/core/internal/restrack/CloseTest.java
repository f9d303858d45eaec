package ib.core.internal.restrack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.ResourceRecord;
import ib.core.internal.device.BoundDevice;
import ib.core.testing.CoreRig;
import ib.core.testing.Objects7;
import ib.core.testing.Wait;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.IbBusyException;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.IbObject;
import ib.core.verbs.ObjectControl;
import ib.core.verbs.ObjectControl.Kind;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The order of a destroy: hide, let readers go, driver, references. */
@DisplayName("B9: introspection never sees a freed object")
class CloseTest {
  private final CoreRig rig = new CoreRig();
  private final BoundDevice device = rig.bind("ulp");

  @AfterEach
  void close() {
    assertEquals(0, rig.fake().doubleDestroys());
    rig.close();
  }

  @Test
  @DisplayName("B9: two threads close; both return after the driver has destroyed it")
  void b9ConcurrentClose() {
    ProtectionDomain pd = device.allocPd();
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    rig.fake()
        .faults()
        .at(
            "destroyPD",
            () -> {
              inside.countDown();
              Wait.on(go);
            });
    Future<?> first = Wait.start(pd::close);
    Wait.on(inside);
    AtomicBoolean driverDone = new AtomicBoolean();
    CountDownLatch entered = new CountDownLatch(1);
    Future<?> second =
        Wait.start(
            () -> {
              entered.countDown();
              pd.close();
              assertTrue(driverDone.get(), "the second close returned before the destroy");
            });
    Wait.on(entered);
    assertEquals(1, rig.objects().live(Kind.PD));
    assertEquals(List.of(), rig.objects().resources());
    driverDone.set(true);
    go.countDown();
    Wait.end(first);
    Wait.end(second);
    assertEquals(1, rig.fake().faults().hits("destroyPD"));
    assertEquals(0, rig.objects().live());
  }

  @Test
  @DisplayName("B9: dump in a loop while everything is made and destroyed")
  void b9DumpWhileCreatingAndDestroying() {
    AtomicBoolean done = new AtomicBoolean();
    Future<?> dumper =
        Wait.start(
            () -> {
              while (!done.get()) {
                for (ResourceRecord r : rig.objects().resources()) {
                  assertFalse(r.details().containsKey("error"), r.toString());
                }
              }
            });
    ProtectionDomain pd = device.allocPd();
    CompletionQueue cq = device.createCq(new CqInit(16));
    for (int i = 0; i < 5_000; i++) {
      pd.createQp(new QpInit(QpType.RC, cq, Objects7.CAP)).close();
      pd.allocFastRegistration(1).close();
      device.createCq(new CqInit(1)).close();
    }
    done.set(true);
    Wait.end(dumper);
    cq.close();
    pd.close();
    assertEquals(0, rig.objects().live());
    assertEquals(0, rig.fake().touchedDead());
  }

  @Test
  @DisplayName("B9: the same check catches a tracker that finds an object and looks into it later")
  void b9CanaryDumpWithoutPin() {
    Objects7 o = Objects7.of(device);
    List<IbObject> found = o.srq().users();
    o.close();
    found.forEach(q -> assertTrue(q instanceof QueuePair qp && qp.qpn() != 0));
    assertEquals(1, rig.fake().touchedDead());
  }

  @Test
  @DisplayName("D11: records carry what rdma resource shows")
  void recordsLikeRdmaResource() {
    Objects7 o = Objects7.of(device);
    o.qp().modify(new QpAttr().state(QpState.INIT).pkeyIndex(0).port(1).accessFlags(0));
    List<ResourceRecord> all = rig.objects().resources();
    assertEquals(
        List.of(Kind.PD, Kind.CQ, Kind.QP, Kind.SRQ, Kind.MR, Kind.MW, Kind.AH),
        all.stream().map(ResourceRecord::kind).toList());
    ResourceRecord cq = all.get(1);
    assertEquals("{cqe=16, users=2, adaptive-moderation=off}", cq.details().toString());
    assertEquals("ulp", cq.owner());
    assertEquals(2, cq.users());
    ResourceRecord qp = all.get(2);
    assertEquals(
        List.of("port", "lqpn", "type", "state", "sq-psn", "pdn"),
        List.copyOf(qp.details().keySet()));
    assertEquals(QpState.INIT, qp.details().get("state"));
    assertEquals(
        List.of("rkey", "lkey", "iova", "mrlen", "pdn"),
        List.copyOf(all.get(4).details().keySet()));
    o.close();
  }

  @Test
  @DisplayName(
      "CC-17: a driver that closes an object inside of its destroy does not wait for itself")
  void closedInsideItsOwnDestroy() {
    ProtectionDomain pd = device.allocPd();
    rig.fake().faults().at("destroyPD", pd::close);
    pd.close();
    assertEquals(1, rig.fake().faults().hits("destroyPD"));
    assertEquals(List.of(), rig.clauses());
    assertEquals(0, rig.objects().live());
  }

  @Test
  @DisplayName("D2: an object that is being made cannot be closed; given up, it is gone")
  void closedWhileBeingMade() {
    ObjectControl made = device.owner().handle().child(Kind.PD);
    IbInvalidException e = assertThrows(IbInvalidException.class, made::destroy);
    assertTrue(e.getMessage().contains("RESERVED"), e.getMessage());
    made.abort();
    made.destroy();
    assertEquals(0, rig.objects().live());
  }

  @Test
  @DisplayName("D2: a handle is not closed, and counts what was made through it")
  void handle() {
    ObjectControl handle = device.owner().handle();
    assertThrows(IbInvalidException.class, handle::destroy);
    ProtectionDomain pd = device.allocPd();
    BoundDevice other = rig.bind("other");
    ProtectionDomain theirs = other.allocPd();
    assertEquals(1, handle.useCount());
    assertEquals(1, device.owner().live());
    assertEquals(List.of(pd), handle.users());
    theirs.close();
    pd.close();
    assertEquals(0, handle.useCount());
    assertEquals(List.of(), handle.users());
  }

  @Test
  @DisplayName("S48: EBUSY names a user that is in no client's list any more")
  void busyWithoutAName() {
    ProtectionDomain pd = device.allocPd();
    Life life = ((ObjectRecord) pd.control()).life;
    assertTrue(life.use());
    IbBusyException e = assertThrows(IbBusyException.class, pd::close);
    assertEquals(List.of("an object being made or closed"), e.users());
    life.unuse();
    pd.close();
  }
}
