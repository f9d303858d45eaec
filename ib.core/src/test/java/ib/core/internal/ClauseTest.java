package ib.core.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.ClientStatus;
import ib.core.client.IbClient;
import ib.core.client.IbCore;
import ib.core.internal.callback.Contract;
import ib.core.internal.device.BoundDevice;
import ib.core.spi.DeviceRegistration;
import ib.core.spi.StandaloneCore;
import ib.core.testing.CoreRig;
import ib.core.testing.FakeCq;
import ib.core.testing.FakeDevice;
import ib.core.testing.Objects7;
import ib.core.testing.SilentHandler;
import ib.core.testing.Wait;
import ib.core.verbs.Access;
import ib.core.verbs.Cap;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.IbContractException;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbObject;
import ib.core.verbs.Limit;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.MwType;
import ib.core.verbs.NotifyFlags;
import ib.core.verbs.ObjectControl.Kind;
import ib.core.verbs.PollContext;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpType;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Clauses that no other test is about. */
class ClauseTest {
  // ---- S10 ----

  @Test
  @DisplayName("S10: fast registration maps in any context; what may sleep is refused there")
  void s10MapsInAnyContext() {
    try (CoreRig rig = new CoreRig();
        Arena arena = Arena.ofShared()) {
      BoundDevice device = rig.bind("ulp");
      assertTrue(device.has(Cap.MEM_MGT_EXTENSIONS), "a ULP can ask");
      assertEquals(0, device.attrs().limit(Limit.MAX_FMR), "the old kind is not there");
      assertTrue(
          Arrays.stream(ProtectionDomain.class.getMethods())
              .noneMatch(m -> m.getName().toLowerCase(Locale.ROOT).contains("fmr")),
          "nor a method that makes one, see MemoryRegion.map");
      ProtectionDomain pd = device.allocPd();
      MemoryRegion mr = pd.allocFastRegistration(2);
      MemorySegment memory = arena.allocate(4096);
      Contract.enterAtomic();
      try {
        mr.map(memory, memory);
        assertThrows(IbContractException.class, () -> pd.allocFastRegistration(2));
        assertThrows(IbContractException.class, mr::close);
      } finally {
        Contract.exitAtomic();
      }
      assertEquals(1, rig.fake().faults().hits("doMap"));
      assertSame(memory, mr.segment());
      mr.close();
      pd.close();
      assertEquals(List.of(), device.sweepAndPoison());
    }
  }

  // ---- S25 ----

  private static WorkCompletion completion(ib.core.verbs.Cqe cqe) {
    return new WorkCompletion().status(WcStatus.SUCCESS).cqe(cqe);
  }

  @Test
  @DisplayName("S25: callbacks run on several kinds of thread, none of which keeps what one leaves")
  void s25AnyThread() {
    try (CoreRig rig = new CoreRig()) {
      BoundDevice device = rig.bind("ulp");
      Map<PollContext, Thread> threads = new HashMap<>();
      Map<PollContext, FakeCq> queues = new HashMap<>();
      for (PollContext context : PollContext.values()) {
        FakeCq cq = (FakeCq) device.allocCq(16, 0, context);
        queues.put(context, cq);
        CountDownLatch first = new CountDownLatch(1);
        cq.complete(
            completion(
                (q, wc) -> {
                  threads.put(context, Thread.currentThread());
                  Thread.currentThread().interrupt(); // left behind by a careless client
                  first.countDown();
                }));
        if (context == PollContext.DIRECT) {
          assertEquals(1, cq.processDirect(1));
        }
        Wait.on(interruptedNoMore(first));
      }
      assertSame(Thread.currentThread(), threads.get(PollContext.DIRECT), "the caller's");
      Set<Thread> different = new HashSet<>(threads.values());
      assertTrue(different.size() >= 3, "the caller, a vector, a pool: " + threads);
      AtomicBoolean interrupted = new AtomicBoolean();
      CountDownLatch second = new CountDownLatch(2);
      for (PollContext context : List.of(PollContext.EVENT_LOOP, PollContext.WORKQUEUE)) {
        queues
            .get(context)
            .complete(
                completion(
                    (q, wc) -> {
                      if (Thread.currentThread().isInterrupted()) {
                        interrupted.set(true);
                      }
                      second.countDown();
                    }));
      }
      Wait.on(second);
      assertFalse(interrupted.get(), "another callback's interrupt");
      queues.values().forEach(CompletionQueue::close);
      assertEquals(List.of(), device.sweepAndPoison());
    }
  }

  /** The caller of a direct queue is interrupted by its own callback: that is its own affair. */
  private static CountDownLatch interruptedNoMore(CountDownLatch latch) {
    if (Thread.interrupted()) {
      assertEquals(0, latch.getCount());
    }
    return latch;
  }

  // ---- B14 ----

  @Test
  @DisplayName("B14: a callback that is only queued when its client is swept is never called")
  void b14PendingWork() {
    try (CoreRig rig = new CoreRig()) {
      BoundDevice busy = rig.bind("busy");
      BoundDevice gone = rig.bind("gone");
      CountDownLatch inside = new CountDownLatch(1);
      CountDownLatch go = new CountDownLatch(1);
      AtomicInteger late = new AtomicInteger();
      CompletionQueue blocker =
          busy.createCq(
              new CqInit(
                  4,
                  (q, c) -> {
                    inside.countDown();
                    Wait.on(go);
                  },
                  null));
      ((FakeCq) blocker).wake();
      Wait.on(inside); // the vector is held up
      CompletionQueue pending =
          gone.createCq(new CqInit(4, (q, c) -> late.incrementAndGet(), null));
      pending.requestNotify(NotifyFlags.NEXT_COMP);
      ((FakeCq) pending).complete(1);
      FakeCq managed = (FakeCq) gone.allocCq(4, 0, PollContext.EVENT_LOOP);
      managed.complete(completion((q, wc) -> late.incrementAndGet()));
      Wait.end(Wait.start(() -> assertEquals(2, gone.sweepAndPoison().size())));
      go.countDown();
      CountDownLatch behind = new CountDownLatch(1); // same vector: whatever was queued has run
      CompletionQueue last = busy.createCq(new CqInit(4, (q, c) -> behind.countDown(), null));
      ((FakeCq) last).wake();
      Wait.on(behind);
      assertEquals(0, late.get());
      blocker.close();
      last.close();
      assertEquals(List.of(), busy.sweepAndPoison());
    }
  }

  // ---- B18 ----

  /** Makes one thing more at each step; fails after some of them, with or without cleaning up. */
  private static final class Failing implements IbClient {
    private final int failAt;
    private final boolean cleans;
    private int step;

    Failing(int failAt, boolean cleans) {
      this.failAt = failAt;
      this.cleans = cleans;
    }

    @Override
    public String name() {
      return "failing";
    }

    private <T> T next(T made) {
      if (++step == failAt) {
        throw new IllegalStateException("planted at step " + step);
      }
      return made;
    }

    @Override
    public @Nullable Object add(IbDevice device) {
      List<IbObject> made = new ArrayList<>();
      SilentHandler handler = SilentHandler.register(device);
      boolean ok = false;
      try {
        steps(device, made);
        ok = true;
        return null;
      } finally {
        if (!ok && cleans) { // with the entry points that every client uses, inside of add
          device.unregisterEventHandler(handler);
          made.reversed().forEach(IbObject::close);
        }
      }
    }

    private void steps(IbDevice device, List<IbObject> made) {
      ProtectionDomain pd = device.allocPd();
      made.add(pd);
      next(pd);
      CompletionQueue cq = device.allocCq(16, 0, PollContext.WORKQUEUE);
      made.add(cq);
      next(cq);
      made.add(Objects7.srq(pd));
      next(pd);
      made.add(pd.createQp(new QpInit(QpType.RC, cq, Objects7.CAP)));
      next(pd);
      made.add(pd.allocMemory(64, 8, Access.LOCAL_WRITE));
      next(pd);
      made.add(pd.allocWindow(MwType.TYPE_2));
      next(pd);
      made.add(pd.createAh(Objects7.ADDRESS));
      next(pd);
      throw new IllegalStateException("planted at the end");
    }

    @Override
    public void remove(IbDevice device, @Nullable Object clientData) {
      throw new AssertionError("CC-5: was never added");
    }
  }

  @Test
  @DisplayName(
      "B18: an add that throws after any of its steps leaves no object and blocks no client")
  void b18EveryStep() {
    for (boolean cleans : new boolean[] {true, false}) {
      for (int failAt = 1; failAt <= 8; failAt++) {
        Failing client = new Failing(failAt, cleans);
        FakeDevice fake = new FakeDevice("steps0");
        try (StandaloneCore core = StandaloneCore.create()) {
          DeviceRegistration registration = core.drivers().register(fake);
          int before = fake.live();
          Wait.end(Wait.start(() -> core.core().registerClient(client)));
          assertEquals(before, fake.live(), "step " + failAt + ", cleans " + cleans);
          assertEquals(ClientStatus.State.REJECTED, state(core.core()));
          Wait.end(Wait.start(registration::unregister));
          assertEquals(0, fake.live());
          assertEquals(0, fake.doubleDestroys());
        }
      }
    }
  }

  private static ClientStatus.State state(IbCore core) {
    return core.clients().stream()
        .filter(c -> c.name().equals("failing"))
        .flatMap(c -> c.bindings().stream())
        .findFirst()
        .orElseThrow()
        .state();
  }

  // ---- B19 ----

  @Test
  @DisplayName("B19: a storm of renames: every reader sees the device once, by one of its names")
  void b19RenameStorm() {
    FakeDevice fake = new FakeDevice("r0");
    try (StandaloneCore core = StandaloneCore.create()) {
      core.drivers().register(fake);
      IbCore c = core.core();
      AtomicBoolean over = new AtomicBoolean();
      try (var lease = c.lease("r0", "holder");
          ProtectionDomain pd = lease.device().allocPd()) {
        Future<?> looker =
            Wait.start(
                () -> {
                  while (!over.get()) {
                    look(c, pd);
                  }
                });
        for (int i = 0; i < 500; i++) {
          c.rename("r" + i, "r" + (i + 1));
        }
        over.set(true);
        Wait.end(looker);
        assertEquals("r500", pd.device().name());
        assertEquals("r500", c.devices().getFirst().name());
      }
    }
  }

  private static void look(IbCore core, ProtectionDomain pd) {
    assertEquals(1, core.devices().size());
    String name = core.devices().getFirst().name();
    assertTrue(name.matches("r[0-9]+"), name);
    assertTrue(pd.device().name().matches("r[0-9]+"));
    assertTrue(pd.toString().contains(" of r"), pd.toString());
    long domains =
        core.resources().stream()
            .filter(r -> r.kind() == Kind.PD && r.device().matches("r[0-9]+"))
            .filter(r -> r.owner().equals("holder"))
            .count();
    assertEquals(1, domains);
    core.device(name).ifPresent(d -> assertTrue(d.name().matches("r[0-9]+")));
  }
}
