package ib.kit;

import ib.core.client.IbClient;
import ib.core.client.Violation;
import ib.core.verbs.Cap;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.IbContractException;
import ib.core.verbs.IbDeadlockException;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbNoDeviceException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assertions;

/**
 * Two threads, each inside a callback, each waiting for the end of the other's: every pair of
 * callbacks in both orders (B15). One of the two waits is refused at once, and the table says
 * which: what stays queued before what can throw, that before a close, which is deferred; of two
 * equals the one that comes last.
 */
final class DeadlockCases {
  /**
   * Looks of a millisecond or more each: a second, on a machine that gives the watcher its turn.
   */
  private static final int LOOKS = 1_000;

  private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(1);

  /** Numbers kept for one row of the first table, and of the others. */
  private static final int ROW = 20;

  private static final int ROW_LATE = 40;

  /** The number after all of the first table. */
  private static final int LATE = 201;

  /** The clauses of the violations that a deferred close and a refused close are recorded as. */
  private static final List<String> DEFERRED = List.of("S26", "CC-17");

  private static final Runnable NOTHING = () -> {};

  private DeadlockCases() {}

  static void add(Catalogue c) {
    int first = 1;
    for (CallbackPlace row : CallbackPlace.FIRST) {
      crossings(c, first, row, CallbackPlace.FIRST);
      first += ROW;
    }
    unplugs(c, first, CallbackPlace.FIRST);
    List<CallbackPlace> all = List.of(CallbackPlace.values());
    List<CallbackPlace> late = all.subList(CallbackPlace.FIRST.size(), all.size());
    first = LATE;
    for (CallbackPlace row : all) {
      crossings(c, first, row, CallbackPlace.FIRST.contains(row) ? late : all);
      first += ROW_LATE;
    }
    unplugs(c, first, late);
    others(c, first + ROW, all);
  }

  private static Catalogue.Section section(Catalogue c, int first, String group) {
    return c.section("DEAD", first, "deadlocks: " + group, Cap.RC, Cap.GSI);
  }

  private static void crossings(
      Catalogue c, int first, CallbackPlace row, List<CallbackPlace> others) {
    Catalogue.Section s = section(c, first, "inside " + row.text);
    for (CallbackPlace other : others) {
      Cap[] needs = row.needs().length == 0 ? other.needs() : row.needs();
      for (boolean rowFirst : new boolean[] {true, false}) {
        s.add(
            "%s and %s wait for each other's end, %s first (B15)"
                .formatted(row.text, other.text, rowFirst ? "the former" : "the latter"),
            t -> cross(t, row, other, rowFirst),
            needs);
      }
    }
  }

  private static void unplugs(Catalogue c, int first, List<CallbackPlace> places) {
    Catalogue.Section s = section(c, first, "unplug");
    for (CallbackPlace place : places) {
      if (place.fence != CallbackPlace.Yield.QUEUED) {
        s.add(
            place.text + " unplugs the device whose client ends it in remove: neither hangs (A2)",
            t -> unplugs(t, place),
            place.needs());
      }
    }
  }

  private static void others(Catalogue c, int first, List<CallbackPlace> places) {
    Catalogue.Section plug = section(c, first, "plug");
    Catalogue.Section lease = section(c, first + ROW, "lease");
    Catalogue.Section gone = section(c, first + 2 * ROW, "lease");
    for (CallbackPlace p : places) {
      plug.add(
          p.text + " plugs the device in whose client ends it in add: neither hangs (B15)",
          t -> plugs(t, p),
          p.needs());
      lease.add(
          p.text + " takes a lease while its end is waited for: it does not wait (CC-21)",
          t -> leases(t, p),
          p.needs());
      gone.add(
          p.text + " takes a lease of a device that goes and waits for it: refused (CC-21)",
          t -> leasesLate(t, p),
          p.needs());
    }
  }

  /** A client of the second device only, which ends another client's callback in its own. */
  private static final class Ender implements IbClient {
    private final String device;
    private final Runnable inAdd;
    private final Runnable inRemove;
    final AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();
    final AtomicReference<@Nullable Thread> inside = new AtomicReference<>();
    final CountDownLatch ended = new CountDownLatch(1);

    Ender(Trial t, Runnable inAdd, Runnable inRemove) {
      this.device = t.name(1);
      this.inAdd = inAdd;
      this.inRemove = inRemove;
    }

    @Override
    public String name() {
      return Trial.OWNER + " ends it";
    }

    @Override
    public boolean supports(DeviceInfo info) {
      return info.name().equals(device);
    }

    @Override
    public @Nullable Object add(IbDevice handle) {
      call(inAdd);
      return null;
    }

    @Override
    public void remove(IbDevice handle, @Nullable Object data) {
      call(inRemove);
    }

    private void call(Runnable end) {
      if (end.equals(NOTHING) || !inside.compareAndSet(null, Thread.currentThread())) {
        return;
      }
      try {
        end.run();
      } catch (RuntimeException e) {
        thrown.set(e);
      } finally {
        ended.countDown();
      }
    }
  }

  private static void unplugs(Trial t, CallbackPlace place) {
    List.of("S26", "CC-17", "CC-7", "CC-8", "S29").forEach(t::tolerate);
    Stand stand = Stand.in(place, t, 0);
    Ender ender = new Ender(t, NOTHING, stand::fence);
    t.client(ender);
    stand.begin();
    stand.act(() -> t.bench.unplug(t.name(1)));
    soon("unplug returns", stand::returned);
    soon("remove returns", () -> ender.ended.getCount() == 0);
    Assertions.assertInstanceOf(IbDeadlockException.class, stand.thrown());
    Assertions.assertNull(ender.thrown.get(), "the removal goes on");
    t.bench.plug(t.name(1));
  }

  private static void plugs(Trial t, CallbackPlace place) {
    List.of("CC-9", "S29").forEach(t::tolerate);
    Stand stand = Stand.in(place, t, 0);
    t.bench.unplug(t.name(1));
    Ender ender = new Ender(t, stand::fence, NOTHING);
    t.client(ender);
    stand.begin();
    stand.act(() -> t.bench.plug(t.name(1)));
    soon("plug returns", stand::returned);
    soon("add returns", () -> ender.ended.getCount() == 0);
    Throwable inAdd = ender.thrown.get();
    if (place.fence == CallbackPlace.Yield.QUEUED
        && inAdd != null) { // two equals: the one that came last
      Assertions.assertInstanceOf(IbDeadlockException.class, inAdd);
      Assertions.assertNull(stand.thrown());
    } else {
      Assertions.assertInstanceOf(IbDeadlockException.class, stand.thrown());
      Assertions.assertNull(inAdd, "the add goes on");
    }
    t.bench.plug(t.name(1));
  }

  private static void leases(Trial t, CallbackPlace place) {
    t.tolerate("S26");
    Stand stand = Stand.in(place, t, 0);
    stand.begin();
    FutureTask<?> end = new FutureTask<>(stand::fence, null);
    Thread waiter = Thread.ofPlatform().name("ib.kit waits").daemon().start(end);
    soon("a thread waits for the callback's end", () -> Stand.waits(waiter));
    stand.act(() -> t.bench.core().lease(t.name(0), Trial.OWNER + " inside").close());
    soon("lease and its close return", stand::returned);
    judge("lease", stand.thrown(), refused(place), null);
    soon("the wait ends", end::isDone);
    Assertions.assertDoesNotThrow(() -> end.get());
  }

  private static void leasesLate(Trial t, CallbackPlace place) {
    t.tolerate("S26");
    Stand stand = Stand.in(place, t, 0);
    Ender ender = new Ender(t, NOTHING, stand::fence);
    t.client(ender);
    stand.begin();
    FutureTask<?> end = new FutureTask<>(() -> t.bench.unplug(t.name(1)), null);
    Thread.ofPlatform().name("ib.kit unplugs").daemon().start(end);
    soon("remove waits for the callback's end", () -> Stand.waits(ender.inside.get()));
    stand.act(() -> t.bench.core().lease(t.name(1), Trial.OWNER + " inside").close());
    soon("lease returns", stand::returned);
    Class<? extends Throwable> expected =
        refused(place) ? IbContractException.class : IbNoDeviceException.class;
    Assertions.assertInstanceOf(expected, stand.thrown());
    soon("unplug ends", end::isDone);
    Assertions.assertDoesNotThrow(() -> end.get());
    Assertions.assertNull(ender.thrown.get(), "the removal goes on");
    t.bench.plug(t.name(1));
  }

  private static void cross(Trial t, CallbackPlace row, CallbackPlace other, boolean rowFirst) {
    List.of("S26", "CC-17", "CC-9", "S29").forEach(t::tolerate);
    if (row == CallbackPlace.LEASE || other == CallbackPlace.LEASE) {
      t.tolerate("I4"); // no thread can complete the deferred close of a lease later
    }
    List<Violation> before = t.bench.core().violations();
    Stand a = Stand.in(row, t, 0);
    Stand b = Stand.in(other, t, 1);
    b.begin(); // first: a client asks for the devices in their order
    a.begin();
    Stand one = rowFirst ? a : b;
    Stand two = rowFirst ? b : a;
    one.act(two::fence);
    soon("the first waits, or is refused", () -> one.waits() || one.returned());
    two.act(one::fence);
    soon("the second call returns", two::returned);
    soon("the first call returns", one::returned);
    CallbackPlace p1 = rowFirst ? row : other;
    CallbackPlace p2 = rowFirst ? other : row;
    boolean firstRefused = refused(p1) && p2 != CallbackPlace.LEASE; // its close is never refused
    boolean secondRefused = refused(p2) && p1 != CallbackPlace.LEASE;
    boolean cycle = !firstRefused && !secondRefused;
    boolean firstYields = cycle && p2.fence.compareTo(p1.fence) < 0;
    judge("the first", one.thrown(), firstRefused, firstYields ? p2.fence : null);
    judge("the second", two.thrown(), secondRefused, cycle && !firstYields ? p1.fence : null);
    CallbackPlace.Yield given = cycle ? firstYields ? p2.fence : p1.fence : null;
    Set<String> told = new HashSet<>();
    t.bench.core().violations().stream()
        .filter(v -> !before.contains(v))
        .forEach(v -> told.add(v.clause()));
    if (given == CallbackPlace.Yield.DEFERS) {
      Assertions.assertTrue(DEFERRED.stream().anyMatch(told::contains), told::toString);
    }
  }

  /** In an atomic section a call that waits is refused before it does, while that is checked. */
  private static boolean refused(CallbackPlace place) {
    return place.atomic && Boolean.getBoolean("ib.check");
  }

  private static void judge(
      String who,
      @Nullable Throwable thrown,
      boolean refused,
      CallbackPlace.@Nullable Yield yields) {
    if (refused) {
      Assertions.assertInstanceOf(IbContractException.class, thrown, who);
    } else if (yields == CallbackPlace.Yield.QUEUED || yields == CallbackPlace.Yield.THROWS) {
      Assertions.assertInstanceOf(IbDeadlockException.class, thrown, who);
    } else {
      Assertions.assertNull(thrown, who);
    }
  }

  /** Waits for what must not take long: counted in looks, so that a busy machine is not blamed. */
  private static void soon(String what, BooleanSupplier condition) {
    for (int i = 0; !condition.getAsBoolean(); i++) {
      Assertions.assertTrue(i < LOOKS, () -> "not after " + LOOKS + " looks: " + what);
      LockSupport.parkNanos(LOOK_NS);
    }
  }
}
