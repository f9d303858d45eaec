package ib.core.internal.hotplug;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.DeviceLease;
import ib.core.client.Violation;
import ib.core.verbs.Errno;
import ib.core.verbs.IbDeadlockException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Callbacks that call back (F21): queued or refused, never a deadlock. */
class ReentryTest {

  @Test
  @DisplayName(
      "CC-7: unregister of the device inside add throws with the stack, and happens afterwards")
  void deviceInsideAdd() throws Exception {
    Stage.play(
        s -> {
          Stage.Client a = s.client("a");
          FakeHooks d = s.device("d");
          DeviceEntry e = s.announced(d);
          a.onAdd =
              h -> {
                IbDeadlockException refused =
                    assertThrows(
                        IbDeadlockException.class, () -> s.hotplug.unregister(e, Form.THROW));
                assertEquals(Errno.EDEADLK, refused.errno());
                assertTrue(
                    refused.getMessage().contains("IbClient.add of a"), refused.getMessage());
                assertTrue(refused.getMessage().contains("ReentryTest"), refused.getMessage());
                assertTrue(refused.getMessage().contains("by the caller itself (now in IbClient."));
                assertEquals(2, refused.getMessage().split("stack of ").length, "one stack");
                assertFalse(d.gone);
                h.make("PD 1");
                return null;
              };
          s.register(a);
          s.register(s.client("b"));
          s.task("main", () -> s.hotplug.bringUp(e));
          s.run();
          assertTrue(s.at("end of add a d") < s.at("remove a d"));
          assertTrue(s.at("end of remove a d") < s.at("main ends"));
          assertFalse(s.log.contains("add b d"));
          assertTrue(d.gone);
        });
  }

  @Test
  @DisplayName(
      "CC-7: the form for service events returns, with the operation queued and a violation")
  void recordedForm() throws Exception {
    Stage.play(
        s -> {
          Stage.Client a = s.client("a");
          FakeHooks d = s.device("d");
          DeviceEntry e = s.announced(d);
          a.onAdd =
              h -> {
                s.hotplug.unregister(e, Form.RECORD);
                return null;
              };
          s.register(a);
          s.task("main", () -> s.hotplug.bringUp(e));
          s.run();
          Violation v = s.violations.getFirst();
          assertEquals("CC-7", v.clause());
          assertTrue(v.stack().stream().anyMatch(l -> l.contains("ReentryTest")));
          assertTrue(v.otherStack().isEmpty());
          assertTrue(d.gone);
        });
  }

  @Test
  @DisplayName("CC-7: the queued form is legal inside add")
  void queuedForm() throws Exception {
    Stage.play(
        s -> {
          Stage.Client a = s.client("a");
          FakeHooks d = s.device("d");
          DeviceEntry e = s.announced(d);
          a.onAdd =
              h -> {
                s.hotplug.unregisterQueued(e);
                return null;
              };
          s.register(a);
          s.task("main", () -> s.hotplug.bringUp(e));
          s.run();
          assertTrue(s.violations.isEmpty());
          assertTrue(d.gone && s.at("remove a d") > 0);
        });
  }

  @Test
  @DisplayName("CC-8: unregister of the device inside remove changes nothing and says so")
  void deviceInsideRemove() throws Exception {
    Stage.play(
        s -> {
          Stage.Client a = s.client("a");
          FakeHooks d = s.device("d");
          DeviceEntry e = s.announced(d);
          a.onRemove =
              h -> {
                assertThrows(IbDeadlockException.class, () -> s.hotplug.unregister(e, Form.THROW));
                return null;
              };
          s.register(a);
          s.task(
              "main",
              () -> {
                s.hotplug.bringUp(e);
                s.hotplug.unregister(e, Form.THROW);
              });
          s.run();
          assertEquals("CC-8", s.violations.getFirst().clause());
          assertTrue(s.failures.isEmpty(), s.failures.toString());
          assertTrue(s.at("end of remove a d") < s.at("main ends"));
        });
  }

  @Test
  @DisplayName(
      "CC-9: a client that unregisters itself inside add or remove leaves when that returns")
  void clientInsideOwnCallback() throws Exception {
    Stage.play(
        s -> {
          Stage.Client a = s.client("a");
          Stage.Client b = s.client("b");
          a.onAdd =
              h -> {
                assertThrows(
                    IbDeadlockException.class,
                    () -> s.hotplug.unregisterClient(a.entry, Form.THROW));
                return null;
              };
          b.onRemove =
              h -> {
                s.hotplug.unregisterClient(b.entry, Form.RECORD);
                return null;
              };
          s.task(
              "main",
              () -> {
                s.register(a);
                s.register(b);
                s.hotplug.unregister(s.up("d"), Form.THROW);
              });
          s.run();
          assertTrue(s.at("end of add a d") < s.at("remove a d"));
          assertTrue(s.violations.stream().allMatch(v -> v.clause().equals("CC-9")));
          assertEquals(2, s.violations.size());
          assertTrue(s.hotplug.clients().isEmpty());
        });
  }

  @Test
  @DisplayName(
      "CC-9: another client's unregister inside an add does not wait where nothing is bound")
  void otherClient() throws Exception {
    Stage.play(
        s -> {
          Stage.Client a = s.client("a");
          Stage.Client b = s.client("b");
          a.onAdd =
              h -> {
                s.hotplug.unregisterClient(b.entry, Form.THROW);
                return null;
              };
          s.task(
              "main",
              () -> {
                s.register(a);
                s.register(b);
                s.up("d");
              });
          s.run();
          assertTrue(s.violations.isEmpty());
          assertFalse(s.log.contains("add b d"));
        });
  }

  @Test
  @DisplayName(
      "B15: two threads, each inside an add, that unregister each other's device: one is refused")
  void crossed() throws Exception {
    Stage.play(
        s -> {
          Sync.Signal one = s.signal();
          Sync.Signal two = s.signal();
          DeviceEntry[] e = {s.announced(s.device("d1")), s.announced(s.device("d2"))};
          Stage.Client a = s.client("a");
          int[] refused = new int[1];
          a.onAdd =
              h -> {
                boolean first = h.device.info.name().equals("d1");
                (first ? one : two).fire();
                (first ? two : one).await();
                try {
                  s.hotplug.unregister(first ? e[1] : e[0], Form.THROW);
                } catch (IbDeadlockException x) {
                  refused[0]++;
                  String cycle = first ? "t1 -> t2 -> t1" : "t2 -> t1 -> t2";
                  assertTrue(x.getMessage().contains("a cycle of threads: " + cycle), cycle);
                  assertEquals(3, x.getMessage().split("stack of ").length, "two stacks");
                }
                return null;
              };
          s.register(a);
          s.task("t1", () -> s.hotplug.bringUp(e[0]));
          s.task("t2", () -> s.hotplug.bringUp(e[1]));
          s.run();
          assertEquals(1, refused[0]);
          assertEquals(DeviceEntry.State.GONE, e[0].state);
          assertEquals(DeviceEntry.State.GONE, e[1].state);
          assertTrue(s.stuck.isEmpty());
        });
  }

  @Test
  @DisplayName(
      "B15, CC-12: a parent's unregister inside its child's callback is refused, and happens")
  void parentInsideChild() throws Exception {
    Stage.play(
        s -> {
          Stage.Client a = s.client("a");
          FakeHooks pf = s.device("pf");
          DeviceEntry[] parent = new DeviceEntry[1];
          a.onAdd =
              h -> {
                if (h.device.info.name().equals("vf")) {
                  assertThrows(
                      IbDeadlockException.class, () -> s.hotplug.unregister(parent[0], Form.THROW));
                }
                return null;
              };
          s.register(a);
          s.task(
              "main",
              () -> {
                parent[0] = s.up(pf);
                FakeHooks vf = s.device("vf");
                s.hotplug.bringUp(s.hotplug.announce(vf, vf.info, "driver", parent[0]));
              });
          s.run();
          assertTrue(s.at("end of remove a vf") < s.at("remove a pf"));
          assertTrue(pf.gone);
        });
  }

  @Test
  @DisplayName(
      "B15, CC-21: unregister under one's own lease is refused, and happens when it is closed")
  void underOwnLease() throws Exception {
    Stage.play(
        s -> {
          FakeHooks d = s.device("d");
          s.register(s.client("a"));
          s.task(
              "main",
              () -> {
                DeviceEntry e = s.up(d);
                try (DeviceLease lease = s.hotplug.lease("d", "main")) {
                  IbDeadlockException x =
                      assertThrows(
                          IbDeadlockException.class, () -> s.hotplug.unregister(e, Form.THROW));
                  assertFalse(x.getMessage().contains("(now in"), x.getMessage());
                  assertFalse(d.gone);
                  ((FakeHooks.Handle) lease.device()).make("PD 1");
                }
              });
          s.run();
          assertTrue(d.gone);
          assertTrue(s.stuck.isEmpty());
        });
  }

  @Test
  @DisplayName(
      "B1: a remove that waits for a worker of its own, which calls the core, is no deadlock")
  void removeJoinsWorker() throws Exception {
    Stage.play(
        s -> {
          Stage.Client a = s.client("a");
          a.onRemove =
              h -> {
                Sync.Signal done = s.signal();
                s.scheduler.start(
                    s.scheduler.thread(
                        "worker",
                        () -> {
                          s.hotplug.devices();
                          s.hotplug.clients();
                          s.hotplug.lastRemoval("d");
                          done.fire();
                        }));
                done.await();
                return null;
              };
          s.register(a);
          s.task("main", () -> s.hotplug.unregister(s.up("d"), Form.THROW));
          s.run();
          assertTrue(s.stuck.isEmpty());
        });
  }
}
