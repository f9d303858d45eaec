package ib.core.internal.hotplug;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.DeviceLease;
import ib.core.client.Violation;
import ib.core.verbs.IbDeadlockException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Two threads, each inside something for whose end the other waits, played with the product's own
 * classes: {@link CrossModelTest} explores more kinds and schedules with a woven copy of them.
 */
@DisplayName("B15: removals that cross")
class CrossStageTest {
  /** Where a thread is while the other one waits for the end of that. */
  enum Place {
    ADD,
    REMOVE,
    LEASE,
    /** A lease; the other one waits because the service of the device goes. */
    SERVICE
  }

  static Stream<Arguments> pairs() {
    return Arrays.stream(Place.values())
        .flatMap(
            a ->
                Arrays.stream(Place.values())
                    .filter(b -> b.compareTo(a) >= 0)
                    .map(b -> Arguments.of(a, b)));
  }

  /** One thread, where it is, and the device on which it is there. */
  private static final class Side {
    private final Stage stage;
    private final Place place;
    private final String name;
    private final DeviceEntry device;
    private final Sync.Signal here;
    private Side other;
    private boolean acted;
    private boolean left;
    private boolean waited;

    Side(Stage stage, Place place, int number) {
      this.stage = stage;
      this.place = place;
      this.name = "t" + number;
      this.here = stage.signal();
      FakeHooks hooks = stage.device("d" + number);
      Stage.Client client = stage.client("c" + number);
      client.supported = hooks.info.name();
      client.onAdd = h -> actIn(Place.ADD);
      client.onRemove = h -> actIn(Place.REMOVE);
      stage.register(client);
      device = stage.announced(hooks);
      if (place != Place.ADD) {
        stage.hotplug.bringUp(device);
      }
    }

    private void begin() {
      stage.task(name, this::play);
    }

    private void play() {
      switch (place) {
        case ADD -> stage.hotplug.bringUp(device);
        case REMOVE -> stage.hotplug.unregister(device, Form.THROW);
        case LEASE, SERVICE -> {
          DeviceLease lease = stage.hotplug.lease(device.name(), name);
          act();
          lease.close();
        }
      }
    }

    private Object actIn(Place callback) {
      if (callback == place) {
        act();
      }
      return null;
    }

    /** When the other one is inside, too, waits for its end. */
    private void act() {
      if (acted) {
        return;
      }
      acted = true;
      here.fire();
      other.here.await();
      int before = stage.violations.size();
      try {
        Form form = other.place == Place.SERVICE ? Form.RECORD : Form.THROW;
        stage.hotplug.unregister(other.device, form);
        boolean recorded =
            stage.violations.stream()
                .skip(before)
                .anyMatch(v -> v.text().contains(other.device.name()));
        waited = !recorded;
        assertTrue(recorded || other.left, name + " did not wait to the end");
      } catch (IbDeadlockException e) {
        assertTrue(e.getMessage().contains("a cycle of threads: "), e.getMessage());
        assertTrue(e.getMessage().contains(name + " -> "), e.getMessage());
      }
      left = true;
    }
  }

  @ParameterizedTest(name = "{0} and {1}")
  @MethodSource("pairs")
  @DisplayName("B15: one of two gives way at once, the one of the lower rank, and both devices go")
  void pair(Place one, Place two) throws Exception {
    Stage.play(
        s -> {
          Side[] sides = {new Side(s, one, 0), new Side(s, two, 1)};
          for (int i = 0; i < 2; i++) {
            sides[i].other = sides[1 - i];
            sides[i].begin();
          }
          s.run();
          assertTrue(sides[0].waited != sides[1].waited, "exactly one gives way");
          if ((one == Place.SERVICE) != (two == Place.SERVICE)) {
            assertTrue(sides[one == Place.SERVICE ? 1 : 0].waited, "whose service goes waits");
          }
          assertEquals(List.of("CC-7"), distinct(s));
          for (Side side : sides) {
            assertEquals(DeviceEntry.State.GONE, side.device.state);
          }
          assertEquals(List.of(), s.stuck);
          assertEquals(List.of(), s.failures);
          assertTrue(s.hotplug.book.graph.waits().isEmpty());
          assertTrue(s.hotplug.book.tenures.isEmpty());
        });
  }

  private static List<String> distinct(Stage s) {
    return s.violations.stream()
        .map(Violation::clause)
        .map(c -> c.equals("CC-8") ? "CC-7" : c) // it was going already
        .distinct()
        .toList();
  }

  /** A child in whose add a service event takes the parent away, while {@code meanwhile} runs. */
  private static void childAgainst(boolean reset) throws Exception {
    Stage.play(
        s -> {
          Sync.Signal adding = s.signal();
          FakeHooks pf = s.device("pf");
          DeviceEntry parent = s.up(pf);
          FakeHooks vf = s.device("vf");
          DeviceEntry child = s.hotplug.announce(vf, vf.info, "driver", parent);
          Stage.Client a = s.client("a");
          a.supported = "vf";
          a.onAdd =
              h -> {
                adding.fire();
                for (int i = 0; i < 30; i++) {
                  s.scheduler.step(); // the other one comes to its wait for the child
                }
                s.hotplug.unregister(parent, Form.RECORD);
                return null;
              };
          s.register(a);
          s.task("registrar", () -> s.hotplug.bringUp(child));
          s.task(
              "driver",
              () -> {
                adding.await();
                if (reset) {
                  s.hotplug.reset(parent, () -> s.log.add("action"));
                } else {
                  s.hotplug.unregister(parent, Form.THROW);
                }
              });
          s.run();
          assertTrue(s.at("end of add a vf") < s.at("remove a vf"));
          assertEquals(DeviceEntry.State.GONE, parent.state);
          assertEquals(DeviceEntry.State.GONE, child.state);
          assertTrue(vf.gone);
          assertEquals(List.of("probe", "open", "close", "drain", "gone"), pf.log);
          assertEquals(1, s.violations.size(), "the one inside the child cannot wait");
          assertEquals(List.of(), s.stuck);
          assertTrue(s.hotplug.book.graph.waits().isEmpty());
          assertTrue(s.hotplug.book.tenures.isEmpty());
        });
  }

  @Test
  @DisplayName("B15, CC-12: a service event inside a child against the removal of its parent")
  void removalAgainstChild() throws Exception {
    childAgainst(false);
  }

  @Test
  @DisplayName("B15, CC-23: a service event inside a child against the reset of its parent")
  void resetAgainstChild() throws Exception {
    childAgainst(true);
  }

  /**
   * In a remove on another device a thread takes the parent away, or resets it, and waits for its
   * child; in an add on that child another thread waits for the end of the other device, whose
   * service goes.
   */
  private static void giveUpChild(boolean reset) throws Exception {
    Stage.play(
        s -> {
          Sync.Signal adding = s.signal();
          Sync.Signal removing = s.signal();
          FakeHooks pf = s.device("pf");
          DeviceEntry parent = s.up(pf);
          FakeHooks vf = s.device("vf");
          DeviceEntry child = s.hotplug.announce(vf, vf.info, "driver", parent);
          DeviceEntry other = s.up("other");
          Stage.Client a = s.client("a");
          a.supported = "vf";
          a.onAdd =
              h -> {
                adding.fire();
                removing.await();
                for (int i = 0; i < 60; i++) {
                  s.scheduler.step(); // the other one comes to its wait for the child
                }
                s.hotplug.unregister(other, Form.RECORD);
                assertEquals(DeviceEntry.State.GONE, other.state);
                return null;
              };
          Stage.Client c = s.client("c");
          c.supported = "other";
          c.onRemove =
              h -> {
                removing.fire();
                adding.await();
                assertThrows(
                    IbDeadlockException.class,
                    () -> {
                      if (reset) {
                        s.hotplug.reset(parent, () -> s.log.add("action"));
                      } else {
                        s.hotplug.unregister(parent, Form.THROW);
                      }
                    });
                return null;
              };
          s.register(a);
          s.register(c);
          s.task("registrar", () -> s.hotplug.bringUp(child));
          s.task("driver", () -> s.hotplug.unregister(other, Form.THROW));
          s.run();
          assertEquals(List.of(), s.failures);
          assertEquals(1, s.violations.size());
          assertTrue(s.at("end of remove c other") < s.log.indexOf("remove a vf"));
          assertEquals(!reset, pf.gone);
          assertEquals(!reset, vf.gone);
          assertEquals(reset ? 1 : 0, s.log.stream().filter("action"::equals).count());
          assertEquals(reset ? 2 : 1, s.log.stream().filter("add a vf"::equals).count());
          String end = reset ? "open" : "gone";
          assertEquals(List.of("probe", "open", "close", "drain", end), pf.log);
          assertEquals(List.of(), s.stuck);
          assertTrue(s.hotplug.book.graph.waits().isEmpty());
          assertTrue(s.hotplug.book.tenures.isEmpty());
        });
  }

  @Test
  @DisplayName("B15, CC-12: a removal whose wait for a child is given up is done by a helper")
  void removalGivesUpChild() throws Exception {
    giveUpChild(false);
  }

  @Test
  @DisplayName("B15, CC-23: a reset whose wait for a child is given up is done by a helper")
  void resetGivesUpChild() throws Exception {
    giveUpChild(true);
  }

  @Test
  @DisplayName("B15, CC-21: who is refused under its own lease runs no client; a helper does")
  void refusedRunsNothing() throws Exception {
    Stage.play(
        s -> {
          List<String> threads = new ArrayList<>();
          Stage.Client a = s.client("a");
          a.onRemove = h -> threads.add(Thread.currentThread().getName());
          s.register(a);
          s.task(
              "main",
              () -> {
                DeviceEntry parent = s.up("pf");
                FakeHooks vf = s.device("vf");
                s.hotplug.bringUp(s.hotplug.announce(vf, vf.info, "driver", parent));
                DeviceLease lease = s.hotplug.lease("vf", "main");
                assertThrows(
                    IbDeadlockException.class, () -> s.hotplug.unregister(parent, Form.THROW));
                lease.close();
              });
          s.run();
          assertEquals(2, threads.size());
          assertTrue(threads.stream().allMatch(t -> t.startsWith("ib-hotplug ")), "" + threads);
        });
  }
}
