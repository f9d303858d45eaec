package ib.core.internal.hotplug;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.DeviceInfo;
import ib.core.verbs.IbAgainException;
import ib.core.verbs.IbDeadlockException;
import ib.core.verbs.IbExistsException;
import ib.core.verbs.IbNoDeviceException;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Renames that meet other names, failures, removals and callbacks that do not return. */
@DisplayName("CC-15: renames that meet something else")
class RenameTest {

  private static List<String> renames(Stage s) {
    return s.log.stream().filter(l -> l.startsWith("renamed ")).toList();
  }

  @Test
  @DisplayName("CC-15: the name that a device has already is no rename, and holds up none")
  void sameName() throws Exception {
    Stage.play(
        s -> {
          FakeHooks d = s.device("d");
          s.task(
              "main",
              () -> {
                s.register(s.client("a"));
                s.up("first");
                DeviceEntry e = s.up(d);
                assertEquals(1, e.info().index());
                assertEquals(e.info(), d.identity, "the index is given before the probe");
                s.hotplug.rename(e, "d", Form.THROW);
                s.hotplug.rename(e, "n", Form.THROW);
                assertEquals("n", d.identity.name());
              });
          s.run();
          assertEquals(List.of("renamed d a n"), renames(s));
        });
  }

  @Test
  @DisplayName("CC-15: while a rename waits its name is taken, and the device gets no other")
  void underWay() throws Exception {
    Stage.play(
        s -> {
          Sync.Signal adding = s.signal();
          Sync.Signal release = s.signal();
          Stage.Client a = s.client("a");
          a.onAdd =
              h -> {
                adding.fire();
                release.await();
                return null;
              };
          s.register(a);
          DeviceEntry e = s.announced(s.device("d"));
          s.task("driver", () -> s.hotplug.bringUp(e));
          s.task(
              "renames",
              () -> {
                adding.await();
                s.hotplug.rename(e, "n", Form.RECORD); // let go at the deadline; it stays queued
                FakeHooks n = s.device("n");
                IbExistsException taken =
                    assertThrows(IbExistsException.class, () -> s.announced(n));
                assertTrue(taken.getMessage().contains("a device n already"), taken.getMessage());
                IbAgainException again =
                    assertThrows(
                        IbAgainException.class, () -> s.hotplug.rename(e, "m", Form.THROW));
                assertTrue(again.getMessage().contains("being renamed"), again.getMessage());
                release.fire();
              });
          s.run();
          assertEquals("n", e.name());
          assertEquals(List.of("renamed d a n"), renames(s));
        });
  }

  @Test
  @DisplayName("CC-15: a device that goes is not renamed, and its clients hear of no new name")
  void goes() throws Exception {
    Stage.play(
        s -> {
          Stage.Client a = s.client("a");
          s.register(a);
          DeviceEntry e = s.announced(s.device("d"));
          a.onRemove =
              h -> {
                IbNoDeviceException x =
                    assertThrows(
                        IbNoDeviceException.class, () -> s.hotplug.rename(e, "n", Form.THROW));
                assertTrue(x.getMessage().contains("being removed"), x.getMessage());
                return null;
              };
          s.task(
              "main",
              () -> {
                s.hotplug.bringUp(e);
                s.hotplug.unregister(e, Form.THROW);
              });
          s.run();
          assertEquals(List.of(), renames(s));
          assertEquals(List.of(), s.failures);
          assertEquals("d", e.name());
        });
  }

  @Test
  @DisplayName("CC-15: a rename that comes after the end of its device does not call the driver")
  void tooLate() throws Exception {
    Stage.play(
        s -> {
          FakeHooks d =
              new FakeHooks(s.scheduler, "d", 77) {
                @Override
                public void identify(DeviceInfo now) {
                  assertFalse(gone, "the device is gone");
                  super.identify(now);
                }
              };
          s.task(
              "main",
              () -> {
                s.register(s.client("a"));
                DeviceEntry e = s.up(d);
                Book book = s.hotplug.book;
                Calls calls = new Calls(book);
                Bindings bindings = new Bindings(book, calls);
                Teardown teardown = new Teardown(book, calls, bindings);
                Op late = new Devices(book, calls, bindings, teardown).rename(e, "n");
                s.hotplug.unregister(e, Form.THROW); // comes before it
                assertNull(e.actor.perform(late));
                assertEquals("d", e.name());
              });
          s.run();
          assertEquals(List.of(), renames(s));
        });
  }

  @Test
  @DisplayName("CC-15, B15: a rename inside a callback of the device is refused, and happens after")
  void insideCallback() throws Exception {
    Stage.play(
        s -> {
          Stage.Client a = s.client("a");
          s.register(a);
          DeviceEntry e = s.announced(s.device("d"));
          a.onAdd =
              h -> {
                if (s.violations.isEmpty()) {
                  assertThrows(
                      IbDeadlockException.class, () -> s.hotplug.rename(e, "n", Form.THROW));
                  assertThrows(IbDeadlockException.class, () -> s.hotplug.reset(e, () -> {}));
                }
                return null;
              };
          s.task("main", () -> s.hotplug.bringUp(e));
          s.run();
          assertEquals("n", e.name());
          assertEquals(
              List.of("CC-15", "CC-23"), s.violations.stream().map(v -> v.clause()).toList());
        });
  }

  @Test
  @DisplayName("CC-15, CC-18: a client that throws from renamed is named; the next one is called")
  void clientThrows() throws Exception {
    Stage.play(
        s -> {
          Stage.Client a = s.client("a");
          a.onRenamed =
              h -> {
                throw new IllegalStateException("not my name");
              };
          s.task(
              "main",
              () -> {
                s.register(a);
                s.register(s.client("b"));
                s.hotplug.rename(s.up("d"), "n", Form.THROW);
                assertTrue(s.status("a", "n").lastError().startsWith("renamed: "));
              });
          s.run();
          assertEquals(List.of("renamed d a n", "renamed d b n"), renames(s));
          assertEquals(List.of("renamed of a on n: not my name"), s.failures);
        });
  }

  @Test
  @DisplayName("CC-15, CC-19: renamed hangs when the device goes: swept, the others hear it once")
  void clientHangs() throws Exception {
    Stage.play(
        s -> {
          Sync.Signal renaming = s.signal();
          Sync.Signal release = s.signal();
          FakeHooks d = s.device("d");
          Stage.Client a = s.client("a");
          a.onRenamed =
              h -> {
                renaming.fire();
                release.await();
                throw new IllegalStateException("too late to be heard");
              };
          Stage.Client b = s.client("b");
          b.onRenamed =
              h -> {
                assertTrue(d.handles.getFirst().poisoned, "what a revoked client has goes first");
                release.fire();
                for (int i = 0; i < 30; i++) {
                  s.scheduler.step(); // the thread that hung comes back, and has to stop
                }
                return null;
              };
          DeviceEntry e = s.announced(d);
          s.register(a);
          s.register(b);
          s.register(s.client("c"));
          s.task(
              "main",
              () -> {
                s.hotplug.bringUp(e);
                s.hotplug.rename(e, "n", Form.THROW);
              });
          s.task(
              "driver",
              () -> {
                renaming.await();
                s.hotplug.unregister(e, Form.THROW);
              });
          s.run();
          assertEquals(List.of("renamed d a n", "renamed d b n", "renamed d c n"), renames(s));
          assertEquals(List.of(), s.failures);
          assertTrue(d.gone);
        });
  }
}
