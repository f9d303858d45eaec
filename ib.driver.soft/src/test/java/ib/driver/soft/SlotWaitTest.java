package ib.driver.soft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.IbClient;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.IbDeadlockException;
import ib.core.verbs.IbDevice;
import ib.driver.base.Slot;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("2.6-4: waits for slots are in the graph of the midlayer")
@Timeout(50) // a hang: slots end their waits after 120 s
final class SlotWaitTest {
  private final Lab lab = new Lab("soft0", "soft1");

  @AfterEach
  void close() {
    lab.close();
  }

  @Test
  @DisplayName(
      "two clients in add, each of which unplugs the other's device: one is refused at once")
  void slotsCross() throws Exception {
    CountDownLatch both = new CountDownLatch(2);
    CountDownLatch ends = new CountDownLatch(2);
    AtomicInteger adds = new AtomicInteger();
    List<Throwable> thrown = new CopyOnWriteArrayList<>();
    Slot<SoftConfig> zero = lab.slot("soft0");
    Slot<SoftConfig> one = lab.slot("soft1");
    zero.unplug();
    one.unplug();
    IbClient client =
        new IbClient() {
          @Override
          public String name() {
            return "crossing";
          }

          @Override
          public boolean supports(DeviceInfo device) {
            return true;
          }

          @Override
          public @Nullable Object add(IbDevice device) {
            if (adds.incrementAndGet() > 2) {
              return null;
            }
            both.countDown();
            try {
              assertTrue(both.await(10, TimeUnit.MINUTES));
              (device.name().equals("soft0") ? one : zero).unplug();
            } catch (IbDeadlockException e) {
              thrown.add(e);
            } catch (InterruptedException e) {
              throw new AssertionError(e);
            } finally {
              ends.countDown();
            }
            return null;
          }

          @Override
          public void remove(IbDevice device, @Nullable Object data) {}
        };
    lab.midlayer.core().registerClient(client);
    Thread a = Thread.ofPlatform().daemon().start(() -> plug(zero));
    Thread b = Thread.ofPlatform().daemon().start(() -> plug(one));
    assertTrue(ends.await(10, TimeUnit.MINUTES), "both calls return");
    assertEquals(1, thrown.size(), "one was refused, the other done: " + thrown);
    assertInstanceOf(IbDeadlockException.class, thrown.getFirst());
    a.join();
    b.join();
  }

  /** Unplugs a device whose client, in remove, ends the done() in which the action runs. */
  private void inDone(Runnable action) throws InterruptedException {
    Slot<SoftConfig> slot = lab.slot("soft0");
    DoneClient client = new DoneClient(action);
    lab.midlayer.core().registerClient(client);
    await(client.inside);
    Thread removal = Thread.ofPlatform().daemon().start(slot::unplug);
    await(client.removing);
    DoneClient.until(() -> DoneClient.waits(client.remover));
    client.go.countDown();
    await(client.returned);
    removal.join();
    assertNull(client.thrown);
  }

  private static void await(CountDownLatch latch) throws InterruptedException {
    assertTrue(latch.await(10, TimeUnit.MINUTES));
  }

  @Test
  @DisplayName("F19: a configuration update in done() does not wait for the removal that awaits it")
  void configurationUpdate() throws Exception {
    String pid = lab.slot("soft0").pid();
    inDone(
        () -> {
          lab.devices.configure(pid, Map.of("ports", "2"));
          lab.devices.configure("ib.driver.soft~soft2", Map.of());
          lab.devices.delete(pid);
        });
    lab.slot("soft2").quiesce();
    assertTrue(lab.slot("soft2").plugged());
    // the slot leaves the table after those that wait for its unplug were let go
    DoneClient.until(() -> lab.devices.slots().stream().noneMatch(s -> s.pid().equals(pid)));
    assertEquals(List.of(), lab.errors);
    assertEquals(List.of(), lab.midlayer.core().violations());
  }

  @Test
  @DisplayName("B15: a bundle that stops in done() does not wait for the removal that awaits it")
  void bundleStops() throws Exception {
    inDone(lab.devices::stop);
    assertEquals(2, lab.errors.size(), lab.errors.toString());
    assertTrue(lab.errors.getFirst().contains("waits, in the end, for the caller"));
    assertEquals(List.of(), lab.midlayer.core().violations());
    assertEquals(List.of(), lab.midlayer.core().devices());
  }

  /** Another thread may unplug it before this returns, which is told. */
  private static void plug(Slot<SoftConfig> slot) {
    try {
      slot.plug();
    } catch (ib.core.verbs.IbNoDeviceException e) {
      assertTrue(e.getMessage().contains("unplugged"), e.getMessage());
    }
  }
}
