package ib.core.internal.hotplug;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.ClientStatus;
import ib.core.client.LeakRecord;
import ib.core.verbs.IbNoDeviceException;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Devices that cannot come up: their probe fails or hangs, they go again, they have no parent. */
@DisplayName("S27, CC-14: devices that cannot come up")
class ProbeTest {

  @Test
  @DisplayName(
      "CC-14: what a device leaves whose probe failed is a leak, its end may throw as well")
  void probeLeaves() throws Exception {
    Stage.play(
        s -> {
          FakeHooks leaks =
              new FakeHooks(s.scheduler, "d", 77) {
                @Override
                public List<LeakRecord> gone() {
                  super.gone();
                  return List.of(new LeakRecord("", "d", "CQ 1", 0, "t", List.of(), List.of()));
                }
              };
          FakeHooks throwing =
              new FakeHooks(s.scheduler, "e", 78) {
                @Override
                public List<LeakRecord> gone() {
                  throw new IllegalStateException("no end");
                }
              };
          leaks.probeFailure = new IbNoDeviceException("probe", "dead", "");
          throwing.probeFailure = leaks.probeFailure;
          s.task(
              "main",
              () -> {
                for (FakeHooks d : List.of(leaks, throwing)) {
                  assertSame(
                      d.probeFailure, assertThrows(IbNoDeviceException.class, () -> s.up(d)));
                }
                assertTrue(s.hotplug.book.devices.isEmpty());
                DeviceEntry parent = s.up("parent");
                FakeHooks part = s.device("part");
                part.probeFailure = leaks.probeFailure;
                DeviceEntry child = s.hotplug.announce(part, part.info, "driver", parent);
                assertThrows(IbNoDeviceException.class, () -> s.hotplug.bringUp(child));
                assertTrue(parent.children.isEmpty());
              });
          s.run();
          assertEquals(List.of("CQ 1"), s.leaks.stream().map(LeakRecord::object).toList());
          assertEquals(List.of("disconnect of e: no end"), s.failures);
        });
  }

  @Test
  @DisplayName("CC-14: a device that is removed while its probe fails goes once, with a report")
  void removedWhileProbeFails() throws Exception {
    Stage.play(
        s -> {
          FakeHooks d = s.device("d");
          d.probeFailure = new IbNoDeviceException("probe", "dead", "");
          DeviceEntry e = s.announced(d);
          d.inProbe = () -> s.hotplug.unregisterQueued(e);
          s.task("main", () -> assertThrows(RuntimeException.class, () -> s.hotplug.bringUp(e)));
          s.run();
          assertEquals(1, d.log.stream().filter("gone"::equals).count(), d.log.toString());
          assertTrue(s.hotplug.lastRemoval("d").isPresent());
          assertTrue(s.hotplug.book.devices.isEmpty());
        });
  }

  @Test
  @DisplayName("S27: a device that is to go again is not probed")
  void goesBeforeProbe() throws Exception {
    Stage.play(
        s -> {
          FakeHooks d = s.device("d");
          s.task(
              "main",
              () -> {
                DeviceEntry e = s.announced(d);
                s.hotplug.book.update(() -> e.stopping = true); // the removal comes second
                IbNoDeviceException x =
                    assertThrows(IbNoDeviceException.class, () -> s.hotplug.bringUp(e));
                assertTrue(x.getMessage().contains("register d: it goes again"), x.getMessage());
                s.hotplug.unregister(e, Form.THROW);
              });
          s.run();
          assertFalse(d.log.contains("probe"));
          assertTrue(d.gone);
        });
  }

  @Test
  @DisplayName("CC-19: a probe that hangs is not tried again when a reset waits; the name is free")
  void probeHangsAtReset() throws Exception {
    Stage.play(
        s -> {
          FakeHooks d = s.device("d");
          Sync.Signal probing = s.signal();
          Sync.Signal never = s.signal();
          d.inProbe =
              () -> {
                probing.fire();
                never.await();
              };
          DeviceEntry e = s.announced(d);
          s.task(
              "registrar",
              () -> {
                IbNoDeviceException x =
                    assertThrows(IbNoDeviceException.class, () -> s.hotplug.bringUp(e));
                assertTrue(x.getMessage().contains("its probe did not return"), x.getMessage());
              });
          s.task(
              "resets",
              () -> {
                probing.await();
                s.hotplug.reset(e, () -> s.log.add("action"));
                s.up("d");
                never.fire();
              });
          s.run();
          assertFalse(s.log.contains("action"));
          assertEquals(DeviceEntry.State.GONE, e.state);
        });
  }

  @Test
  @DisplayName("S37: a client that comes while a device is probed does not wait for the probe")
  void probeIsNotWaitedFor() throws Exception {
    Stage.play(
        s -> {
          FakeHooks d = s.device("d");
          Sync.Signal probing = s.signal();
          Sync.Signal go = s.signal();
          d.inProbe =
              () -> {
                probing.fire();
                go.await();
                s.log.add("probed");
              };
          s.task("driver", () -> s.up(d));
          s.task(
              "client",
              () -> {
                probing.await();
                s.register(s.client("a"));
                s.log.add("registered");
                assertEquals(ClientStatus.State.NONE, s.status("a", "d").state());
                go.fire();
              });
          s.run();
          assertTrue(s.at("registered") < s.at("probed"));
          assertTrue(s.at("probed") < s.at("add a d"));
          assertEquals(List.of(), s.violations);
        });
  }

  @Test
  @DisplayName("CC-12: the parent of a device is up and of the same registry, or it is refused")
  void parents() throws Exception {
    Stage.play(
        s -> {
          Stage other = new Stage(1);
          DeviceEntry foreign = other.up("foreign");
          s.task(
              "main",
              () -> {
                DeviceEntry announced = s.announced(s.device("new"));
                DeviceEntry gone = s.up("gone");
                s.hotplug.unregister(gone, Form.THROW);
                FakeHooks part = s.device("part");
                for (DeviceEntry parent : List.of(announced, gone, foreign)) {
                  IbNoDeviceException x =
                      assertThrows(
                          IbNoDeviceException.class,
                          () -> s.hotplug.announce(part, part.info, "driver", parent));
                  String text = "its parent " + parent + " is not there";
                  assertTrue(x.getMessage().contains(text), x.getMessage());
                }
                s.hotplug.announce(part, part.info, "driver", s.up("parent"));
              });
          s.run();
        });
  }
}
