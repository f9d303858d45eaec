package ib.core.internal.hotplug;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.RemovalReport;
import ib.core.verbs.IbExistsException;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Devices and clients that go. */
class DepartureTest {

  @Test
  @DisplayName(
      "CC-1, I3: unregister waits for an add in flight and removes it; later adds do not begin")
  void addInFlight() throws Exception {
    Stage.play(
        s -> {
          Sync.Signal adding = s.signal();
          Stage.Client a = s.client("a");
          a.onAdd =
              h -> {
                adding.fire();
                s.scheduler.step();
                return null;
              };
          FakeHooks d = s.device("d");
          DeviceEntry e = s.announced(d);
          s.task("registrar", () -> s.hotplug.bringUp(e));
          s.task(
              "driver",
              () -> {
                adding.await();
                s.hotplug.unregister(e, Form.THROW);
              });
          s.task(
              "latecomer",
              () -> {
                adding.await();
                s.register(s.client("b"));
              });
          s.register(a);
          s.run();
          assertTrue(s.at("end of add a d") < s.at("remove a d"));
          assertTrue(s.at("end of remove a d") < s.at("driver ends"));
          assertEquals(s.log.contains("add b d"), s.log.contains("remove b d"));
          if (s.log.contains("add b d")) {
            assertTrue(s.at("end of remove b d") < s.at("remove a d"));
          }
          assertTrue(d.gone);
        });
  }

  @Test
  @DisplayName("CC-4: device and client unregister at once: one remove, both return after it")
  void bothLeave() throws Exception {
    Stage.play(
        s -> {
          Stage.Client a = s.client("a");
          DeviceEntry[] e = new DeviceEntry[1];
          Sync.Signal up = s.signal();
          Sync.Signal up2 = s.signal();
          s.task(
              "main",
              () -> {
                s.register(a);
                e[0] = s.up("d");
                up.fire();
                up2.fire();
              });
          s.task(
              "driver",
              () -> {
                up.await();
                s.hotplug.unregister(e[0], Form.THROW);
              });
          s.task(
              "client",
              () -> {
                up2.await();
                s.hotplug.unregisterClient(a.entry, Form.THROW);
              });
          s.run();
          assertTrue(s.at("end of remove a d") < s.at("driver ends"));
          assertTrue(s.at("end of remove a d") < s.at("client ends"));
        });
  }

  @Test
  @DisplayName("S38, I4: a client that unregisters is removed from all devices before that returns")
  void clientLeaves() throws Exception {
    Stage.play(
        s -> {
          Stage.Client a = s.client("a");
          s.task(
              "main",
              () -> {
                s.register(a);
                s.up("d1");
                s.up("d2");
                s.hotplug.unregisterClient(a.entry, Form.THROW);
                s.hotplug.unregisterClient(a.entry, Form.THROW); // nothing happens
                s.log.add("left");
                s.up("d3");
              });
          s.run();
          assertTrue(s.at("end of remove a d1") < s.at("left"));
          assertTrue(s.at("end of remove a d2") < s.at("left"));
          assertFalse(s.log.contains("add a d3"));
        });
  }

  @Test
  @DisplayName("CC-12, B16: children go first, the youngest first, then the parent")
  void children() throws Exception {
    Stage.play(
        s -> {
          s.task(
              "main",
              () -> {
                s.register(s.client("a"));
                DeviceEntry parent = s.up("pf");
                for (String name : List.of("vf1", "vf2")) {
                  FakeHooks vf = s.device(name);
                  s.hotplug.bringUp(s.hotplug.announce(vf, vf.info, "driver", parent));
                }
                s.hotplug.unregister(parent, Form.THROW);
              });
          s.run();
          assertTrue(s.at("end of remove a vf2") < s.at("remove a vf1"));
          assertTrue(s.at("end of remove a vf1") < s.at("remove a pf"));
          assertTrue(s.hotplug.devices().isEmpty());
        });
  }

  @Test
  @DisplayName(
      "CC-13, I3: the second thread that unregisters a device returns when it is gone, too")
  void twoUnregister() throws Exception {
    Stage.play(
        s -> {
          DeviceEntry[] e = new DeviceEntry[1];
          Sync.Signal removing = s.signal();
          Stage.Client a = s.client("a");
          a.onRemove =
              h -> {
                removing.fire();
                s.scheduler.step();
                return null;
              };
          s.register(a);
          s.task(
              "first",
              () -> {
                e[0] = s.up("d");
                s.hotplug.unregister(e[0], Form.THROW);
              });
          s.task(
              "second",
              () -> {
                removing.await();
                s.hotplug.unregister(e[0], Form.THROW);
              });
          s.run();
          assertTrue(s.at("end of remove a d") < s.at("second ends"));
          assertEquals(DeviceEntry.State.GONE, e[0].state);
        });
  }

  @Test
  @DisplayName("CC-15, B19: clients get renamed() in order, with the new name in the handle")
  void rename() throws Exception {
    Stage.play(
        s -> {
          s.task(
              "main",
              () -> {
                s.register(s.client("a"));
                s.register(s.client("b"));
                DeviceEntry d = s.up("old");
                s.up("other");
                assertThrows(
                    IbExistsException.class, () -> s.hotplug.rename(d, "other", Form.THROW));
                s.hotplug.rename(d, "new", Form.THROW);
                s.hotplug.rename(d, "new", Form.THROW);
                assertEquals("new", d.name());
                s.log.add("renamed");
                s.log.removeIf(l -> l.startsWith("add"));
                s.up("old"); // the name is free
              });
          s.run();
          assertTrue(s.at("end of renamed old a new") < s.at("renamed old b new"));
          assertTrue(s.at("end of renamed old b new") < s.at("renamed"));
          assertTrue(s.at("renamed") < s.at("add a old"));
        });
  }

  @Test
  @DisplayName(
      "CC-16, I7: events open before the first add, close before the last remove ends, drain")
  void eventGate() throws Exception {
    Stage.play(
        s -> {
          FakeHooks d = s.device("d");
          for (String name : List.of("a", "b")) {
            Stage.Client c = s.client(name);
            c.onAdd = h -> d.log.add("add " + name + " open=" + d.open);
            c.onRemove = h -> d.log.add("remove " + name + " open=" + d.open);
            s.register(c);
          }
          s.task("main", () -> s.hotplug.unregister(s.up(d), Form.THROW));
          s.run();
          List<String> want =
              List.of(
                  "probe",
                  "open",
                  "add a open=true",
                  "add b open=true",
                  "remove b open=true",
                  "close",
                  "remove a open=false",
                  "close",
                  "drain",
                  "gone");
          assertEquals(want, d.log);
        });
  }

  @Test
  @DisplayName("CC-18, F18: remove throws: recorded, swept, the others go on")
  void removeThrows() throws Exception {
    Stage.play(
        s -> {
          Stage.Client b = s.client("b");
          b.onAdd =
              h -> {
                h.make("QP 7");
                return null;
              };
          b.onRemove =
              h -> {
                throw new IllegalStateException("broken remove");
              };
          s.task(
              "main",
              () -> {
                s.register(s.client("a"));
                s.register(b);
                s.hotplug.unregister(s.up("d"), Form.THROW);
              });
          s.run();
          assertTrue(s.at("remove b d") < s.at("remove a d"));
          RemovalReport report = s.hotplug.lastRemoval("d").orElseThrow();
          assertTrue(report.steps().getFirst().error().contains("broken remove"));
          assertEquals("QP 7", report.leaks().getFirst().object());
        });
  }

  @Test
  @DisplayName("CC-20, S32, I8: what a client left is reported, destroyed and its handle poisoned")
  void leak() throws Exception {
    Stage.play(
        s -> {
          FakeHooks d = s.device("d");
          Stage.Client a = s.client("a");
          a.onAdd =
              h -> {
                h.make("MR 1");
                return null;
              };
          s.task(
              "main",
              () -> {
                s.register(a);
                s.up(d);
                s.hotplug.unregisterClient(a.entry, Form.THROW);
              });
          s.run();
          assertEquals("MR 1", s.leaks.getFirst().object());
          assertEquals("a", s.leaks.getFirst().client());
          assertTrue(d.handles.getFirst().poisoned && d.handles.getFirst().objects.isEmpty());
        });
  }
}
