package ib.core.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import ib.core.client.ClientStatus;
import ib.core.client.IbClient;
import ib.core.internal.callback.Contract;
import ib.core.internal.hotplug.Limits;
import ib.core.testing.FakeDevice;
import ib.core.testing.Wait;
import ib.core.verbs.IbDevice;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A client that waits for everything that code can wait for. */
class BlockingClientTest {
  private final Limits quick =
      new Limits(TimeUnit.MICROSECONDS.toNanos(100), TimeUnit.SECONDS.toNanos(60));
  private final List<String> done = new ArrayList<>();

  @Test
  @DisplayName("S33, I5: a client sleeps, does I/O and waits for its worker in add and remove")
  void mayBlock(@TempDir Path folder) {
    try (Midlayer midlayer = new Midlayer(quick)) {
      Blocking client = new Blocking(folder, midlayer);
      midlayer.registerClient(client);
      FakeDevice device = new FakeDevice("fake0");
      var registration = midlayer.register(device);
      ClientStatus status = midlayer.clients().getFirst();
      assertEquals(ClientStatus.State.LIVE, status.bindings().getFirst().state());
      registration.unregister();
      assertEquals(List.of("add", "remove"), done);
      assertEquals(List.of(), midlayer.violations());
      assertEquals("", midlayer.lastRemoval("fake0").orElseThrow().steps().getFirst().error());
      assertEquals(0, device.live());
    }
  }

  private final class Blocking implements IbClient {
    private final Path folder;
    private final Midlayer midlayer;

    Blocking(Path folder, Midlayer midlayer) {
      this.folder = folder;
      this.midlayer = midlayer;
    }

    @Override
    public String name() {
      return "blocking";
    }

    @Override
    public @Nullable Object add(IbDevice device) {
      block("add", device);
      return null;
    }

    @Override
    public void remove(IbDevice device, @Nullable Object clientData) {
      block("remove", device);
    }

    private void block(String what, IbDevice device) {
      assertFalse(Contract.inAtomic(), "no atomic section");
      CountDownLatch worked = new CountDownLatch(1);
      Future<?> worker =
          Wait.start(
              () -> {
                device.allocPd().close(); // back into core and driver from another thread (B1)
                midlayer.clients();
                worked.countDown();
              });
      Wait.on(worked);
      Wait.end(worker);
      try {
        TimeUnit.MILLISECONDS.sleep(20); // past the report of the watchdog, which only tells
        Path file = Files.writeString(folder.resolve(what), what);
        done.add(Files.readString(file));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (InterruptedException e) {
        throw new AssertionError("a client in " + what + " is not interrupted", e);
      }
    }
  }
}
