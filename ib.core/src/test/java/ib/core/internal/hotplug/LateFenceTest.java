package ib.core.internal.hotplug;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.DeviceLease;
import ib.core.client.LeakRecord;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.IbNoDeviceException;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Fences that begin long after the callback that they wait for has begun or failed. */
class LateFenceTest {

  @Test
  @DisplayName("CC-19: a fence that comes after the report still ends at its own deadline")
  void fenceComesLate() throws Exception {
    Stage.play(
        s -> {
          Sync.Signal release = s.signal();
          Sync.Signal reported = s.signal();
          Stage.Client a = s.client("a");
          a.onAdd =
              h -> {
                release.await();
                return null;
              };
          s.register(a);
          FakeHooks d = s.device("d");
          DeviceEntry e = s.announced(d);
          s.scheduler.whenIdle(reported::fire); // the report is made, the watchdog sleeps
          s.scheduler.whenIdle(release::fire);
          s.task("driver", () -> s.hotplug.bringUp(e));
          s.task(
              "late",
              () -> {
                reported.await();
                assertFalse(s.stuck.isEmpty(), "the report comes first");
                s.hotplug.unregister(e, Form.THROW);
                assertEquals(DeviceEntry.State.GONE, e.state);
                assertFalse(s.log.contains("end of add a d"), "it was given up, not waited for");
              });
          s.run();
          assertTrue(s.stuck.getLast().revoked());
          assertTrue(d.gone);
        });
  }

  @Test
  @DisplayName("CC-21, B11: a lease whose handle could not be made is not waited for")
  void failedLease() throws Exception {
    Stage.play(
        s -> {
          boolean[] fails = new boolean[1];
          FakeHooks d =
              new FakeHooks(s.scheduler, "d", 77) {
                @Override
                public BoundHandle bind(String owner, long sequence) {
                  if (fails[0]) {
                    throw new IbInvalidException("bind", "planned", "");
                  }
                  return super.bind(owner, sequence);
                }
              };
          s.register(s.client("a"));
          s.task(
              "main",
              () -> {
                DeviceEntry e = s.up(d);
                fails[0] = true;
                assertThrows(IbInvalidException.class, () -> s.hotplug.lease("d", "main"));
                assertTrue(e.leases.isEmpty());
                s.hotplug.unregister(e, Form.THROW);
              });
          s.run();
          assertTrue(d.gone);
          assertTrue(s.stuck.isEmpty());
        });
  }

  @Test
  @DisplayName("CC-21: a lease whose handle comes after the deadline is swept at once, and refused")
  void lateLease() throws Exception {
    Stage.play(
        s -> {
          Sync.Signal binding = s.signal();
          Sync.Signal never = s.signal();
          FakeHooks d =
              new FakeHooks(s.scheduler, "d", 77) {
                @Override
                public BoundHandle bind(String owner, long sequence) {
                  binding.fire();
                  never.await();
                  return super.bind(owner, sequence);
                }
              };
          DeviceEntry e = s.announced(d);
          s.task(
              "user",
              () -> {
                s.hotplug.bringUp(e);
                IbNoDeviceException x =
                    assertThrows(IbNoDeviceException.class, () -> s.hotplug.lease("d", "late"));
                assertTrue(x.getMessage().contains("the device has just gone"), x.getMessage());
              });
          s.task(
              "driver",
              () -> {
                binding.await();
                s.hotplug.unregister(e, Form.THROW);
                assertEquals(DeviceEntry.State.GONE, e.state);
                never.fire();
              });
          s.run();
          assertEquals(1, d.handles.getFirst().sweeps);
          assertTrue(s.stuck.getLast().revoked());
        });
  }

  @Test
  @DisplayName("CC-21, CC-19: a lease whose close hangs is given up, and is not swept once more")
  void closeHangs() throws Exception {
    Stage.play(
        s -> {
          FakeHooks d = s.device("d");
          Sync.Signal closing = s.signal();
          Sync.Signal never = s.signal();
          DeviceEntry e = s.announced(d);
          s.task(
              "user",
              () -> {
                s.hotplug.bringUp(e);
                DeviceLease lease = s.hotplug.lease("d", "slow");
                FakeHooks.Handle h = (FakeHooks.Handle) lease.device();
                h.make("PD 1");
                h.inSweep =
                    () -> {
                      closing.fire();
                      never.await();
                    };
                lease.close();
                lease.close();
              });
          s.task(
              "driver",
              () -> {
                closing.await();
                s.hotplug.unregister(e, Form.THROW);
                assertTrue(e.leases.isEmpty());
                never.fire();
              });
          s.run();
          assertTrue(d.gone);
          assertEquals(1, d.handles.getFirst().sweeps);
          assertEquals(List.of("PD 1"), s.leaks.stream().map(LeakRecord::object).toList());
        });
  }

  @Test
  @DisplayName(
      "CC-21, S32: a lease that is given up and cannot be swept is reported; the device goes")
  void leaseSweepThrows() throws Exception {
    Stage.play(
        s -> {
          FakeHooks d = s.device("d");
          Sync.Signal leased = s.signal();
          DeviceEntry e = s.announced(d);
          s.task(
              "user",
              () -> {
                s.hotplug.bringUp(e);
                DeviceLease lease = s.hotplug.lease("d", "forgetful");
                ((FakeHooks.Handle) lease.device()).inSweep =
                    () -> {
                      throw new IllegalStateException("no cleanup");
                    };
                leased.fire();
              });
          s.task(
              "driver",
              () -> {
                leased.await();
                s.hotplug.unregister(e, Form.THROW);
              });
          s.run();
          assertTrue(d.gone);
          assertEquals(List.of("teardown of lease of forgetful: no cleanup"), s.failures);
        });
  }
}
