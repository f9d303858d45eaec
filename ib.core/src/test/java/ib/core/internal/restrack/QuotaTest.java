package ib.core.internal.restrack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.internal.CoreConfig;
import ib.core.internal.device.BoundDevice;
import ib.core.spi.StandaloneCore;
import ib.core.testing.CoreRig;
import ib.core.testing.FakeDevice;
import ib.core.testing.Objects7;
import ib.core.testing.SilentHandler;
import ib.core.verbs.Access;
import ib.core.verbs.AddressHandle;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.IbNoMemoryException;
import ib.core.verbs.IbObject;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.MwType;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.SharedReceiveQueue;
import ib.core.verbs.SrqAttr;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A14: what a client may have on a device")
class QuotaTest {
  private final CoreRig rig = new CoreRig();
  private final BoundDevice device = rig.bind("greedy");
  private final ProtectionDomain pd = device.allocPd();
  private final CompletionQueue cq = device.createCq(new CqInit(4));
  private final Account account = device.owner().account;

  @AfterEach
  void nothingLeft() {
    rig.fake().faults().clear();
    cq.close();
    pd.close();
    for (Quota q : Quota.values()) {
      assertEquals(0, account.used(q), q.key());
    }
    assertEquals(List.of(), device.sweepAndPoison());
    rig.close();
  }

  private void allow(Quota quota, int most) {
    rig.quotas = new Quotas(Map.of(quota, most));
  }

  private static void refused(Quota quota, Runnable call) {
    var e = assertThrows(IbNoMemoryException.class, call::run);
    assertTrue(e.getMessage().contains("client greedy on fake0"), e.getMessage());
    assertTrue(e.hint().contains(quota.key()), e.hint());
  }

  /**
   * A client may have three objects; closing one allows another; the driver gets no fourth call.
   */
  private void three(Quota quota, Supplier<? extends IbObject> maker) {
    allow(quota, 3);
    List<IbObject> made = new ArrayList<>();
    while (account.used(quota) < 3) {
      made.add(maker.get());
    }
    int drivers = rig.fake().live();
    refused(quota, () -> made.add(maker.get()));
    assertEquals(drivers, rig.fake().live());
    made.removeLast().close();
    made.add(maker.get());
    refused(quota, () -> made.add(maker.get()));
    made.forEach(IbObject::close);
  }

  @Test
  @DisplayName("A14: three of each kind when three are allowed; another client has its own three")
  void a14Kinds() {
    three(Quota.PD, device::allocPd);
    three(Quota.CQ, () -> device.createCq(new CqInit(1)));
    three(Quota.QP, () -> pd.createQp(new QpInit(QpType.RC, cq, Objects7.CAP)));
    three(Quota.SRQ, () -> Objects7.srq(pd));
    three(Quota.MR, () -> pd.allocMemory(8, 8, 0));
    three(Quota.MW, () -> pd.allocWindow(MwType.TYPE_1));
    three(Quota.AH, () -> pd.createAh(Objects7.ADDRESS));
    allow(Quota.PD, 1);
    refused(Quota.PD, device::allocPd);
    BoundDevice other = rig.bind("modest");
    other.allocPd().close();
    assertEquals(List.of(), other.sweepAndPoison());
  }

  @Test
  @DisplayName("A14: entries of completion queues are counted together, a resize by what it adds")
  void a14Entries() {
    allow(Quota.CQ_ENTRIES, 100);
    CompletionQueue big = device.createCq(new CqInit(90));
    refused(Quota.CQ_ENTRIES, () -> device.createCq(new CqInit(7)));
    refused(Quota.CQ_ENTRIES, () -> big.resize(97));
    assertEquals(0, rig.fake().faults().hits("doResize"));
    big.resize(96);
    refused(Quota.CQ_ENTRIES, () -> device.createCq(new CqInit(1)));
    rig.fake().faults().fail("doResize");
    assertThrows(IbNoMemoryException.class, () -> big.resize(10));
    assertEquals(100, account.used(Quota.CQ_ENTRIES), "a resize that failed changed nothing");
    rig.fake().faults().clear();
    big.resize(10);
    device.createCq(new CqInit(86)).close();
    allow(Quota.CQ_ENTRIES, 5); // earlier objects stay
    big.resize(9);
    refused(Quota.CQ_ENTRIES, () -> big.resize(10));
    big.close();
  }

  @Test
  @DisplayName("A14: places for requests are counted over queue pairs and shared receive queues")
  void a14Requests() {
    allow(Quota.WORK_REQUESTS, 100);
    QpCap cap = new QpCap(40, 20, 1, 1, 0);
    var qp = pd.createQp(new QpInit(QpType.RC, cq, cap));
    refused(Quota.WORK_REQUESTS, () -> pd.createQp(new QpInit(QpType.RC, cq, cap)));
    SharedReceiveQueue srq = Objects7.srq(pd);
    refused(Quota.WORK_REQUESTS, () -> srq.modify(new SrqAttr(41, 1, 0)));
    srq.modify(new SrqAttr(40, 1, 0));
    srq.modify(new SrqAttr(0, 1, 8));
    assertEquals(100, account.used(Quota.WORK_REQUESTS));
    qp.modify(new QpAttr().state(QpState.INIT).port(1).pkeyIndex(0).accessFlags(0));
    srq.close();
    assertEquals(60, account.used(Quota.WORK_REQUESTS));
    qp.close();
  }

  @Test
  @DisplayName("A14: memory over the limit is refused before a byte of it is touched")
  void a14Memory() {
    allow(Quota.ALLOCATED, 1);
    refused(Quota.ALLOCATED, () -> pd.allocMemory(2L << 30, 4096, Access.LOCAL_WRITE));
    refused(Quota.ALLOCATED, () -> pd.allocMemory(Long.MAX_VALUE, 1, Access.LOCAL_WRITE));
    assertEquals(0, rig.fake().faults().hits("registerMemory"));
    MemoryRegion mr = pd.allocMemory((1 << 20) - 8, 8, 0);
    refused(Quota.ALLOCATED, () -> pd.allocMemory(9, 8, 0));
    pd.allocMemory(8, 8, 0).close();
    mr.close();
    rig.fake().faults().fail("registerMemory");
    assertThrows(IbNoMemoryException.class, () -> pd.allocMemory(1 << 20, 8, 0));
    rig.fake().faults().clear();
    pd.allocMemory(1 << 20, 8, 0).close();
  }

  @Test
  @DisplayName("A14: registered memory of the client's own has a limit of its own")
  void a14Registered() {
    allow(Quota.REGISTERED, 1);
    try (Arena arena = Arena.ofShared()) {
      var half = arena.allocate(1 << 19);
      var more = arena.allocate((1 << 19) + 1);
      MemoryRegion a = pd.registerMemory(half, 0);
      refused(Quota.REGISTERED, () -> pd.registerMemory(more, 0));
      MemoryRegion b = pd.registerMemory(half, 0);
      refused(Quota.REGISTERED, () -> b.reregister(more, 0));
      a.close();
      b.reregister(more, 0);
      refused(Quota.REGISTERED, () -> pd.registerMemory(half, 0));
      b.reregister(null, Access.LOCAL_WRITE);
      assertEquals((1 << 19) + 1, account.used(Quota.REGISTERED));
      b.close();
    }
  }

  @Test
  @DisplayName("A14: event handlers are counted, and given back when they are unregistered")
  void a14Handlers() {
    allow(Quota.HANDLERS, 1);
    SilentHandler handler = SilentHandler.register(device);
    refused(Quota.HANDLERS, () -> SilentHandler.register(device));
    assertEquals(1, rig.handlers().size());
    device.unregisterEventHandler(handler);
    device.unregisterEventHandler(handler);
    device.unregisterEventHandler(SilentHandler.register(device));
  }

  @Test
  @DisplayName("A14: eight threads at the limit: never more, and the last place is had")
  void a14Threads() {
    allow(Quota.AH, 10);
    AtomicInteger refusals = new AtomicInteger();
    List<Future<?>> threads = new ArrayList<>();
    for (int t = 0; t < 8; t++) {
      threads.add(
          ib.core.testing.Wait.start(
              () -> {
                for (int i = 0; i < 2_000; i++) {
                  try (AddressHandle ah = pd.createAh(Objects7.ADDRESS);
                      AddressHandle second = pd.createAh(Objects7.ADDRESS)) {
                    assertTrue(account.used(Quota.AH) <= 10, () -> ah + " and " + second);
                  } catch (IbNoMemoryException e) {
                    refusals.incrementAndGet();
                  }
                }
              }));
    }
    threads.forEach(ib.core.testing.Wait::end);
    assertEquals(0, account.used(Quota.AH));
    three(Quota.AH, () -> pd.createAh(Objects7.ADDRESS));
  }

  @Test
  @DisplayName("A14: an object that was swept gives back what it held")
  void a14Sweep() {
    BoundDevice leaky = rig.bind("leaky");
    Objects7.of(leaky);
    assertEquals(7, leaky.sweepAndPoison().size());
    for (Quota q : Quota.values()) {
      assertEquals(0, leaky.owner().account.used(q), q.key());
    }
  }

  @Test
  @DisplayName("A14: every limit is a key, and a standalone core takes the same keys")
  void a14Keys() {
    for (Quota q : Quota.values()) {
      assertEquals(7, CoreConfig.read(Map.of(q.key(), "7")).quotas().most().get(q), q.key());
      assertEquals(q.standard(), CoreConfig.read(Map.of()).quotas().most().get(q), q.key());
      assertThrows(IbInvalidException.class, () -> CoreConfig.read(Map.of(q.key(), "many")));
    }
    try (StandaloneCore core = StandaloneCore.create(Map.of("client_pd_max", 1))) {
      core.drivers().register(new FakeDevice("quota0"));
      try (var lease = core.core().lease("quota0", "greedy");
          ProtectionDomain one = lease.device().allocPd()) {
        assertThrows(IbNoMemoryException.class, () -> one.device().allocPd());
      }
    }
  }

  @Test
  @DisplayName("A14: a registration that fails gives its place back, one that is done keeps it")
  void a14RegistrationFails() {
    allow(Quota.HANDLERS, 1);
    IllegalStateException planted = new IllegalStateException("planted");
    var thrown =
        assertThrows(
            IllegalStateException.class,
            () ->
                device
                    .owner()
                    .lending(
                        () -> {
                          throw planted;
                        }));
    assertSame(planted, thrown);
    assertEquals(0, account.used(Quota.HANDLERS));
    Object thing = new Object();
    assertSame(thing, device.owner().lending(() -> thing));
    assertEquals(1, account.used(Quota.HANDLERS));
    device.owner().lent(thing, "a thing");
    device.owner().returned(new Object());
    assertEquals(1, account.used(Quota.HANDLERS));
    device.owner().returned(thing);
  }

  @Test
  @DisplayName("A14: a refusal names what was asked for, what is there and the limit, in its units")
  void a14RefusalIsExact() {
    allow(Quota.ALLOCATED, 2);
    MemoryRegion mr = pd.allocMemory(1 << 20, 8, 0);
    var e = assertThrows(IbNoMemoryException.class, () -> pd.allocMemory((1 << 20) + 8, 8, 0));
    String text = "2 more MiB of allocated memory than the 1 that it has are over its limit of 2 (";
    assertTrue(e.getMessage().contains(text), e.getMessage());
    mr.close();
    allow(Quota.PD, 1);
    e = assertThrows(IbNoMemoryException.class, device::allocPd);
    text = "1 more protection domains than the 1 that it has are over its limit of 1 (";
    assertTrue(e.getMessage().contains(text), e.getMessage());
  }
}
