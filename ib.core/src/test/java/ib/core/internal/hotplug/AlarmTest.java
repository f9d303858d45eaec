package ib.core.internal.hotplug;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.DeviceLease;
import ib.core.client.IbClient;
import ib.core.client.LeakRecord;
import ib.core.client.Violation;
import ib.core.testing.Wait;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbTimedOutException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * For when the watchdog is asked, what it answers, and when it ends, on a clock set by the test.
 */
@DisplayName("CC-19: the times of the watchdog")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AlarmTest implements Observer, Sync {
  private static final long REPORT = TimeUnit.SECONDS.toNanos(10);
  private static final long DEADLINE = TimeUnit.SECONDS.toNanos(60);

  private volatile long clock = 1_000;
  private final SystemSync real = new SystemSync(() -> clock);
  private final List<Long> dues = new CopyOnWriteArrayList<>();
  private final AtomicInteger stops = new AtomicInteger();
  private final List<Stuck> stuck = new CopyOnWriteArrayList<>();
  private final List<Violation> violations = new CopyOnWriteArrayList<>();
  private LongUnaryOperator scan;
  private final Limits limits = new Limits(REPORT, DEADLINE);
  private final Hotplug hotplug = new Hotplug(this, () -> clock, limits, new Rules(), this);
  private final FakeHooks d = new FakeHooks(this, "d", 7);
  private final DeviceEntry e = hotplug.announce(d, d.info, "driver", null);

  private void awaitWaits(int n) {
    Book book = hotplug.book;
    Wait.until(() -> book.compute(() -> book.graph.waits().size()) == n);
  }

  /** A client that hangs in add; the device comes up on a thread of its own at time 1,000. */
  private final class Hanging implements IbClient {
    final CountDownLatch in = new CountDownLatch(1);
    final CountDownLatch free = new CountDownLatch(1);
    final Future<?> driver;

    Hanging() {
      hotplug.attach(hotplug.announce(this, name(), List.of(), null));
      driver = Wait.start(() -> hotplug.bringUp(e));
      Wait.on(in);
      dues.clear();
      clock = 3_000;
    }

    @Override
    public String name() {
      return "slow";
    }

    @Override
    public Object add(IbDevice device) {
      in.countDown();
      Wait.on(free);
      return null;
    }

    @Override
    public void remove(IbDevice device, Object data) {}
  }

  @Test
  @DisplayName("CC-19: each call is looked at after the time of a report")
  void calls() {
    hotplug.bringUp(e);
    assertEquals(List.of(1_000 + REPORT), dues);
    dues.clear();
    clock = 3_000;
    d.inDrain = () -> clock = 5_000;
    hotplug.unregister(e, Form.THROW);
    assertEquals(List.of(3_000 + REPORT, 5_000 + REPORT), dues, "drain, disconnect");
    assertEquals(2_000, hotplug.lastRemoval("d").orElseThrow().totalNs());
    assertEquals(0, stops.get(), "the registry goes on without devices");
  }

  @Test
  @DisplayName("CC-19: new limits apply at once, and equal ones change nothing")
  void newLimits() {
    hotplug.limits(new Limits(REPORT, DEADLINE));
    assertEquals(List.of(), dues);
    Limits other = new Limits(5, 6);
    hotplug.limits(other);
    assertEquals(List.of(1_000L), dues);
    assertEquals(other, hotplug.book.limits);
  }

  @Test
  @DisplayName("CC-19: a fence has a report of the call and its own deadline, to the nanosecond")
  void fence() {
    Hanging slow = new Hanging();
    Future<?> fence = Wait.start(() -> hotplug.unregister(e, Form.THROW));
    awaitWaits(1);
    assertEquals(List.of(3_000 + DEADLINE), dues);
    assertEquals(1_000 + REPORT, scan.applyAsLong(1_000 + REPORT - 1));
    assertEquals(List.of(), stuck);
    assertEquals(3_000 + DEADLINE, scan.applyAsLong(1_000 + REPORT));
    assertEquals(3_000 + DEADLINE, scan.applyAsLong(3_000 + DEADLINE - 1));
    assertEquals(1, stuck.size());
    assertEquals(Alarm.NEVER, scan.applyAsLong(3_000 + DEADLINE));
    Wait.end(fence);
    assertEquals(List.of(REPORT, 2_000 + DEADLINE), stuck.stream().map(Stuck::ns).toList());
    assertEquals(List.of(false, true), stuck.stream().map(Stuck::revoked).toList());
    assertEquals(List.of("IbClient.add", "IbClient.add"), activities());
    assertEquals(
        "IbClient.add of slow did not return in 60000 ms",
        hotplug.clients().getFirst().bindings().getFirst().lastError());
    slow.free.countDown();
    Wait.end(slow.driver);
  }

  @Test
  @DisplayName("S29, CC-19: a fence that is only queued has its deadline, too")
  void queuedFence() {
    Hanging slow = new Hanging();
    hotplug.unregisterQueued(e);
    assertEquals(List.of(3_000 + DEADLINE), dues);
    assertEquals(3_000 + DEADLINE, scan.applyAsLong(1_000 + REPORT));
    assertEquals(Alarm.NEVER, scan.applyAsLong(3_000 + DEADLINE));
    Book book = hotplug.book;
    Wait.until(() -> book.compute(() -> e.state == DeviceEntry.State.GONE));
    slow.free.countDown();
    Wait.end(slow.driver);
  }

  private List<String> activities() {
    return stuck.stream().map(Stuck::activity).toList();
  }

  @Test
  @DisplayName("CC-15, CC-19: a rename is let go at its deadline, to the nanosecond, and says so")
  void limited() {
    Hanging slow = new Hanging();
    long since = TimeUnit.SECONDS.toNanos(2);
    clock = since;
    Future<?> rename =
        Wait.start(
            () -> {
              IbTimedOutException late =
                  assertThrows(IbTimedOutException.class, () -> hotplug.rename(e, "n", Form.THROW));
              assertTrue(late.getMessage().contains("not done after 60 s"), late.getMessage());
            });
    awaitWaits(1);
    assertEquals(List.of(since + DEADLINE, since + DEADLINE), dues, "the call's and the wait's");
    assertEquals(since + DEADLINE, scan.applyAsLong(since + DEADLINE - 1));
    assertEquals(List.of(), violations);
    assertEquals(Alarm.NEVER, scan.applyAsLong(since + DEADLINE));
    Wait.end(rename);
    assertEquals(List.of("CC-19"), violations.stream().map(Violation::clause).toList());
    assertEquals(List.of(false), stuck.stream().map(Stuck::revoked).toList());
    awaitWaits(0);
    slow.free.countDown();
    Wait.end(slow.driver);
    assertEquals("n", e.name());
  }

  @Test
  @DisplayName("CC-21, CC-19: leases are reported by their takers' names, then given up")
  void leases() {
    hotplug.bringUp(e);
    String[] taker = new String[1];
    Wait.end(
        Wait.start(
            () -> {
              taker[0] = Thread.currentThread().getName();
              hotplug.lease("d", "forgetful");
            }));
    d.inDrain = dues::clear;
    clock = 3_000;
    Future<?> fence = Wait.start(() -> hotplug.unregister(e, Form.THROW));
    awaitWaits(1);
    Wait.until(() -> !dues.isEmpty());
    assertEquals(List.of(3_000 + REPORT), dues);
    assertEquals(3_000 + REPORT, scan.applyAsLong(3_000));
    assertEquals(3_000 + DEADLINE, scan.applyAsLong(3_000 + REPORT));
    assertEquals(Alarm.NEVER, scan.applyAsLong(3_000 + DEADLINE));
    Wait.end(fence);
    awaitWaits(0);
    assertEquals(List.of("leases", "leases"), activities());
    List<String> held = List.of("lease of forgetful taken by " + taker[0]);
    assertEquals(List.of(held, held), stuck.stream().map(Stuck::held).toList());
    assertEquals(1, d.handles.getFirst().sweeps);
  }

  @Test
  @DisplayName("CC-21: the watchdog of a closed registry ends with the last device, not before")
  void lastDevice() {
    hotplug.bringUp(e);
    DeviceLease lease = hotplug.lease("d", "the one that closes");
    hotplug.close();
    assertEquals(List.of("CC-7"), violations.stream().map(Violation::clause).toList());
    assertEquals(0, stops.get(), "the device waits for the lease");
    lease.close();
    Wait.until(() -> stops.get() > 0);
    assertEquals(DeviceEntry.State.GONE, e.state);
    assertEquals(1, stops.get());
  }

  @Test
  @DisplayName("close: the watchdog of a registry without devices ends")
  void noDevice() {
    hotplug.bringUp(e);
    hotplug.unregister(e, Form.THROW);
    hotplug.close();
    assertEquals(1, stops.get());
  }

  // ---- Sync: real threads, no clockwork ----

  @Override
  public void step() {
    real.step();
  }

  @Override
  public Signal signal() {
    return real.signal();
  }

  @Override
  public Thread thread(String name, Runnable body) {
    return real.thread(name, body);
  }

  @Override
  public void start(Thread thread) {
    real.start(thread);
  }

  @Override
  public Alarm alarm(LongUnaryOperator look) {
    scan = look;
    return new Alarm() {
      @Override
      public void due(long ns) {
        dues.add(ns);
      }

      @Override
      public void stop() {
        stops.incrementAndGet();
      }
    };
  }

  // ---- Observer ----

  @Override
  public void violation(Violation violation) {
    violations.add(violation);
  }

  @Override
  public void leak(LeakRecord leak) {
    throw new AssertionError(leak.toString());
  }

  @Override
  public void failed(String where, Throwable error) {
    throw new AssertionError(where, error);
  }

  @Override
  public void stuck(Stuck s) {
    stuck.add(s);
  }

  @Override
  public void note(String text) {
    assertTrue(text.contains("after its deadline"), text);
  }
}
