package ib.core.internal.hotplug;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.ClientStatus.State;
import ib.core.client.LeakRecord;
import ib.core.testing.Thrown;
import ib.core.verbs.IbInvalidException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What fails or hangs in a client, step by step, and what is left of it. */
@DisplayName("CC-5, CC-18, CC-19: a client's method that fails is logged, and leaves nothing")
class FailureTest {

  @Test
  @DisplayName("CC-25, CC-5: a client that throws when it is asked is rejected, with the reason")
  void supportsThrows() throws Exception {
    Stage.play(
        s -> {
          Stage.Client a = s.client("a");
          a.onAsked =
              () -> {
                throw new IllegalStateException("cannot say");
              };
          s.task(
              "main",
              () -> {
                s.register(a);
                s.register(s.client("b"));
                s.up("d");
                assertEquals(State.REJECTED, s.status("a", "d").state());
                assertTrue(s.status("a", "d").lastError().contains("cannot say"));
                assertEquals(State.LIVE, s.status("b", "d").state());
              });
          s.run();
          assertEquals(List.of("add of a on d: cannot say"), s.failures);
          assertFalse(s.log.contains("add a d"));
        });
  }

  @Test
  @DisplayName(
      "CC-25, CC-19: a client that hangs when it is asked gets no handle when it comes back")
  void supportsHangs() throws Exception {
    Stage.play(
        s -> {
          Sync.Signal asked = s.signal();
          Sync.Signal never = s.signal();
          FakeHooks d = s.device("d");
          Stage.Client a = s.client("a");
          a.onAsked =
              () -> {
                asked.fire();
                never.await();
                return true;
              };
          s.register(a);
          DeviceEntry e = s.announced(d);
          s.task("registrar", () -> s.hotplug.bringUp(e));
          s.task(
              "driver",
              () -> {
                asked.await();
                s.hotplug.unregister(e, Form.THROW);
                never.fire();
              });
          s.run();
          assertTrue(s.stuck.getLast().revoked());
          assertEquals(List.of(), d.handles);
          assertFalse(s.log.contains("add a d"));
        });
  }

  static Stream<Throwable> planned() {
    return Stream.concat(Stream.of(new IbInvalidException("bind", "planned", "")), Thrown.kinds());
  }

  @ParameterizedTest
  @MethodSource("planned")
  @DisplayName("CC-5, D21: a client whose handle cannot be made is rejected, and is asked again")
  void bindThrows(Throwable planned) throws Exception {
    Stage.play(
        s -> {
          boolean[] fails = {true};
          FakeHooks d =
              new FakeHooks(s.scheduler, "d", 77) {
                @Override
                public BoundHandle bind(String owner, long sequence) {
                  if (fails[0]) {
                    throw Thrown.<RuntimeException>sneak(planned);
                  }
                  return super.bind(owner, sequence);
                }
              };
          s.task(
              "main",
              () -> {
                Stage.Client a = s.client("a");
                s.register(a);
                s.up(d);
                assertEquals(State.REJECTED, s.status("a", "d").state());
                fails[0] = false;
                s.hotplug.rebind(a.entry, Form.THROW);
                assertEquals(State.LIVE, s.status("a", "d").state());
              });
          s.run();
          assertEquals(1, s.failures.size());
          assertTrue(s.failures.getFirst().startsWith("add of a on d: "));
        });
  }

  @Test
  @DisplayName("CC-18, S32: a cleanup that throws is logged and is in the report; the rest goes on")
  void sweepThrows() throws Exception {
    Stage.play(
        s -> {
          Stage.Client a = s.client("a");
          a.onAdd =
              h -> {
                h.inSweep =
                    () -> {
                      throw new IllegalStateException("no cleanup");
                    };
                return null;
              };
          s.task(
              "main",
              () -> {
                s.register(a);
                s.hotplug.unregister(s.up("d"), Form.THROW);
              });
          s.run();
          assertEquals(List.of("teardown of a on d: no cleanup"), s.failures);
          String error = s.hotplug.lastRemoval("d").orElseThrow().steps().getFirst().error();
          assertTrue(error.startsWith("teardown: "), error);
        });
  }

  @Test
  @DisplayName("S38: nothing is left of a client that was not interested or rejected, and leaves")
  void leavesNothing() throws Exception {
    Stage.play(
        s -> {
          Stage.Client a = s.client("a");
          a.supported = "none";
          Stage.Client b = s.client("b");
          b.onAdd =
              h -> {
                throw new IllegalStateException("never");
              };
          s.task(
              "main",
              () -> {
                s.register(a);
                s.register(b);
                DeviceEntry e = s.up("d");
                assertEquals(2, e.bindings.size());
                s.hotplug.unregisterClient(a.entry, Form.THROW);
                s.hotplug.unregisterClient(b.entry, Form.THROW);
                assertEquals(0, e.bindings.size());
              });
          s.run();
          assertEquals(List.of("add of b on d: never"), s.failures);
        });
  }

  @Test
  @DisplayName(
      "CC-19, I4: a client that hangs in remove and leaves is cleaned up after, and reported")
  void leaverHangs() throws Exception {
    Stage.play(
        s -> {
          Sync.Signal never = s.signal();
          FakeHooks d = s.device("d");
          Stage.Client a = s.client("a");
          a.onAdd =
              h -> {
                h.make("PD 1");
                return null;
              };
          a.onRemove =
              h -> {
                never.await();
                return null;
              };
          s.scheduler.whenIdle(never::fire);
          s.task(
              "leaver",
              () -> {
                s.register(a);
                s.up(d);
                s.hotplug.unregisterClient(a.entry, Form.THROW);
              });
          s.run();
          assertEquals(1, d.handles.getFirst().sweeps);
          assertEquals(List.of("PD 1"), s.leaks.stream().map(LeakRecord::object).toList());
          assertTrue(s.hotplug.clients().isEmpty());
        });
  }

  @Test
  @DisplayName("CC-19: what a client has whose add is given up goes before the next client comes")
  void sweptBeforeNext() throws Exception {
    Stage.play(
        s -> {
          Sync.Signal adding = s.signal();
          Sync.Signal never = s.signal();
          FakeHooks d = s.device("d");
          Stage.Client a = s.client("a");
          a.onAdd =
              h -> {
                adding.fire();
                never.await();
                return null;
              };
          Stage.Client b = s.client("b");
          b.onAdd = h -> d.log.add("b after " + d.handles.getFirst().sweeps);
          s.register(a);
          s.register(b);
          DeviceEntry e = s.announced(d);
          s.task("driver", () -> s.hotplug.bringUp(e));
          s.task(
              "leaver",
              () -> {
                adding.await();
                s.hotplug.unregisterClient(a.entry, Form.THROW);
                never.fire();
              });
          s.run();
          assertTrue(d.log.contains("b after 1"), d.log.toString());
          assertEquals(State.LIVE, s.status("b", "d").state());
        });
  }

  @Test
  @DisplayName("CC-5: a rebind does not wait for a device where there is nothing to try again")
  void rebindWaitsForNothing() throws Exception {
    Stage.play(
        s -> {
          Sync.Signal adding = s.signal();
          Sync.Signal go = s.signal();
          Stage.Client b = s.client("b");
          b.onAdd =
              h -> {
                adding.fire();
                go.await();
                return null;
              };
          Stage.Client a = s.client("a");
          s.register(a);
          s.register(b);
          s.task("driver", () -> s.up("d"));
          s.task(
              "rebinds",
              () -> {
                adding.await();
                s.hotplug.rebind(a.entry, Form.THROW);
                s.log.add("rebound");
                go.fire();
              });
          s.run();
          assertTrue(s.at("rebound") < s.at("end of add b d"));
          assertEquals(List.of(), s.stuck);
        });
  }
}
