package ib.core.internal.hotplug;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.ClientStatus.State;
import ib.core.client.Violation;
import ib.core.verbs.IbTimedOutException;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Waits for operations that are no fence while a call on the device does not return: each wait ends
 * at the deadline, no client is revoked for it, and the operation runs when the call has returned.
 */
@DisplayName("B15, CC-19: no wait without an end")
class LongWaitTest {
  private static Stage.Client stuck(Stage s, Sync.Signal adding, Sync.Signal release) {
    Stage.Client a = s.client("a");
    a.onAdd =
        h -> {
          if (h.device.info.name().equals("d")) {
            adding.fire();
            release.await();
          }
          return null;
        };
    return a;
  }

  /** Client a stands in its add of device d, which the task "driver" brings up. */
  private static DeviceEntry slowAdd(Stage s, Sync.Signal adding, Sync.Signal release) {
    s.register(stuck(s, adding, release));
    DeviceEntry e = s.announced(s.device("d"));
    s.task("driver", () -> s.hotplug.bringUp(e));
    return e;
  }

  /** Checks the end: the violation is recorded once, and the slow client is bound as before. */
  private static void judge(Stage s, String... clauses) {
    assertEquals(List.of(clauses), s.violations.stream().map(Violation::clause).toList());
    for (Violation v : s.violations) {
      assertEquals("a", v.culprit());
      assertTrue(v.text().endsWith("(now in IbClient.add of a)"), v.text());
      assertTrue(v.otherStack().stream().anyMatch(l -> l.contains("LongWaitTest")));
    }
    assertFalse(s.stuck.stream().anyMatch(x -> x.revoked()), "no client was revoked");
    assertEquals(State.LIVE, s.status("a", s.hotplug.devices().getFirst().name()).state());
    assertTrue(s.hotplug.book.graph.waits().isEmpty());
  }

  @Test
  @DisplayName("CC-15, CC-19: a rename is let go after 60 s, and happens when add has returned")
  void rename() throws Exception {
    Stage.play(
        s -> {
          Sync.Signal release = s.signal();
          Sync.Signal adding = s.signal();
          DeviceEntry e = slowAdd(s, adding, release);
          s.task(
              "renames",
              () -> {
                adding.await();
                long from = s.scheduler.now();
                IbTimedOutException late =
                    assertThrows(
                        IbTimedOutException.class, () -> s.hotplug.rename(e, "n", Form.THROW));
                assertTrue(s.scheduler.now() - from >= Stage.DEADLINE_NS);
                assertTrue(late.getMessage().contains("IbClient.add of a"), late.getMessage());
                assertEquals("d", e.name());
                release.fire();
              });
          s.run();
          assertEquals("n", e.name());
          judge(s, "CC-19");
        });
  }

  @Test
  @DisplayName("S37, CC-19: a registration returns after 60 s and says so; the add follows")
  void register() throws Exception {
    Stage.play(
        s -> {
          Sync.Signal release = s.signal();
          Sync.Signal adding = s.signal();
          slowAdd(s, adding, release);
          s.task(
              "registers",
              () -> {
                adding.await();
                s.register(s.client("b"));
                s.log.add("registered");
                release.fire();
              });
          s.run();
          assertTrue(s.at("registered") < s.at("end of add a d"));
          assertTrue(s.at("end of add a d") < s.at("add b d"));
          assertEquals(State.LIVE, s.status("b", "d").state());
          judge(s, "CC-19");
        });
  }

  @Test
  @DisplayName("CC-5, CC-19: a rebind is let go after 60 s; the other devices were tried meanwhile")
  void rebind() throws Exception {
    Stage.play(
        s -> {
          Sync.Signal release = s.signal();
          Sync.Signal adding = s.signal();
          boolean[] rejects = {true};
          Stage.Client b = s.client("b");
          b.onAdd =
              h -> {
                if (rejects[0]) {
                  throw new IllegalStateException("planned");
                }
                return null;
              };
          s.register(b);
          slowAdd(s, adding, release);
          s.task(
              "rebinds",
              () -> {
                adding.await();
                s.up("e");
                rejects[0] = false;
                assertThrows(
                    IbTimedOutException.class, () -> s.hotplug.rebind(b.entry, Form.THROW));
                assertEquals(State.LIVE, s.status("b", "e").state());
                assertEquals(State.REJECTED, s.status("b", "d").state());
                release.fire();
              });
          s.run();
          assertEquals(State.LIVE, s.status("b", "d").state());
          judge(s, "CC-19");
        });
  }

  @Test
  @DisplayName("2.6-8a: a wait that ends before the deadline is not touched")
  void inTime() throws Exception {
    Stage.play(
        s -> {
          Sync.Signal release = s.signal();
          Sync.Signal adding = s.signal();
          DeviceEntry e = slowAdd(s, adding, release);
          s.task(
              "renames",
              () -> {
                adding.await();
                s.hotplug.rename(e, "n", Form.THROW);
                assertEquals("n", e.name());
              });
          s.task(
              "releases",
              () -> {
                adding.await();
                for (int i = 0; i < 100; i++) {
                  s.scheduler.step(); // a little time passes
                }
                release.fire();
              });
          s.run();
          judge(s);
        });
  }

  @Test
  @DisplayName("CC-10, CC-19: an add that was to follow a callback is let go, and recorded, too")
  void later() throws Exception {
    Stage.play(
        s -> {
          Sync.Signal release = s.signal();
          Sync.Signal adding = s.signal();
          Stage.Client outer = s.client("outer");
          outer.supported = "e";
          outer.onAdd = h -> s.register(s.client("b"));
          s.register(outer);
          slowAdd(s, adding, release);
          s.task(
              "registers",
              () -> {
                adding.await();
                s.up("e");
                s.log.add("registered");
                release.fire();
              });
          s.run();
          assertTrue(s.at("end of add b e") < s.at("registered"));
          assertTrue(s.at("registered") < s.at("add b d"));
          judge(s, "CC-19");
        });
  }
}
