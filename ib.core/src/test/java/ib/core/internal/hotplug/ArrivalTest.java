package ib.core.internal.hotplug;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.ClientStatus.State;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.IbExistsException;
import ib.core.verbs.IbNoDeviceException;
import ib.core.verbs.NodeType;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Devices and clients that come. */
class ArrivalTest {

  @Test
  @DisplayName("S35, S37: a client that comes later is added to all devices, in their order")
  void replay() throws Exception {
    Stage.play(
        s -> {
          s.task(
              "main",
              () -> {
                s.up("d1");
                s.up("d2");
                s.up("d3");
                s.register(s.client("a"));
              });
          s.run();
          assertTrue(s.at("end of add a d1") < s.at("add a d2"));
          assertTrue(s.at("end of add a d2") < s.at("add a d3"));
          assertTrue(s.at("end of add a d3") < s.at("main ends"));
        });
  }

  @Test
  @DisplayName("S39, I1: a new device is shown to clients in the order of their registration")
  void fifo() throws Exception {
    Stage.play(
        s -> {
          s.task(
              "main",
              () -> {
                for (String c : List.of("a", "b", "c")) {
                  s.register(s.client(c));
                }
                s.up("d");
              });
          s.run();
          assertTrue(s.at("end of add a d") < s.at("add b d"));
          assertTrue(s.at("end of add b d") < s.at("add c d"));
          assertTrue(s.at("end of add c d") < s.at("main ends"));
        });
  }

  @Test
  @DisplayName("CC-2, B2, I1: device and clients that come at once: one order, each pair once")
  void together() throws Exception {
    Stage.play(
        s -> {
          for (String c : List.of("a", "b", "c")) {
            s.task("client " + c, () -> s.register(s.client(c)));
          }
          s.task("driver", () -> s.up("d"));
          s.task("driver 2", () -> s.up("e"));
          s.run();
          List<String> order = s.hotplug.clients().stream().map(c -> c.name()).toList();
          for (String d : List.of("d", "e")) {
            for (int i = 1; i < order.size(); i++) {
              String before = "end of add " + order.get(i - 1) + " " + d;
              assertTrue(s.at(before) < s.at("add " + order.get(i) + " " + d));
            }
          }
        });
  }

  @Test
  @DisplayName(
      "CC-3, I4: a client that leaves while a device adds it is removed before that returns")
  void clientLeavesDuringAdd() throws Exception {
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
          s.task(
              "driver",
              () -> {
                s.register(a);
                s.up("d");
              });
          s.task(
              "leaver",
              () -> {
                adding.await();
                s.hotplug.unregisterClient(a.entry, Form.THROW);
              });
          s.run();
          assertTrue(s.at("end of add a d") < s.at("remove a d"));
          assertTrue(s.at("end of remove a d") < s.at("leaver ends"));
          assertTrue(s.hotplug.clients().isEmpty());
        });
  }

  @Test
  @DisplayName(
      "CC-5, CC-6, F17, B18: a failed add is swept and recorded, gets no remove, can be retried")
  void failedAdd() throws Exception {
    Stage.play(
        s -> {
          Stage.Client a = s.client("a");
          a.onAdd =
              h -> {
                h.make("PD 1");
                throw new IllegalStateException("no luck");
              };
          FakeHooks d = s.device("d");
          s.task(
              "main",
              () -> {
                s.register(a);
                s.register(s.client("b"));
                DeviceEntry e = s.up(d);
                assertEquals(State.REJECTED, s.status("a", "d").state());
                assertTrue(s.status("a", "d").lastError().contains("no luck"));
                assertEquals("PD 1", s.leaks.getFirst().object());
                assertTrue(d.handles.getFirst().poisoned);
                assertEquals(State.LIVE, s.status("b", "d").state());
                a.onAdd = h -> "second";
                s.hotplug.rebind(a.entry, Form.THROW);
                assertEquals(State.LIVE, s.status("a", "d").state());
                s.hotplug.unregister(e, Form.THROW);
              });
          s.run();
          assertEquals("second", a.removedWith);
          assertTrue(s.at("end of remove a d") < s.at("remove b d")); // b was added before a
        });
  }

  @Test
  @DisplayName("CC-5: an add that fails for good never gets a remove")
  void noRemoveAfterFailure() throws Exception {
    Stage.play(
        s -> {
          Stage.Client a = s.client("a");
          a.onAdd =
              h -> {
                throw new IllegalStateException("never");
              };
          s.task(
              "main",
              () -> {
                s.register(a);
                s.hotplug.unregister(s.up("d"), Form.THROW);
              });
          s.run();
          assertFalse(s.log.contains("remove a d"));
        });
  }

  @Test
  @DisplayName("CC-10: a device registered inside an add is seen by all after the outer one")
  void nestedDevice() throws Exception {
    Stage.play(
        s -> {
          Stage.Client a = s.client("a");
          a.onAdd = h -> h.device.info.name().equals("outer") ? s.up("inner") : null;
          s.task(
              "main",
              () -> {
                s.register(a);
                s.register(s.client("b"));
                s.up("outer");
              });
          s.run();
          assertTrue(s.at("end of add b outer") < s.at("add a inner"));
          assertTrue(s.at("end of add b inner") < s.at("main ends"));
        });
  }

  @Test
  @DisplayName("CC-11: a device registered inside a remove is added when the remove has returned")
  void deviceInsideRemove() throws Exception {
    Stage.play(
        s -> {
          Stage.Client a = s.client("a");
          a.onRemove = h -> h.device.info.name().equals("old") ? s.up("new") : null;
          s.task(
              "main",
              () -> {
                s.register(a);
                s.hotplug.unregister(s.up("old"), Form.THROW);
              });
          s.run();
          assertTrue(s.at("end of remove a old") < s.at("add a new"));
          assertTrue(s.at("end of add a new") < s.at("main ends"));
        });
  }

  @Test
  @DisplayName("a client registered inside an add is added when that has returned")
  void nestedClient() throws Exception {
    Stage.play(
        s -> {
          Stage.Client a = s.client("a");
          a.onAdd = h -> s.register(s.client("b"));
          s.task(
              "main",
              () -> {
                s.up("d");
                s.register(a);
              });
          s.run();
          assertTrue(s.at("end of add a d") < s.at("add b d"));
          assertTrue(s.at("end of add b d") < s.at("main ends"));
        });
  }

  @Test
  @DisplayName(
      "S27, CC-14: a device whose probe fails is seen by no client, and its name is free again")
  void probeFails() throws Exception {
    Stage.play(
        s -> {
          FakeHooks broken = s.device("d");
          broken.probeFailure = new IbNoDeviceException("probe", "dead", "");
          FakeHooks whole = s.device("d");
          s.task(
              "main",
              () -> {
                s.register(s.client("a"));
                assertSame(
                    broken.probeFailure,
                    assertThrows(IbNoDeviceException.class, () -> s.up(broken)));
                assertTrue(s.hotplug.devices().isEmpty());
                s.up(whole);
              });
          s.run();
          assertEquals(List.of("probe", "close", "gone"), broken.log);
          assertEquals(List.of("probe", "open"), whole.log);
          assertTrue(s.at("add a d") >= 0);
        });
  }

  @Test
  @DisplayName("S27: a device that goes while it is probed is seen by no client")
  void goesWhileProbed() throws Exception {
    Stage.play(
        s -> {
          FakeHooks d = s.device("d");
          Sync.Signal probing = s.signal();
          DeviceEntry e = s.announced(d);
          d.inProbe =
              () -> {
                probing.fire();
                s.scheduler.step();
              };
          s.task("registrar", () -> s.hotplug.bringUp(e));
          s.task(
              "driver",
              () -> {
                probing.await();
                s.hotplug.unregister(e, Form.THROW);
              });
          s.register(s.client("a"));
          s.run();
          assertEquals(DeviceEntry.State.GONE, e.state);
          assertTrue(d.gone && !d.open);
          assertEquals(s.log.contains("add a d"), s.log.contains("remove a d"));
        });
  }

  @Test
  @DisplayName("a name or a node GUID in use is refused")
  void duplicates() throws Exception {
    Stage.play(
        s -> {
          s.task(
              "main",
              () -> {
                DeviceEntry d = s.up("d");
                assertThrows(IbExistsException.class, () -> s.up("d"));
                long guid = d.info().nodeGuid();
                DeviceInfo other = new DeviceInfo("e", 0, NodeType.CA, guid, guid, 1, "fake");
                FakeHooks hooks = s.device("e");
                assertThrows(
                    IbExistsException.class, () -> s.hotplug.announce(hooks, other, "x", null));
                s.register(s.client("a"));
                assertThrows(IbExistsException.class, () -> s.register(s.client("a")));
                assertEquals(0, d.info().index());
                assertEquals(2, s.up("f").info().index() + s.up("g").info().index() - 1);
              });
          s.run();
        });
  }

  @Test
  @DisplayName("CC-24: a client may return null from add")
  void nullData() throws Exception {
    Stage.play(
        s -> {
          Stage.Client a = s.client("a");
          a.onAdd = h -> null;
          s.task(
              "main",
              () -> {
                s.register(a);
                s.hotplug.unregister(s.up("d"), Form.THROW);
              });
          s.run();
          assertNull(a.removedWith);
          assertTrue(s.at("remove a d") >= 0);
        });
  }

  @Test
  @DisplayName("CC-25: a client is not asked about devices that it does not support")
  void filter() throws Exception {
    Stage.play(
        s -> {
          Stage.Client a = s.client("a");
          a.supported = "ib";
          s.task(
              "main",
              () -> {
                s.register(a);
                s.up("eth0");
                s.hotplug.unregister(s.up("ib0"), Form.THROW);
              });
          s.run();
          assertFalse(s.log.contains("add a eth0"));
          assertTrue(s.at("add a ib0") < s.at("remove a ib0"));
          assertEquals(State.NONE, s.status("a", "eth0").state());
        });
  }

  @Test
  @DisplayName("S31, I6: the handle works from the first line of add to the last line of remove")
  void handleWorks() throws Exception {
    Stage.play(
        s -> {
          Stage.Client a = s.client("a");
          a.onAdd =
              h -> {
                h.make("QP 1");
                return h;
              };
          a.onRemove =
              h -> {
                h.make("CQ 1");
                h.objects.clear();
                return null;
              };
          s.task(
              "main",
              () -> {
                s.register(a);
                s.hotplug.unregister(s.up("d"), Form.THROW);
              });
          s.run();
          assertTrue(s.failures.isEmpty(), s.failures.toString());
          assertThrows(
              IllegalStateException.class, () -> ((FakeHooks.Handle) a.removedWith).make("QP 2"));
        });
  }
}
