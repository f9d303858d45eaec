package ib.core.internal.hotplug;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.ClientStatus.State;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A callback on a child does not return while its parent is removed or reset. */
@DisplayName("CC-12, CC-19: fences of a parent end although a callback on its child does not")
class ChildHangsTest {

  /** A parent and a child, and a client of the child that hangs once, where it is said. */
  private static final class Family {
    final FakeHooks pf;
    final FakeHooks vf;
    final DeviceEntry parent;
    final DeviceEntry child;
    final Stage.Client a;
    final Sync.Signal hangs;
    final Sync.Signal never;
    final Sync.Signal idle;
    private boolean hung;

    Family(Stage s) {
      pf = s.device("pf");
      vf = s.device("vf");
      a = s.client("a");
      a.supported = "vf";
      hangs = s.signal();
      never = s.signal();
      idle = s.signal();
      s.register(a);
      s.register(s.client("b"));
      parent = s.up(pf);
      child = s.hotplug.announce(vf, vf.info, "driver", parent);
      s.hotplug.bringUp(child);
      s.log.clear();
      s.scheduler.whenIdle(idle::fire); // only the thread that hangs is left
    }

    Object hang() {
      if (!hung) {
        hung = true;
        hangs.fire();
        never.await();
      }
      return null;
    }
  }

  @Test
  @DisplayName("CC-12, F20: remove on a child hangs: the parent's removal ends at the deadline")
  void removal() throws Exception {
    Stage.play(
        s -> {
          Family f = new Family(s);
          f.a.onRemove = h -> f.hang();
          s.task("driver", () -> s.hotplug.unregister(f.parent, Form.THROW));
          s.task(
              "second",
              () -> {
                f.hangs.await();
                s.hotplug.unregister(f.parent, Form.THROW);
                assertTrue(f.pf.gone);
              });
          s.task(
              "witness",
              () -> {
                f.idle.await();
                assertTrue(s.at("second ends") >= 0);
                assertEquals(DeviceEntry.State.GONE, f.child.state);
                assertEquals(DeviceEntry.State.GONE, f.parent.state);
                f.never.fire();
              });
          s.run();
          assertTrue(s.at("revoked a") < s.at("remove b pf"));
          assertTrue(s.at("second ends") < s.at("end of remove a vf"));
          assertEquals(List.of("probe", "open", "close", "close", "drain", "gone"), f.pf.log);
          assertEquals(1, f.vf.log.stream().filter("gone"::equals).count());
          assertEquals(List.of(), s.failures);
          assertTrue(s.hotplug.book.tenures.isEmpty());
          assertTrue(s.hotplug.book.devices.isEmpty());
        });
  }

  @Test
  @DisplayName("CC-23: remove on a child hangs: the parent's reset acts, and both come up again")
  void reset() throws Exception {
    Stage.play(
        s -> {
          Family f = new Family(s);
          f.a.onRemove = h -> f.hang();
          s.task("driver", () -> s.hotplug.reset(f.parent, () -> s.log.add("action")));
          s.task(
              "witness",
              () -> {
                f.idle.await();
                assertEquals(State.LIVE, s.status("b", "pf").state());
                assertEquals(State.LIVE, s.status("b", "vf").state());
                assertEquals(State.BROKEN, s.status("a", "vf").state());
                f.never.fire();
              });
          s.run();
          assertTrue(s.at("revoked a") < s.at("action"));
          assertTrue(s.at("add b pf") < s.at("add b vf"));
          assertTrue(s.at("end of add b vf") < s.at("end of remove a vf"));
          assertTrue(s.hotplug.book.tenures.isEmpty());
        });
  }

  @Test
  @DisplayName("CC-12, CC-19: add on a child hangs when a reset ends: the parent can be removed")
  void removalAfterReset() throws Exception {
    Stage.play(
        s -> {
          Family f = new Family(s);
          f.a.onAdd = h -> f.hang();
          s.task("driver", () -> s.hotplug.reset(f.parent, () -> s.log.add("action")));
          s.task(
              "second",
              () -> {
                f.hangs.await();
                s.hotplug.unregister(f.parent, Form.THROW);
                assertTrue(f.pf.gone && f.vf.gone);
                f.never.fire();
              });
          s.run();
          assertTrue(s.at("action") < s.at("add a vf"));
          assertTrue(s.at("revoked a") < s.log.lastIndexOf("remove b pf"));
          assertTrue(s.at("second ends") >= 0);
          assertTrue(s.hotplug.book.tenures.isEmpty());
          assertTrue(s.hotplug.book.devices.isEmpty());
        });
  }

  @Test
  @DisplayName("CC-19: a callback that removes another device, where one hangs, is not given up")
  void insideAnother() throws Exception {
    Stage.play(
        s -> {
          Sync.Signal hangs = s.signal();
          Sync.Signal never = s.signal();
          Stage.Client a = s.client("a");
          a.supported = "d";
          a.onRemove =
              h -> {
                hangs.fire();
                never.await();
                return null;
              };
          Stage.Client c = s.client("c");
          c.supported = "other";
          s.register(a);
          s.register(c);
          DeviceEntry d = s.up("d");
          c.onAdd =
              h -> {
                s.hotplug.unregister(d, Form.THROW);
                return null;
              };
          s.task("driver", () -> s.up("other"));
          s.task(
              "second",
              () -> {
                hangs.await();
                s.hotplug.unregister(d, Form.THROW);
                assertEquals(DeviceEntry.State.GONE, d.state);
                never.fire();
              });
          s.run();
          assertTrue(s.at("revoked a") < s.at("second ends"));
          assertEquals(State.LIVE, s.status("c", "other").state());
          assertTrue(s.hotplug.book.tenures.isEmpty());
        });
  }
}
