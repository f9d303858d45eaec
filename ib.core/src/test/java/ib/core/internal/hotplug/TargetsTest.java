package ib.core.internal.hotplug;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.ClientStatus.State;
import ib.core.client.DeviceLease;
import ib.core.client.IbClient;
import ib.core.client.LeakRecord;
import ib.core.internal.waits.WaitGraph;
import ib.core.serial.Waits;
import ib.core.verbs.IbDevice;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Parts of the registry of devices alone, on one thread. */
@DisplayName("B15: what the waits of devices are for, and what is kept of devices and clients")
class TargetsTest {
  private static final long SECOND = 1_000_000_000L;

  private final Stage stage = new Stage(1); // keeps what it hears
  private final SystemSync sync = new SystemSync(System::nanoTime);
  private final Limits limits = new Limits(10 * SECOND, 60 * SECOND);
  private final Hotplug hotplug = new Hotplug(sync, System::nanoTime, limits, new Rules(), stage);

  @AfterEach
  void stop() {
    hotplug.book.alarm.stop();
  }

  private DeviceEntry up(FakeHooks hooks, DeviceEntry parent) {
    DeviceEntry e = hotplug.announce(hooks, hooks.info, "driver", parent);
    hotplug.bringUp(e);
    return e;
  }

  private DeviceEntry up(String name, DeviceEntry parent) {
    return up(new FakeHooks(sync, name, name.hashCode()), parent);
  }

  private static Op op(Op.Kind kind, DeviceEntry device) {
    return new Op(kind, device, 0, Waits.Rank.THROWS, t -> {});
  }

  private static List<Thread> holders(Waits.Target target) {
    List<Thread> holders = new ArrayList<>();
    target.holders(holders::add);
    return holders;
  }

  @Test
  @DisplayName(
      "CC-21: a wait for leases names the device, its holders, and ends with the last lease")
  void leases() {
    DeviceEntry d = up("d", null);
    OpenLeases open = new OpenLeases(d);
    assertEquals("the leases of d", open.text());
    assertTrue(open.over());
    DeviceLease lease = hotplug.lease("d", "holder");
    assertFalse(open.over());
    assertEquals(List.of(Thread.currentThread()), holders(open));
    lease.close();
    assertTrue(open.over());
  }

  @Test
  @DisplayName("CC-12: a removal needs the leases of the device and of all devices below it")
  void needs() {
    DeviceEntry top = up("top", null);
    DeviceEntry middle = up("middle", top);
    DeviceEntry bottom = up("bottom", middle);
    Set<Thread> me = Set.of(Thread.currentThread());
    for (DeviceEntry leased : List.of(top, middle, bottom)) {
      assertEquals(Set.of(), Needs.of(op(Op.Kind.SHUTDOWN, top)));
      DeviceLease lease = hotplug.lease(leased.name(), "holder");
      assertEquals(me, Needs.of(op(Op.Kind.SHUTDOWN, top)), leased.name());
      assertEquals(Set.of(), Needs.of(op(Op.Kind.RENAME, top)), "a rename waits for no lease");
      lease.close();
    }
  }

  @Test
  @DisplayName("B15: what an operation will need has its name, and is not over")
  void needsOfOperation() {
    DeviceEntry d = up("d", null);
    Needs needs = new Needs(op(Op.Kind.SHUTDOWN, d));
    assertFalse(needs.over());
    assertEquals("unregister d", needs.text());
    DeviceLease lease = hotplug.lease("d", "holder");
    assertEquals(List.of(Thread.currentThread()), holders(needs));
    lease.close();
  }

  @Test
  @DisplayName("B15: a wait for an operation has its name, and is over when it is done")
  void operation() {
    Op op = op(Op.Kind.RENAME, up("d", null));
    assertEquals("rename d", op.text());
    assertFalse(op.over());
    op.done = true;
    assertTrue(op.over());
  }

  /** A wait that the thread of the test would have to end. */
  private record Mine(Thread thread) implements Waits.Target {
    @Override
    public boolean over() {
      return false;
    }

    @Override
    public void holders(Consumer<? super Thread> to) {
      to.accept(thread);
    }

    @Override
    public String text() {
      return "mine";
    }
  }

  private boolean isRefused(Thread waiter, Waits.Rank rank) {
    Waits.Target mine = new Mine(Thread.currentThread());
    Book book = hotplug.book;
    return !book.compute(
            () -> book.graph.makeWay(new WaitGraph.Wait(waiter, mine, rank, cycle -> {})))
        .isEmpty();
  }

  private void assertAhead(Thread holder) {
    assertTrue(isRefused(holder, Waits.Rank.CLOSES));
    assertTrue(isRefused(holder, Waits.Rank.SERVICE_GOES));
    assertFalse(isRefused(holder, Waits.Rank.STAYS), "the removal gives way to it");
    assertFalse(isRefused(new Thread(() -> {}), Waits.Rank.CLOSES), "it has no lease");
  }

  @Test
  @DisplayName(
      "B15: a wait for a thread whose removal will need the waiter's lease is refused early")
  void ahead() throws InterruptedException {
    AtomicReference<DeviceLease> lease = new AtomicReference<>();
    Thread holder = new Thread(() -> lease.set(hotplug.lease("d", "holder")));
    List<String> removed = new ArrayList<>();
    DeviceEntry d = up("d", null);
    DeviceEntry inner = up("inner", null);
    IbClient client =
        new IbClient() {
          @Override
          public String name() {
            return "client";
          }

          @Override
          public Object add(IbDevice device) {
            return "data";
          }

          @Override
          public void remove(IbDevice device, Object data) {
            removed.add(device.name());
            try {
              assertAhead(holder);
              if (device.name().equals("d")) {
                hotplug.unregister(inner, Form.RECORD);
              }
            } finally {
              lease.get().close();
            }
            assertFalse(isRefused(holder, Waits.Rank.CLOSES));
          }
        };
    hotplug.attach(hotplug.announce(client, client.name(), List.of(), null));
    holder.start();
    holder.join();
    assertFalse(isRefused(holder, Waits.Rank.CLOSES), "no removal runs");
    hotplug.unregister(d, Form.RECORD);
    assertEquals(List.of("d", "inner"), removed);
    assertEquals(List.of(), stage.failures);
  }

  @Test
  @DisplayName("CC-19: a revoked client is engaged until what it had is swept")
  void engaged() {
    DeviceEntry d = up("d", null);
    ClientEntry client = new ClientEntry(stage.client("c"), "c", List.of(), 0, 1);
    assertEquals("c", client.name());
    assertEquals("c", client.toString());
    Binding b = new Binding(d, client);
    assertEquals("c on d", b.toString());
    Set<State> engaged = EnumSet.noneOf(State.class);
    for (State state : State.values()) {
      b.state = state;
      if (b.engaged()) {
        engaged.add(state);
      }
    }
    assertEquals(EnumSet.of(State.ADDING, State.LIVE, State.REMOVING), engaged);
    b.state = State.BROKEN;
    b.handle = d.hooks.bind("c", 1);
    assertTrue(b.engaged());
    b.swept = true;
    assertFalse(b.engaged());
  }

  @Test
  @DisplayName("I5: the book is a leaf: a section inside a section is refused, the next one runs")
  void leaf() {
    Book book = hotplug.book;
    assertThrows(
        IllegalStateException.class, () -> book.compute(() -> book.compute(() -> "inner")));
    assertEquals("next", book.compute(() -> "next"));
  }

  @Test
  @DisplayName("CC-19: the clock of a book begins at 0")
  void clock() {
    long before = System.nanoTime();
    Book book = Book.real(new WaitGraph(), () -> false, limits, stage);
    long now = book.now();
    assertTrue(now >= 0 && now <= System.nanoTime() - before, () -> now + " ns");
  }

  @Test
  @DisplayName("2.6-8c: an interrupt does not end a wait for a signal, and is there after it")
  void interrupted() {
    Sync.Signal signal = sync.signal();
    signal.fire();
    Thread.currentThread().interrupt();
    signal.await();
    assertTrue(Thread.interrupted());
    assertTrue(sync.thread("helper", () -> {}).isDaemon());
  }

  @Test
  @DisplayName("CC-19: limits are above 0, and the deadline is no earlier than the report")
  void limits() {
    assertThrows(IllegalArgumentException.class, () -> new Limits(0, 1));
    assertThrows(IllegalArgumentException.class, () -> new Limits(2, 1));
    assertDoesNotThrow(() -> new Limits(1, 1));
  }

  @Test
  @DisplayName("CC-20: objects that are left when the driver has disconnected are reported")
  void leftByDriver() {
    LeakRecord left = new LeakRecord("driver", "d", "PD 1", 1, "t", List.of(), List.of());
    FakeHooks d =
        new FakeHooks(sync, "d", 7) {
          @Override
          public List<LeakRecord> gone() {
            return List.of(left);
          }
        };
    hotplug.unregister(up(d, null), Form.THROW);
    assertEquals(List.of(left), stage.leaks);
    assertEquals(List.of(left), hotplug.lastRemoval("d").orElseThrow().leaks());
  }

  @Test
  @DisplayName("CC-20: the reports of the last 100 removals are kept")
  void reports() {
    for (int i = 0; i <= 100; i++) {
      hotplug.unregister(up("d" + i, null), Form.THROW);
      assertTrue(hotplug.lastRemoval("d0").isPresent() == i < 100, "after " + i + " more");
    }
    assertTrue(hotplug.lastRemoval("d1").isPresent());
  }
}
