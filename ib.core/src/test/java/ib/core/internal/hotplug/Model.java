package ib.core.internal.hotplug;

import ib.core.client.LeakRecord;
import ib.core.client.Violation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The invariants I1 to I8, checked from outside: the model sees calls and returns only, never the
 * state of hot-plug itself. It keeps the first violation with the history up to there.
 */
final class Model implements Observer {
  /** The calls of a client that were about one device. */
  static final class Pair {
    final TestClient client;
    final TestDevice device;
    String callback = "";
    boolean added;
    boolean revoked;
    FakeHooks.Handle handle;

    Pair(TestClient client, TestDevice device) {
      this.client = client;
      this.device = device;
    }
  }

  final Scheduler scheduler;
  final List<String> history = new ArrayList<>();
  final Map<String, Pair> pairs = new LinkedHashMap<>();
  final List<Violation> violations = new ArrayList<>();
  final Map<Thread, Integer> callbacks = new HashMap<>();
  final Map<Thread, Integer> leases = new HashMap<>();
  Hotplug hotplug;

  /** Whether a client of this run hangs: only then may the watchdog revoke or let go anything. */
  boolean hangs;

  /** Threads that waited until the deadline for adds, which follow. */
  final Set<Thread> letGo = new HashSet<>();

  String wrong = "";

  /** "a before b" facts: from returns of registrations, and from adds on devices. */
  private final Map<String, String> before = new HashMap<>();

  Model(Scheduler scheduler) {
    this.scheduler = scheduler;
  }

  void say(String text) {
    history.add(Thread.currentThread().getName() + ": " + text);
  }

  void check(boolean ok, String invariant, String text) {
    if (!ok && wrong.isEmpty()) {
      wrong = invariant + ": " + text + "\n  " + String.join("\n  ", history);
      scheduler.fail(new AssertionError(wrong));
    }
  }

  Pair pair(TestClient c, TestDevice d) {
    return pairs.computeIfAbsent(
        c.name() + "/" + d.info.name() + "#" + d.number, k -> new Pair(c, d));
  }

  // ---- order ----

  /** From now on a must not be seen before b anywhere. */
  void order(TestClient a, TestClient b, String why) {
    if (a.loose || b.loose || a == b) {
      return;
    }
    String reverse = before.get(b.name() + "<" + a.name());
    check(reverse == null, "I1", a.name() + " before " + b.name() + " " + why + ", but " + reverse);
    before.putIfAbsent(a.name() + "<" + b.name(), why);
  }

  // ---- callbacks ----

  void enter(Pair p, String callback) {
    say(callback + " " + p.client.name() + " on " + p.device.info.name());
    callbacks.merge(Thread.currentThread(), 1, Integer::sum);
    check(!hotplug.book.heldByMe(), "I5", "a lock is held in " + callback);
    check(
        p.callback.isEmpty(),
        "I2",
        callback + " while in " + p.callback + " of " + p.client.name());
    check(!p.device.gone && !p.device.left, "I3", callback + " on a device that is gone");
    check(!p.client.left, "I4", callback + " of a client that has left: " + p.client.name());
    p.callback = callback;
  }

  void leave(Pair p, String callback) {
    say("end of " + callback + " " + p.client.name() + " on " + p.device.info.name());
    callbacks.merge(Thread.currentThread(), -1, Integer::sum);
    p.callback = "";
  }

  void addBegins(Pair p, FakeHooks.Handle handle) {
    enter(p, "add");
    p.added &= !p.revoked; // a new binding after one that was given up
    p.revoked = false;
    check(!p.added, "I2", "second add of " + p.client.name());
    check(!handle.poisoned, "I6", "poisoned in add");
    check(p.device.open, "I7", "events are not open in add");
    p.handle = handle;
    for (TestClient earlier : p.device.seen) {
      order(earlier, p.client, "on " + p.device.info.name());
    }
    for (String name : p.client.after) {
      TestClient a = p.device.knownAtStart.get(name);
      boolean late = a != null && !a.leaving && !p.device.seen.contains(a) && !p.client.loose;
      check(!late, "S41", p.client.name() + " before " + name);
    }
    p.device.seen.add(p.client);
  }

  void addEnds(Pair p, boolean ok) {
    leave(p, "add");
    if (p.revoked) {
      return;
    }
    check(!p.handle.poisoned, "I6", "poisoned before add returned");
    p.added = ok;
    if (ok) {
      p.device.stack.add(p);
    }
  }

  void removeBegins(Pair p, FakeHooks.Handle handle) {
    enter(p, "remove");
    check(p.added, "I2", "remove without add of " + p.client.name());
    check(handle == p.handle && !handle.poisoned, "I6", "poisoned in remove of " + p.client.name());
    List<Pair> others =
        p.device.stack.stream().filter(o -> !o.client.leaving && !o.revoked).toList();
    boolean top = p.client.leaving || p.revoked || others.getLast() == p;
    check(top, "I1", "remove of " + p.client.name() + " out of order");
  }

  void removeEnds(Pair p) {
    if (!p.revoked) {
      boolean last = p.device.stack.size() == 1 && !p.client.leaving;
      check(!last || !p.device.open, "I7", "events are open when the last remove returns");
      check(!p.handle.poisoned, "I6", "poisoned before remove returned");
      p.added = false;
    }
    p.device.stack.remove(p);
    leave(p, "remove");
  }

  // ---- returns ----

  /** A device's unregister has returned without complaint (I3). */
  void deviceLeft(TestDevice d) {
    say(d.info.name() + " unregistered");
    check(d.gone, "I3", d.info.name() + " is not disconnected");
    check(!d.open, "I7", d.info.name() + " has events");
    for (Pair p : pairs.values()) {
      if (p.device == d && !p.revoked) {
        check(p.callback.isEmpty(), "I3", p.client.name() + " is in " + p.callback);
        check(!p.added, "I3", p.client.name() + " was not removed from " + d.info.name());
        check(p.handle == null || p.handle.poisoned, "I8", "handle of " + p.client.name());
      }
    }
    for (FakeHooks.Handle h : d.handles) {
      check(h.objects.isEmpty(), "I8", h.owner + " still has " + h.objects);
      check(h.sweeps == 1, "I8", h.owner + " was swept " + h.sweeps + " times");
    }
    for (TestDevice child : d.parts) {
      check(child.gone, "CC-12", "child " + child.info.name() + " outlives its parent");
    }
    d.left = true;
  }

  /** Checks that the device has considered all these clients when an operation returns. */
  void allSeen(TestDevice d, Iterable<TestClient> clients, String clause) {
    for (TestClient c : clients) {
      boolean excused = c.leaving || d.leaving || d.loose || c.loose || c.hangs;
      check(excused || d.seen.contains(c), clause, c.name() + " not added to " + d.info.name());
    }
  }

  /** A client's unregister has returned without complaint (I4). */
  void clientLeft(TestClient c) {
    say(c.name() + " unregistered");
    for (Pair p : pairs.values()) {
      if (p.client == c && !p.revoked) {
        check(p.callback.isEmpty(), "I4", c.name() + " is in " + p.callback);
        check(!p.added, "I4", c.name() + " was not removed from " + p.device.info.name());
      }
    }
    c.left = true;
  }

  // ---- Observer ----

  @Override
  public void violation(Violation violation) {
    violations.add(violation);
    if (violation.clause().equals("CC-19")) {
      check(hangs, "B15", "let go without reason: " + violation.text());
      letGo.add(Thread.currentThread());
    }
    say("violation " + violation.clause() + " " + violation.text());
  }

  @Override
  public void leak(LeakRecord leak) {
    say("leak " + leak.object() + " of " + leak.client());
  }

  @Override
  public void failed(String where, Throwable error) {
    boolean ours = String.valueOf(error.getMessage()).startsWith("planned");
    say("failed " + where + ": " + error);
    check(ours || error instanceof ib.core.verbs.IbException, "failure", where + ": " + error);
  }

  @Override
  public void stuck(Stuck stuck) {
    say(
        "stuck "
            + stuck.client()
            + " in "
            + stuck.activity()
            + (stuck.revoked() ? " revoked" : ""));
    if (stuck.revoked()) {
      check(hangs, "B15", "revoked without reason: " + stuck);
      pairs.values().stream()
          .filter(p -> p.client.name().equals(stuck.client()))
          .findFirst()
          .ifPresent(p -> p.client.givenUp());
    }
  }

  @Override
  public void note(String text) {
    say(text);
  }
}
