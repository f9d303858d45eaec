package ib.core.internal.hotplug;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.ClientStatus.State;
import ib.core.client.LeakRecord;
import ib.core.client.RemovalReport;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Resets that meet removals, children, failures and callbacks that do not return. */
@DisplayName("CC-23: resets that meet something else")
class ResetTest {

  @Test
  @DisplayName("CC-23: the reset of a device that is not up, or not there any more, does nothing")
  void notUp() throws Exception {
    Stage.play(
        s -> {
          FakeHooks d = s.device("d");
          s.task(
              "main",
              () -> {
                s.register(s.client("a"));
                DeviceEntry e = s.announced(d);
                s.hotplug.reset(e, () -> s.log.add("action"));
                assertEquals(DeviceEntry.State.NEW, e.state);
                s.hotplug.bringUp(e);
                s.hotplug.unregister(e, Form.THROW);
                s.hotplug.reset(e, () -> s.log.add("action"));
                assertEquals(DeviceEntry.State.GONE, e.state);
              });
          s.run();
          assertEquals(
              List.of("add a d", "end of add a d", "remove a d", "end of remove a d", "main ends"),
              s.log);
          assertEquals(List.of("probe", "open", "close", "close", "drain", "gone"), d.log);
        });
  }

  /** A device whose events can be opened once only, and not drained, and which does not go. */
  private static FakeHooks failing(Stage s) {
    return new FakeHooks(s.scheduler, "d", 77) {
      @Override
      public void open() {
        boolean again = log.contains("open");
        super.open();
        if (again) {
          throw new IllegalStateException("no open");
        }
      }

      @Override
      public void drain() {
        super.drain();
        throw new IllegalStateException("no drain");
      }

      @Override
      public List<LeakRecord> gone() {
        super.gone();
        throw new IllegalStateException("no end");
      }
    };
  }

  @Test
  @DisplayName("CC-23: what fails in a reset or removal of a device is reported; the rest is done")
  void failures() throws Exception {
    Stage.play(
        s -> {
          FakeHooks d = failing(s);
          s.task(
              "main",
              () -> {
                s.register(s.client("a"));
                DeviceEntry e = s.up(d);
                s.hotplug.reset(
                    e,
                    () -> {
                      throw new IllegalStateException("no reset");
                    });
                assertEquals(State.LIVE, s.status("a", "d").state());
                s.hotplug.unregister(e, Form.THROW);
                assertEquals(DeviceEntry.State.GONE, e.state);
              });
          s.run();
          assertEquals(
              List.of(
                  "events of d: no drain",
                  "reset of d: no reset",
                  "events of d: no open",
                  "events of d: no drain",
                  "disconnect of d: no end"),
              s.failures);
        });
  }

  @Test
  @DisplayName("CC-23: a device whose removal is queued inside its reset does not come up again")
  void removedInside() throws Exception {
    Stage.play(
        s -> {
          FakeHooks d = s.device("d");
          s.task(
              "main",
              () -> {
                s.register(s.client("a"));
                DeviceEntry e = s.up(d);
                s.hotplug.reset(e, () -> s.hotplug.unregisterQueued(e));
              });
          s.run();
          assertEquals(List.of("probe", "open", "close", "close", "drain", "gone"), d.log);
          assertTrue(s.at("add a d") < s.at("remove a d"));
        });
  }

  /** A device and a part of it, both up, with client a. */
  private static DeviceEntry[] family(Stage s, FakeHooks part) {
    s.register(s.client("a"));
    DeviceEntry d = s.up("d");
    DeviceEntry p = s.hotplug.announce(part, part.info, "driver", d);
    s.hotplug.bringUp(p);
    s.log.clear();
    return new DeviceEntry[] {d, p};
  }

  @Test
  @DisplayName("CC-23, CC-12: a child that is reset while its parent is stays down with it")
  void childInside() throws Exception {
    Stage.play(
        s -> {
          FakeHooks part = s.device("part");
          s.task(
              "main",
              () -> {
                DeviceEntry[] both = family(s, part);
                s.hotplug.reset(
                    both[0],
                    () -> {
                      s.hotplug.reset(both[1], () -> s.log.add("child"));
                      assertEquals(DeviceEntry.State.RESETTING, both[1].state);
                      part.log.add("parent");
                    });
              });
          s.run();
          List<String> want =
              List.of(
                  "remove a part",
                  "end of remove a part",
                  "remove a d",
                  "end of remove a d",
                  "child",
                  "add a d",
                  "end of add a d",
                  "add a part",
                  "end of add a part",
                  "main ends");
          assertEquals(want, s.log);
          List<String> events =
              List.of("probe", "open", "close", "close", "drain", "parent", "open");
          assertEquals(events, part.log);
        });
  }

  @Test
  @DisplayName(
      "CC-23, CC-12: a child that is brought up while its parent is reset comes up with it")
  void childComesMeanwhile() throws Exception {
    Stage.play(
        s -> {
          FakeHooks part = s.device("part");
          Sync.Signal up = s.signal();
          Sync.Signal resetting = s.signal();
          DeviceEntry[] both = new DeviceEntry[2];
          s.task(
              "main",
              () -> {
                s.register(s.client("a"));
                both[0] = s.up("d");
                both[1] = s.hotplug.announce(part, part.info, "driver", both[0]);
                s.hotplug.reset(
                    both[0],
                    () -> {
                      resetting.fire();
                      up.await();
                      s.log.add("action");
                    });
              });
          s.task(
              "child",
              () -> {
                resetting.await();
                s.hotplug.bringUp(both[1]);
                assertEquals(DeviceEntry.State.RESETTING, both[1].state);
                up.fire();
              });
          s.run();
          assertTrue(s.at("action") < s.log.lastIndexOf("add a d"));
          assertTrue(s.log.lastIndexOf("end of add a d") < s.at("add a part"));
          assertEquals(List.of("probe", "open"), part.log);
          assertEquals(DeviceEntry.State.LIVE, both[1].state);
        });
  }

  @Test
  @DisplayName(
      "CC-23, CC-19, I2: a remove that hangs holds up a reset to the deadline; no add in it")
  void removeHangs() throws Exception {
    Stage.play(
        s -> {
          Sync.Signal never = s.signal();
          boolean[] hung = new boolean[1];
          Stage.Client a = s.client("a");
          a.onRemove =
              h -> {
                if (!hung[0]) {
                  hung[0] = true;
                  never.await();
                }
                return null;
              };
          Sync.Signal idle = s.signal();
          s.scheduler.whenIdle(idle::fire);
          s.task(
              "witness",
              () -> {
                idle.await();
                s.log.add("idle");
                assertEquals(State.BROKEN, s.status("a", "d").state());
                assertEquals(State.LIVE, s.status("b", "d").state());
                assertEquals(1, s.hotplug.clients().getFirst().bindings().size());
                s.hotplug.rebind(a.entry, Form.THROW); // not while it is in its callback
                assertEquals(State.BROKEN, s.status("a", "d").state());
                never.fire();
              });
          s.task(
              "main",
              () -> {
                s.register(a);
                s.register(s.client("b"));
                DeviceEntry e = s.up("d");
                s.hotplug.reset(e, () -> s.log.add("action"));
                s.hotplug.rebind(a.entry, Form.THROW);
              });
          s.run();
          assertTrue(s.at("revoked a") < s.at("action"));
          assertTrue(s.at("action") < s.log.lastIndexOf("add b d"));
          assertTrue(s.log.lastIndexOf("add b d") < s.at("idle"));
          assertTrue(s.at("end of remove a d") < s.log.lastIndexOf("add a d"));
          assertEquals(2, s.log.stream().filter("add a d"::equals).count());
          assertEquals(State.LIVE, s.status("a", "d").state());
          assertEquals(
              List.of("IbClient.remove of a on d has returned after its deadline"), s.notes);
        });
  }

  @Test
  @DisplayName("CC-23, CC-19: a reset that hangs is given up; the device comes up, and once only")
  void actionHangs() throws Exception {
    Stage.play(
        s -> {
          Sync.Signal never = s.signal();
          FakeHooks d = s.device("d");
          s.scheduler.whenIdle(never::fire);
          s.task(
              "main",
              () -> {
                s.register(s.client("a"));
                DeviceEntry e = s.up(d);
                s.hotplug.reset(
                    e,
                    () -> {
                      never.await();
                      s.log.add("late");
                    });
              });
          s.run();
          assertTrue(s.log.lastIndexOf("end of add a d") < s.at("late"));
          assertEquals(2, s.log.stream().filter("add a d"::equals).count());
          assertEquals(List.of("probe", "open", "close", "close", "drain", "open"), d.log);
          assertEquals(List.of("reset", "reset"), s.stuck.stream().map(x -> x.activity()).toList());
        });
  }

  @Test
  @DisplayName("CC-23, S37: a client that comes during a reset is added before its call returns")
  void clientComesMeanwhile() throws Exception {
    Stage.play(
        s -> {
          Sync.Signal resetting = s.signal();
          Sync.Signal go = s.signal();
          Sync.Signal alsoGo = s.signal();
          s.task(
              "main",
              () -> {
                DeviceEntry e = s.up("d");
                s.hotplug.reset(
                    e,
                    () -> {
                      resetting.fire();
                      alsoGo.fire();
                      go.await();
                      s.log.add("action");
                    });
              });
          s.task(
              "client",
              () -> {
                resetting.await();
                s.register(s.client("b"));
              });
          s.task(
              "time",
              () -> {
                alsoGo.await();
                for (int i = 0; i < 100; i++) {
                  s.scheduler.step(); // the client comes to its wait
                }
                go.fire();
              });
          s.run();
          assertTrue(s.at("action") < s.at("add b d"));
          assertTrue(s.at("end of add b d") < s.at("client ends"));
          assertEquals(List.of(), s.violations);
        });
  }

  @Test
  @DisplayName("CC-23, CC-20: the report of a removal has nothing of an earlier reset")
  void report() throws Exception {
    Stage.play(
        s -> {
          int[] adds = new int[1];
          Stage.Client a = s.client("a");
          a.onAdd =
              h -> {
                h.make("PD " + ++adds[0]);
                return null;
              };
          s.task(
              "main",
              () -> {
                s.register(a);
                DeviceEntry e = s.up("d");
                s.hotplug.reset(e, () -> {});
                s.hotplug.unregister(e, Form.THROW);
              });
          s.run();
          RemovalReport report = s.hotplug.lastRemoval("d").orElseThrow();
          assertEquals(List.of("PD 2"), report.leaks().stream().map(l -> l.object()).toList());
          assertEquals(1, report.steps().size());
          assertEquals(2, s.leaks.size());
        });
  }
}
