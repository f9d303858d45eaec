package ib.core.internal.hotplug;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.DeviceLease;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.IbNoDeviceException;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Leases, drivers that stop, resets, and the end of everything. */
class TeardownTest {

  @Test
  @DisplayName("CC-21, B11: a removal waits until all leases are closed; no new lease meanwhile")
  void lease() throws Exception {
    Stage.play(
        s -> {
          Sync.Signal leased = s.signal();
          Sync.Signal removed = s.signal();
          Stage.Client a = s.client("a");
          a.onRemove =
              h -> {
                removed.fire();
                return null;
              };
          s.register(a);
          FakeHooks d = s.device("d");
          s.task(
              "driver",
              () -> {
                DeviceEntry e = s.up(d);
                leased.fire();
                removed.await(); // by the other task's unregister
                s.hotplug.unregister(e, Form.THROW);
              });
          s.task(
              "user",
              () -> {
                leased.await();
                DeviceEntry e = s.hotplug.find("d").orElseThrow();
                try (DeviceLease lease = s.hotplug.lease("d", "test")) {
                  s.hotplug.unregisterQueued(e);
                  s.scheduler.step();
                  assertThrows(IbNoDeviceException.class, () -> s.hotplug.lease("d", "late"));
                  assertFalse(d.gone);
                  ((FakeHooks.Handle) lease.device()).make("PD 3");
                  s.log.add("closing");
                }
              });
          s.run();
          assertTrue(s.at("closing") < s.at("driver ends"));
          assertEquals("PD 3", s.leaks.getFirst().object());
          assertTrue(d.gone);
          assertThrows(IbNoDeviceException.class, () -> s.hotplug.lease("d", "late"));
        });
  }

  @Test
  @DisplayName("CC-21: of two leases a removal waits for both, and no longer")
  void twoLeases() throws Exception {
    Stage.play(
        s -> {
          FakeHooks d = s.device("d");
          Sync.Signal[] leased = {s.signal(), s.signal()};
          Sync.Signal[] waits = {s.signal(), s.signal()};
          Sync.Signal oneIsClosed = s.signal();
          DeviceEntry e = s.announced(d);
          d.inDrain =
              () -> {
                waits[0].fire();
                waits[1].fire();
              };
          s.task(
              "one",
              () -> {
                s.hotplug.bringUp(e);
                DeviceLease lease = s.hotplug.lease("d", "one");
                leased[0].fire();
                waits[0].await();
                lease.close();
                oneIsClosed.fire();
              });
          s.task(
              "two",
              () -> {
                leased[0].await();
                DeviceLease lease = s.hotplug.lease("d", "two");
                leased[1].fire();
                waits[1].await();
                oneIsClosed.await();
                for (int i = 0; i < 30; i++) {
                  s.scheduler.step();
                }
                assertFalse(d.gone);
                lease.close();
              });
          s.task(
              "driver",
              () -> {
                leased[1].await();
                s.hotplug.unregister(e, Form.THROW);
              });
          s.run();
          assertTrue(d.gone);
          assertTrue(s.stuck.isEmpty());
          assertTrue(s.hotplug.book.graph.waits().isEmpty());
        });
  }

  @Test
  @DisplayName("CC-22, B16: a driver that stops loses its devices in reverse, and only its own")
  void removeAll() throws Exception {
    Stage.play(
        s -> {
          s.task(
              "main",
              () -> {
                s.register(s.client("a"));
                for (String n : List.of("d1", "d2", "d3")) {
                  FakeHooks d = s.device(n);
                  Object driver = n.equals("d2") ? "other" : "mine";
                  s.hotplug.bringUp(s.hotplug.announce(d, d.info, driver, null));
                }
                s.hotplug.removeAll("mine", Form.THROW);
              });
          s.run();
          assertTrue(s.at("end of remove a d3") < s.at("remove a d1"));
          assertFalse(s.log.contains("remove a d2"));
        });
  }

  @Test
  @DisplayName(
      "CC-23: reset removes all, acts, and adds all again; children go down and up with it")
  void reset() throws Exception {
    Stage.play(
        s -> {
          FakeHooks d = s.device("d");
          s.task(
              "main",
              () -> {
                s.register(s.client("a"));
                DeviceEntry e = s.up(d);
                FakeHooks part = s.device("part");
                s.hotplug.bringUp(s.hotplug.announce(part, part.info, "driver", e));
                s.log.clear();
                s.hotplug.reset(e, () -> s.log.add("action"));
              });
          s.run();
          List<String> want =
              List.of(
                  "remove a part",
                  "end of remove a part",
                  "remove a d",
                  "end of remove a d",
                  "action",
                  "add a d",
                  "end of add a d",
                  "add a part",
                  "end of add a part",
                  "main ends");
          assertEquals(want, s.log);
          assertEquals(List.of("probe", "open", "close", "close", "drain", "open"), d.log);
        });
  }

  @Test
  @DisplayName("close: all devices go in reverse, nothing new is accepted, nothing is left")
  void close() throws Exception {
    Stage.play(
        s -> {
          s.task(
              "main",
              () -> {
                s.register(s.client("a"));
                s.up("d1");
                s.up("d2");
                s.hotplug.close();
                assertThrows(IbNoDeviceException.class, () -> s.up("d3"));
                assertThrows(IbNoDeviceException.class, () -> s.register(s.client("b")));
                s.hotplug.close();
              });
          s.run();
          assertTrue(s.at("end of remove a d2") < s.at("remove a d1"));
        });
  }

  @Test
  @DisplayName("S29: the queued form for clients returns at once and removes them all the same")
  void clientQueued() throws Exception {
    Stage.play(
        s -> {
          Stage.Client a = s.client("a");
          a.onAdd =
              h -> {
                s.hotplug.unregisterClientQueued(a.entry); // also where waiting is impossible
                return null;
              };
          s.task(
              "main",
              () -> {
                s.register(a);
                s.register(s.client("b"));
                s.up("d");
              });
          s.run();
          assertTrue(s.at("end of add a d") < s.at("remove a d"));
          assertEquals(List.of("b"), s.hotplug.clients().stream().map(c -> c.name()).toList());
          assertTrue(s.violations.isEmpty());
        });
  }

  @Test
  @DisplayName("a client without a name is refused")
  void noName() {
    Stage s = new Stage(1);
    assertThrows(IbInvalidException.class, () -> s.register(s.client(" ")));
    assertTrue(s.hotplug.clients().isEmpty());
  }
}
