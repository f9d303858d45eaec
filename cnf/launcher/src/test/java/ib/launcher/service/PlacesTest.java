package ib.launcher.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.launcher.service.Shells.Attached;
import ib.launcher.service.Shells.Screen;
import ib.launcher.service.Shells.Streams;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("finding A8: a caller that is one too many waits; those that rescue get in")
@Timeout(600)
final class PlacesTest {
  private static final int STATUS = 7;

  @TempDir Path temporary;
  private final Semaphore entered = new Semaphore(0);
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final List<Frames> callers = new ArrayList<>();
  private RunFolder folder = new RunFolder(Path.of("unset"));
  private @Nullable FileChannel claimed;
  private @Nullable SocketServer server;

  /** Commands that run until their caller goes, but for a look; a shell that ends at once. */
  private final class Fake implements Shells {
    @Override
    public int execute(String commands, Streams streams, Consumer<AutoCloseable> begun) {
      CountDownLatch gone = new CountDownLatch(commands.equals("look") ? 0 : 1);
      begun.accept(gone::countDown);
      entered.release();
      try {
        assertTrue(gone.await(10, TimeUnit.MINUTES));
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      return STATUS;
    }

    @Override
    public int attach(Screen screen, InputStream keys, OutputStream out, Consumer<Attached> begun) {
      return STATUS;
    }
  }

  @BeforeEach
  void open() throws IOException {
    folder = new RunFolder(temporary.resolve("run"));
    claimed = folder.claim();
    assertNotNull(claimed);
    server = SocketServer.open(folder, "1.2.3", "", new Fake(), stopped::countDown);
  }

  @AfterEach
  void close() throws IOException {
    for (Frames caller : callers) {
      caller.close();
    }
    if (server != null) {
      server.close();
    }
    if (claimed != null) {
      folder.release(claimed);
    }
  }

  private Frames ask(Frame request) throws IOException {
    Frames frames = new Frames(SocketChannel.open(UnixDomainSocketAddress.of(folder.socket())));
    assertNotNull(frames.receive());
    frames.send(request);
    return frames;
  }

  @Test
  @DisplayName("beside 32 callers stop, a look and one shell get in, and the 33rd has its turn")
  void rescues() throws Exception {
    for (int i = 0; i < Places.MAX; i++) {
      callers.add(ask(Frame.of(Frame.Kind.EXEC, "wait")));
    }
    entered.acquire(Places.MAX);
    callers.add(ask(Frame.of(Frame.Kind.EXEC, "wait")));
    try (Client client = Client.connect(folder)) {
      assertNotNull(client);
      ByteArrayOutputStream none = new ByteArrayOutputStream();
      assertEquals(STATUS, client.look("look", none, none));
    }
    entered.acquire();
    try (Frames shell = ask(Frame.of(Frame.Kind.ATTACH, "xterm\n80\n24"))) {
      Frame status = shell.receive();
      assertNotNull(status);
      assertEquals(STATUS, status.status());
    }
    try (Client client = Client.connect(folder)) {
      assertNotNull(client);
      client.stop();
    }
    assertTrue(stopped.await(10, TimeUnit.MINUTES));
    assertFalse(entered.tryAcquire(), "the 33rd runs beside 32 others");
    callers.removeFirst().close();
    assertTrue(entered.tryAcquire(10, TimeUnit.MINUTES), "the 33rd has no turn");
  }

  @Test
  @DisplayName("a caller that goes while it waits takes no place")
  void goesWhileItWaits() throws Exception {
    for (int i = 0; i < Places.MAX; i++) {
      callers.add(ask(Frame.of(Frame.Kind.EXEC, "wait")));
    }
    entered.acquire(Places.MAX);
    ask(Frame.of(Frame.Kind.EXEC, "wait")).close();
    callers.add(ask(Frame.of(Frame.Kind.EXEC, "wait")));
    callers.removeFirst().close();
    assertTrue(entered.tryAcquire(10, TimeUnit.MINUTES), "its place is lost");
  }

  @Test
  @DisplayName("finding A7: a socket whose file is lost is made again")
  void lost() throws Exception {
    Files.delete(folder.socket());
    while (!Files.exists(folder.socket())) {
      assertFalse(Thread.currentThread().isInterrupted(), "it is not made again"); // by the timeout
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
    Frames caller = ask(Frame.of(Frame.Kind.EXEC, "look"));
    callers.add(caller);
    Frame status = caller.receive();
    assertNotNull(status);
    assertEquals(STATUS, status.status());
  }
}
