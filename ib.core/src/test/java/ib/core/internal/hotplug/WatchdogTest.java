package ib.core.internal.hotplug;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.ClientStatus.State;
import ib.core.client.DeviceLease;
import ib.core.client.RemovalReport;
import ib.core.verbs.IbNoDeviceException;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Callbacks that do not return. */
class WatchdogTest {

  @Test
  @DisplayName(
      "CC-19, F20: remove never returns: reported at 10 s, given up at 60 s, the fence ends")
  void stuckRemove() throws Exception {
    Stage.play(
        s -> {
          Sync.Signal never = s.signal();
          Stage.Client b = s.client("b");
          b.onAdd =
              h -> {
                h.make("QP 5");
                return null;
              };
          b.onRemove =
              h -> {
                never.await();
                return null;
              };
          FakeHooks d = s.device("d");
          s.register(s.client("a"));
          s.register(b);
          DeviceEntry e = s.announced(d);
          Sync.Signal up = s.signal();
          s.task(
              "driver",
              () -> {
                s.hotplug.bringUp(e);
                up.fire();
                s.hotplug.unregister(e, Form.THROW);
              });
          s.task(
              "second",
              () -> {
                up.await();
                s.hotplug.unregister(e, Form.THROW);
              });
          Sync.Signal idle = s.signal();
          s.scheduler.whenIdle(idle::fire); // only the thread that hangs is left
          s.task(
              "witness",
              () -> {
                idle.await();
                s.log.add("gone");
                assertEquals(DeviceEntry.State.GONE, e.state);
                assertEquals(State.BROKEN, s.status("b", "d").state());
                assertEquals(1, s.log.stream().filter(l -> l.endsWith(" ends")).count());
                never.fire();
              });
          s.run();
          judgeStuckRemove(s, d);
        });
  }

  private static void judgeStuckRemove(Stage s, FakeHooks d) {
    assertTrue(s.at("stuck b") < s.at("revoked b"));
    assertTrue(s.at("revoked b") < s.at("remove a d"));
    assertTrue(s.at("end of remove a d") < s.at("gone"));
    assertTrue(s.at("gone") < s.at("end of remove b d"));
    assertEquals("QP 5", s.stuck.getFirst().held().getFirst());
    assertTrue(s.stuck.getFirst().stack().stream().anyMatch(l -> l.contains("WatchdogTest")));
    assertEquals(s.stuck.getFirst().thread(), s.stuck.getLast().thread());
    assertTrue(s.stuck.getFirst().ns() >= Stage.REPORT_NS);
    assertTrue(s.stuck.getLast().ns() >= Stage.DEADLINE_NS);
    assertTrue(d.gone && d.handles.stream().allMatch(h -> h.poisoned && h.sweeps == 1));
    RemovalReport report = s.hotplug.lastRemoval("d").orElseThrow();
    assertTrue(report.steps().getFirst().error().contains("did not return"));
    assertEquals(s.stuck.getLast().ns(), report.steps().getFirst().removeNs());
    assertTrue(s.notes.getLast().contains("has returned after its deadline"));
    assertTrue(s.hotplug.clients().stream().allMatch(c -> c.bindings().isEmpty()));
  }

  @Test
  @DisplayName(
      "CC-19, F19: an add that does not return is reported; without a removal it is waited for")
  void stuckAdd() throws Exception {
    Stage.play(
        s -> {
          Sync.Signal release = s.signal();
          Stage.Client a = s.client("a");
          a.onAdd =
              h -> {
                if (h.device.info.name().equals("d")) {
                  release.await();
                }
                return null;
              };
          s.register(a);
          s.register(s.client("b"));
          s.task("driver", () -> s.up("d"));
          s.task("other", () -> s.up("e")); // other devices are unaffected
          s.scheduler.whenIdle(release::fire);
          s.run();
          assertEquals(1, s.stuck.size());
          assertFalse(s.stuck.getFirst().revoked());
          assertTrue(s.at("end of add b e") < s.at("end of add a d"));
          assertTrue(s.at("end of add a d") < s.at("add b d"));
          assertEquals(State.LIVE, s.status("a", "d").state());
        });
  }

  @Test
  @DisplayName("CC-19: an add that does not return is given up when its device has to go")
  void stuckAddAndUnregister() throws Exception {
    Stage.play(
        s -> {
          Sync.Signal never = s.signal();
          Sync.Signal adding = s.signal();
          Stage.Client a = s.client("a");
          a.onAdd =
              h -> {
                adding.fire();
                never.await();
                return "late";
              };
          FakeHooks d = s.device("d");
          DeviceEntry e = s.announced(d);
          s.register(a);
          s.task("registrar", () -> s.hotplug.bringUp(e));
          s.task(
              "driver",
              () -> {
                adding.await();
                s.hotplug.unregister(e, Form.THROW);
                s.log.add("gone");
                never.fire();
              });
          s.run();
          assertTrue(s.at("revoked a") < s.at("gone"));
          assertTrue(s.at("gone") < s.at("end of add a d"));
          assertTrue(s.at("gone") < s.at("registrar ends"));
          assertFalse(s.log.contains("remove a d"));
        });
  }

  @Test
  @DisplayName("CC-19, I4: a client that leaves while its own remove hangs is let go of")
  void clientLeavesStuck() throws Exception {
    Stage.play(
        s -> {
          Sync.Signal never = s.signal();
          Stage.Client a = s.client("a");
          a.onRemove =
              h -> {
                never.await();
                return null;
              };
          s.register(a);
          s.register(s.client("b"));
          Sync.Signal up = s.signal();
          s.task(
              "leaver",
              () -> {
                s.up("d");
                up.fire();
                s.hotplug.unregisterClient(a.entry, Form.THROW);
              });
          s.task(
              "other",
              () -> {
                up.await();
                s.register(s.client("c")); // may wait behind the stuck remove, not for ever
              });
          s.scheduler.whenIdle(never::fire);
          s.run();
          assertEquals(2, s.hotplug.clients().size());
          assertEquals(State.LIVE, s.status("b", "d").state());
          assertEquals(State.LIVE, s.status("c", "d").state());
        });
  }

  @Test
  @DisplayName("CC-19, CC-21: a lease that is never closed is revoked at the deadline and swept")
  void forgottenLease() throws Exception {
    Stage.play(
        s -> {
          FakeHooks d = s.device("d");
          Sync.Signal leased = s.signal();
          Sync.Signal gone = s.signal();
          DeviceEntry e = s.announced(d);
          s.task(
              "user",
              () -> {
                s.hotplug.bringUp(e);
                DeviceLease lease = s.hotplug.lease("d", "forgetful");
                ((FakeHooks.Handle) lease.device()).make("PD 1");
                leased.fire();
                gone.await();
                lease.close(); // too late, harmless
              });
          s.task(
              "driver",
              () -> {
                leased.await();
                s.hotplug.unregister(e, Form.THROW);
                gone.fire();
              });
          s.run();
          assertTrue(d.gone);
          assertEquals("PD 1", s.leaks.getFirst().object());
          assertTrue(s.stuck.getLast().revoked());
          assertTrue(s.stuck.getFirst().held().getFirst().contains("forgetful"));
          assertEquals(1, d.handles.getFirst().sweeps);
        });
  }

  @Test
  @DisplayName(
      "CC-19, CC-16: a teardown or a drain that does not return does not hold up the fence")
  void stuckDrain() throws Exception {
    Stage.play(
        s -> {
          FakeHooks d = s.device("d");
          Sync.Signal never = s.signal();
          Sync.Signal neither = s.signal();
          d.inDrain = never::await;
          Stage.Client a = s.client("a");
          a.onAdd =
              h -> {
                h.inSweep = neither::await;
                return null;
              };
          s.register(a);
          DeviceEntry e = s.announced(d);
          Sync.Signal up = s.signal();
          s.task(
              "driver",
              () -> {
                s.hotplug.bringUp(e);
                up.fire();
                s.hotplug.unregister(e, Form.THROW);
              });
          s.task(
              "second",
              () -> {
                up.await();
                s.hotplug.unregister(e, Form.THROW);
              });
          s.scheduler.whenIdle(
              () -> {
                s.log.add("gone " + d.gone);
                never.fire();
                neither.fire();
              });
          s.run();
          assertTrue(s.at("gone true") > 0);
          assertEquals(2, s.stuck.stream().filter(x -> x.revoked()).count());
        });
  }

  @Test
  @DisplayName("CC-19: a probe that does not return is given up when the device has to go")
  void stuckProbe() throws Exception {
    Stage.play(
        s -> {
          FakeHooks d = s.device("d");
          Sync.Signal never = s.signal();
          Sync.Signal probing = s.signal();
          d.inProbe =
              () -> {
                probing.fire();
                never.await();
              };
          DeviceEntry e = s.announced(d);
          s.register(s.client("a"));
          s.task(
              "registrar",
              () -> {
                try {
                  s.hotplug.bringUp(e);
                } catch (IbNoDeviceException x) {
                  s.log.add("refused");
                }
              });
          s.task(
              "driver",
              () -> {
                probing.await();
                s.hotplug.unregister(e, Form.THROW);
                never.fire();
              });
          s.run();
          assertTrue(s.at("refused") >= 0);
          assertFalse(s.log.contains("add a d"));
          assertEquals(DeviceEntry.State.GONE, e.state);
        });
  }

  @Test
  @DisplayName(
      "CC-19, I4: a cleanup that hangs counts as done: its client leaves, and the next comes")
  void stuckSweep() throws Exception {
    Stage.play(
        s -> {
          Sync.Signal never = s.signal();
          Sync.Signal idle = s.signal();
          Stage.Client a = s.client("a");
          a.onAdd =
              h -> {
                h.inSweep = never::await;
                return null;
              };
          DeviceEntry e = s.announced(s.device("d"));
          s.scheduler.whenIdle(idle::fire);
          s.task(
              "leaver",
              () -> {
                s.register(a);
                s.hotplug.bringUp(e);
                s.hotplug.unregisterClient(a.entry, Form.THROW);
              });
          s.task(
              "witness",
              () -> {
                idle.await();
                assertTrue(s.hotplug.clients().isEmpty());
                assertTrue(e.bindings.isEmpty());
                s.register(s.client("a"));
                assertEquals(State.LIVE, s.status("a", "d").state());
                never.fire();
              });
          s.run();
          assertEquals(
              List.of("teardown of what is left", "teardown of what is left"),
              s.stuck.stream().map(x -> x.activity()).toList());
        });
  }
}
