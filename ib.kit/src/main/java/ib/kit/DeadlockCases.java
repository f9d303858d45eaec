package ib.kit;

import ib.core.client.IbClient;
import ib.core.client.Violation;
import ib.core.verbs.Cap;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.IbContractException;
import ib.core.verbs.IbDeadlockException;
import ib.core.verbs.IbDevice;
import ib.kit.Stand.Place;
import ib.kit.Stand.Yield;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assertions;

/**
 * Two threads, each inside a callback, each waiting for the end of the other's: every pair of
 * callbacks in both orders (contract 2.6-4, B15). One of the two waits is given up at once, and the
 * table says which: what stays queued before what can throw, that before a close, which is
 * deferred; of two equals the one that comes last.
 */
final class DeadlockCases {
  /**
   * Looks of a millisecond or more each: a second, on a machine that gives the watcher its turn.
   */
  private static final int LOOKS = 1_000;

  private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(1);

  /** What a deferred close is told as, and what the refused ones leave in the list. */
  private static final List<String> DEFERRED = List.of("S26", "CC-17");

  private DeadlockCases() {}

  static void add(Catalogue c) {
    int first = 1;
    for (Place row : Place.values()) {
      Catalogue.Section s =
          c.section("DEAD", first, "deadlocks: inside " + row.text, Cap.RC, Cap.GSI);
      for (Place other : Place.values()) {
        for (boolean rowFirst : new boolean[] {true, false}) {
          s.add(
              "%s and %s wait for each other's end, %s first (2.6-4)"
                  .formatted(row.text, other.text, rowFirst ? "the former" : "the latter"),
              t -> cross(t, row, other, rowFirst));
        }
      }
      first += 20;
    }
    Catalogue.Section s = c.section("DEAD", first, "deadlocks: unplug", Cap.RC, Cap.GSI);
    for (Place place : Place.values()) {
      if (place.fence != Yield.QUEUED) {
        s.add(
            place.text + " unplugs the device whose client ends it in remove: told at once (A2)",
            t -> unplugs(t, place));
      }
    }
  }

  private static void unplugs(Trial t, Place place) {
    List.of("S26", "CC-17", "CC-7", "CC-8", "S29").forEach(t::tolerate);
    Stand stand = Stand.in(place, t, 0);
    stand.begin();
    AtomicReference<@Nullable Throwable> inRemove = new AtomicReference<>();
    CountDownLatch removed = new CountDownLatch(1);
    t.client(
        new IbClient() {
          @Override
          public String name() {
            return Trial.OWNER + " ends it";
          }

          @Override
          public boolean supports(DeviceInfo info) {
            return info.name().equals(t.name(1));
          }

          @Override
          public @Nullable Object add(IbDevice device) {
            return null;
          }

          @Override
          public void remove(IbDevice device, @Nullable Object data) {
            try {
              stand.fence();
            } catch (RuntimeException e) {
              inRemove.set(e);
            } finally {
              removed.countDown();
            }
          }
        });
    stand.act(() -> t.bench().unplug(t.name(1)));
    soon("unplug returns", stand::returned);
    soon("remove returns", () -> removed.getCount() == 0);
    Assertions.assertInstanceOf(IbDeadlockException.class, stand.thrown());
    Assertions.assertNull(inRemove.get(), "the removal goes on");
    t.bench().plug(t.name(1));
  }

  private static void cross(Trial t, Place row, Place other, boolean rowFirst) {
    List.of("S26", "CC-17", "CC-9", "S29").forEach(t::tolerate);
    List<Violation> before = t.bench().core().violations();
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
    Place p1 = rowFirst ? row : other;
    Place p2 = rowFirst ? other : row;
    boolean firstRefused = refused(p1);
    boolean secondRefused = refused(p2);
    boolean cycle = !firstRefused && !secondRefused;
    boolean firstYields = cycle && p2.fence.compareTo(p1.fence) < 0;
    judge("the first", one.thrown(), firstRefused, firstYields ? p2.fence : null);
    judge("the second", two.thrown(), secondRefused, cycle && !firstYields ? p1.fence : null);
    Yield given = cycle ? firstYields ? p2.fence : p1.fence : null;
    Set<String> told = new HashSet<>();
    t.bench().core().violations().stream()
        .filter(v -> !before.contains(v))
        .forEach(v -> told.add(v.clause()));
    if (given == Yield.DEFERS) {
      Assertions.assertTrue(DEFERRED.stream().anyMatch(told::contains), told::toString);
    }
  }

  /** In an atomic section a call that waits is refused before it does, while that is checked. */
  private static boolean refused(Place place) {
    return place.atomic && Boolean.getBoolean("ib.check");
  }

  private static void judge(
      String who, @Nullable Throwable thrown, boolean refused, @Nullable Yield yields) {
    if (refused) {
      Assertions.assertInstanceOf(IbContractException.class, thrown, who);
    } else if (yields == Yield.QUEUED || yields == Yield.THROWS) {
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
