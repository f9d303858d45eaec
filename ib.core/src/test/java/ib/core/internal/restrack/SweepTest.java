package ib.core.internal.restrack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.LeakRecord;
import ib.core.client.Violation;
import ib.core.internal.device.BoundDevice;
import ib.core.internal.waits.WaitGraph;
import ib.core.testing.CoreRig;
import ib.core.testing.Objects7;
import ib.core.testing.SilentHandler;
import ib.core.testing.Wait;
import ib.core.verbs.IbDisassociatedException;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.IbObject;
import ib.core.verbs.PostStatus;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.SendWr;
import ib.core.verbs.WorkCompletion;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The core reports the leaks of a client and destroys them in order; their calls then fail EIO. */
@DisplayName("S32, CC-20: leak report, forced teardown, poison")
class SweepTest {
  private final CoreRig rig = new CoreRig();
  private final BoundDevice device = rig.bind("ulp");

  @AfterEach
  void close() {
    assertEquals(0, rig.fake().doubleDestroys());
    rig.close();
  }

  @Test
  @DisplayName("S32: the report names client, object, thread, place and what pins it")
  void s32ReportNamesEverything() {
    long before = System.nanoTime();
    Objects7.of(device);
    List<LeakRecord> leaks = device.sweepAndPoison();
    assertEquals(7, leaks.size());
    LeakRecord cq = leak(leaks, "CQ 0");
    assertEquals("ulp", cq.client());
    assertEquals("fake0", cq.device());
    assertEquals(List.of("QP 0 (qpn 0x4df286)"), cq.pinnedBy());
    assertEquals(Thread.currentThread().getName(), cq.thread());
    assertTrue(cq.stack().getFirst().contains("Objects7.of"), cq.stack().toString());
    assertTrue(cq.ageNs() > 0 && cq.ageNs() < System.nanoTime() - before, "age " + cq.ageNs());
    assertEquals(List.of(), device.sweepAndPoison());
    assertEquals(0, rig.objects().live());
    assertEquals(0, rig.fake().live());
  }

  @Test
  @DisplayName("G16: objects made at one place share the text of their stack, not their users")
  void manyLeaks() {
    List<ProtectionDomain> made = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      made.add(device.allocPd());
    }
    made.get(1).createAh(Objects7.ADDRESS);
    made.get(1).createAh(Objects7.ADDRESS);
    Objects7.of(device);
    List<LeakRecord> leaks = device.sweepAndPoison();
    LeakRecord first = leak(leaks, "PD 0");
    LeakRecord second = leak(leaks, "PD 1");
    assertSame(first.stack(), second.stack());
    assertNotEquals(first.stack(), leak(leaks, "CQ 0").stack());
    assertEquals(List.of(), first.pinnedBy());
    assertEquals(List.of("AH 0", "AH 1"), second.pinnedBy());
  }

  private static LeakRecord leak(List<LeakRecord> leaks, String object) {
    return leaks.stream().filter(l -> l.object().equals(object)).findFirst().orElseThrow();
  }

  @Test
  @DisplayName("CC-20: users are destroyed before what they use")
  void cc20DependencyOrder() {
    List<String> order = new CopyOnWriteArrayList<>();
    for (String kind : List.of("PD", "CQ", "MR", "AH", "SRQ", "MW", "QP")) {
      rig.fake().faults().at("destroy" + kind, () -> order.add(kind));
    }
    Objects7.of(device);
    device.sweepAndPoison();
    assertEquals(List.of("QP", "MW", "SRQ", "AH", "MR", "CQ", "PD"), order);
  }

  @Test
  @DisplayName("CC-20: afterwards the control path is EIO, the data path GONE, close does nothing")
  void cc20Poison() {
    Objects7 o = Objects7.of(device);
    device.sweepAndPoison();
    var refused = assertThrows(IbDisassociatedException.class, device::allocPd);
    assertTrue(refused.getMessage().startsWith("fake0.allocPd"), refused.getMessage());
    assertThrows(IbDisassociatedException.class, () -> device.queryPort(1));
    assertThrows(IbDisassociatedException.class, () -> o.pd().createAh(Objects7.ADDRESS));
    assertThrows(IbDisassociatedException.class, () -> o.ah().modify(Objects7.ADDRESS));
    assertThrows(IbDisassociatedException.class, o.qp()::query);
    assertThrows(IbDisassociatedException.class, () -> o.mr().reregister(null, 0));
    assertEquals(PostStatus.GONE, o.qp().postSend(new SendWr(1)));
    assertEquals(PostStatus.GONE, o.cq().poll(new WorkCompletion[1], 1));
    assertFalse(o.qp().control().isLive());
    o.close();
    assertEquals(1, rig.fake().faults().hits("destroyQP"));
    assertEquals("fake0", device.name());
  }

  @Test
  @DisplayName("CC-20: what the driver refuses while the object is taken away is EIO, too")
  void refusedMeanwhile() {
    Objects7 o = Objects7.of(device);
    Runnable gone =
        () -> {
          device.sweepAndPoison();
          throw new IbInvalidException("modify", "the state is ERR by now", "RESET first");
        };
    rig.fake().faults().at("doModify", gone);
    QpAttr attr = new QpAttr().state(QpState.RESET);
    assertThrows(IbDisassociatedException.class, () -> o.qp().modify(attr));
    Objects7 others = Objects7.of(rig.bind("neighbour"));
    assertThrows(IbInvalidException.class, () -> others.qp().modify(attr));
    others.close();
  }

  @Test
  @DisplayName("S32: other clients of the device keep what is theirs")
  void neighboursStay() {
    BoundDevice neighbour = rig.bind("neighbour");
    Objects7 theirs = Objects7.of(neighbour);
    Objects7.of(device);
    device.sweepAndPoison();
    assertEquals(7, rig.objects().live());
    theirs.qp().query();
    theirs.close();
    assertEquals(List.of(), neighbour.sweepAndPoison());
  }

  @Test
  @DisplayName("S32, B14: event handlers left behind are reported and unregistered")
  void s32EventHandlersAreLeaks() {
    SilentHandler.register(device);
    device.unregisterEventHandler(SilentHandler.register(device));
    assertEquals(List.of("event handler " + SilentHandler.class.getName()), device.held());
    List<LeakRecord> leaks = device.sweepAndPoison();
    assertEquals(
        List.of("event handler " + SilentHandler.class.getName()),
        leaks.stream().map(LeakRecord::object).toList());
    assertTrue(leaks.getFirst().stack().getFirst().contains("SilentHandler.register"));
    assertEquals(List.of(), rig.handlers());
  }

  @Test
  @DisplayName(
      "CC-20: an object that the driver is making while the client goes is destroyed and refused")
  void cc20RevokedWhileMade() {
    ProtectionDomain pd = device.allocPd();
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    rig.fake()
        .faults()
        .at(
            "registerMemory",
            () -> {
              inside.countDown();
              Wait.on(go);
            });
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    Future<?> maker =
        Wait.start(
            () -> {
              try {
                pd.allocMemory(64, 8, 0);
              } catch (IbDisassociatedException e) {
                thrown.set(e);
              }
            });
    Wait.on(inside);
    AtomicReference<List<LeakRecord>> leaks = new AtomicReference<>();
    Future<?> sweep = Wait.start(() -> leaks.set(device.sweepAndPoison()));
    Wait.until(this::somebodyWaits);
    assertFalse(pd.control().isLive());
    go.countDown();
    Wait.end(maker);
    Wait.end(sweep);
    assertEquals(List.of("PD 0"), leaks.get().stream().map(LeakRecord::object).toList());
    assertTrue(thrown.get() instanceof IbDisassociatedException);
    assertEquals(0, rig.objects().live());
    assertEquals(0, rig.fake().live());
  }

  @Test
  @DisplayName("CC-19: a driver that never makes the object holds the sweep up for the grace only")
  void cc19StuckCreationDoesNotHangTheSweep() {
    BoundDevice hasty = rig.bind("hasty", TimeUnit.MILLISECONDS.toNanos(20));
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    rig.fake()
        .faults()
        .at(
            "allocPd",
            () -> {
              inside.countDown();
              Wait.on(go);
            });
    Future<?> maker =
        Wait.start(() -> assertThrows(IbDisassociatedException.class, hasty::allocPd));
    Wait.on(inside);
    List<LeakRecord> leaks = hasty.sweepAndPoison();
    assertEquals(List.of("PD 0"), leaks.stream().map(LeakRecord::object).toList());
    assertEquals(List.of(), rig.clauses(), "no thread waits for an object that is given up");
    go.countDown();
    Wait.end(maker);
    assertEquals(0, rig.objects().live());
    assertEquals(0, rig.fake().live());
  }

  /** An object whose close is held up in the driver, on a thread of its own. */
  private final class HeldUp {
    final CountDownLatch go = new CountDownLatch(1);
    final Future<?> closer;

    HeldUp(IbObject object, String op) {
      CountDownLatch inside = new CountDownLatch(1);
      rig.fake()
          .faults()
          .at(
              op,
              () -> {
                inside.countDown();
                Wait.on(go);
              });
      closer = Wait.start(object::close);
      Wait.on(inside);
    }

    void end() {
      go.countDown();
      Wait.end(closer);
      assertEquals(0, rig.objects().live());
    }
  }

  private boolean somebodyWaits() {
    WaitGraph graph = rig.objects().waits();
    graph.leaf().lock();
    try {
      return !graph.waits().isEmpty();
    } finally {
      graph.leaf().unlock();
    }
  }

  @Test
  @DisplayName("I4: what its owner is closing on another thread is waited for, and is no leak")
  void closedByItsOwnerMeanwhile() {
    HeldUp pd = new HeldUp(device.allocPd(), "destroyPD");
    AtomicReference<List<LeakRecord>> leaks = new AtomicReference<>();
    Future<?> sweep = Wait.start(() -> leaks.set(device.sweepAndPoison()));
    Wait.until(this::somebodyWaits);
    assertNull(leaks.get());
    pd.end();
    Wait.end(sweep);
    assertEquals(List.of(), leaks.get());
    assertEquals(List.of(), rig.clauses());
  }

  @Test
  @DisplayName("S32: a close that does not end is a leak after the grace, and its thread is named")
  void closeThatDoesNotEnd() {
    BoundDevice hasty = rig.bind("hasty", TimeUnit.MILLISECONDS.toNanos(20));
    HeldUp pd = new HeldUp(hasty.allocPd(), "destroyPD");
    List<LeakRecord> leaks = hasty.sweepAndPoison();
    assertEquals(List.of("PD 0"), leaks.stream().map(LeakRecord::object).toList());
    Violation v = rig.contract().violations().getFirst();
    assertEquals("S32", v.clause());
    assertEquals("hasty", v.culprit());
    assertEquals("PD 0 of fake0 does not end", v.text());
    assertTrue(v.otherStack().stream().anyMatch(f -> f.contains("Destruction.destroy")));
    pd.end();
  }

  @Test
  @DisplayName("S5: a sweep does not wait for an address handle that is being destroyed")
  void addressHandlesAreNotWaitedFor() {
    ProtectionDomain pd = device.allocPd();
    HeldUp ah = new HeldUp(pd.createAh(Objects7.ADDRESS), "destroyAH");
    List<LeakRecord> leaks = device.sweepAndPoison();
    assertEquals(List.of("PD 0", "AH 0"), leaks.stream().map(LeakRecord::object).toList());
    assertEquals(List.of(), rig.clauses());
    ah.end();
  }

  @Test
  @DisplayName(
      "CC-20: the cleanup closes the account, whether or not another call closed it before")
  void sweepPoisons() {
    ProtectionDomain pd = device.allocPd();
    pd.close();
    device.owner().sweep();
    assertThrows(IbDisassociatedException.class, device::allocPd);
    assertThrows(IbDisassociatedException.class, () -> device.queryPort(1));
  }

  @Test
  @DisplayName("B15: a sweep by the thread that is just making an object does not wait for itself")
  void sweepInsideCreation() {
    BoundDevice patient = rig.bind("patient", TimeUnit.HOURS.toNanos(1));
    rig.fake().faults().at("allocPd", patient::sweepAndPoison);
    Future<?> maker =
        Wait.start(() -> assertThrows(IbDisassociatedException.class, patient::allocPd));
    Wait.end(maker);
    assertEquals(0, rig.objects().live());
    assertEquals(0, rig.fake().live());
  }
}
