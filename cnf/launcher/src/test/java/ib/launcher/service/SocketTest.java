package ib.launcher.service;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.launcher.service.Shells.Attached;
import ib.launcher.service.Shells.Screen;
import ib.launcher.service.Shells.Streams;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("U12: the socket of a service")
@Timeout(600)
final class SocketTest {
  private static final int STATUS = 7;
  private static final byte[] MUCH = "0123456789".repeat(50_000).getBytes(UTF_8); // several frames

  @TempDir Path temporary;
  private final CountDownLatch waits = new CountDownLatch(1);
  private final CountDownLatch interrupted = new CountDownLatch(1);
  private final CountDownLatch stopped = new CountDownLatch(1);
  private RunFolder folder = new RunFolder(Path.of("unset"));
  private @Nullable FileChannel claimed;
  private @Nullable SocketServer server;

  @BeforeEach
  void open() throws IOException {
    folder = new RunFolder(temporary.resolve("run"));
    claimed = folder.claim();
    assertNotNull(claimed);
    server = SocketServer.open(folder, "1.2.3", "soft9 is missing", new Fake(), stopped::countDown);
  }

  @AfterEach
  void close() throws IOException {
    if (server != null) {
      server.close();
    }
    if (claimed != null) {
      folder.release(claimed);
    }
  }

  /** Commands that print much or wait to be interrupted, and a shell that copies its keys. */
  private final class Fake implements Shells {
    @Override
    public int execute(String commands, Streams streams, Consumer<AutoCloseable> begun) {
      try {
        if (commands.equals("interrupted")) {
          Thread.currentThread().interrupt();
          streams.out().write(MUCH);
          assertTrue(Thread.interrupted());
        } else if (commands.equals("print")) {
          assertEquals(-1, streams.in().read());
          streams.out().write(MUCH);
          streams.err().print("printed");
        } else if (commands.equals("copy")) {
          streams.in().transferTo(streams.out());
        } else {
          begun.accept(interrupted::countDown);
          waits.countDown();
          interrupted.await();
        }
        return STATUS;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public int attach(Screen screen, InputStream keys, OutputStream out, Consumer<Attached> begun)
        throws IOException {
      if (screen.type().equals("deaf")) {
        waits.countDown();
        assertTrue(awaited(interrupted));
        return STATUS;
      }
      out.write(screen.text().getBytes(UTF_8));
      keys.transferTo(out);
      return STATUS;
    }
  }

  private static boolean awaited(CountDownLatch latch) {
    try {
      return latch.await(10, TimeUnit.MINUTES);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private Client client() throws IOException {
    Client client = Client.connect(folder);
    if (client == null) {
      throw new AssertionError("no service in " + folder);
    }
    return client;
  }

  private Frames connect() throws IOException {
    Frames frames = new Frames(SocketChannel.open(UnixDomainSocketAddress.of(folder.socket())));
    Frame hello = frames.receive();
    assertNotNull(hello);
    assertEquals("1.2.3", Hello.of(hello).version());
    return frames;
  }

  @Test
  @DisplayName("output, errors and the status of commands, in frames of any size")
  void executes() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    try (Client client = client()) {
      assertEquals("soft9 is missing", client.missing());
      assertEquals(ProcessHandle.current().pid(), client.process());
      assertEquals(STATUS, client.execute("print", InputStream.nullInputStream(), out, err));
    }
    assertArrayEquals(MUCH, out.toByteArray());
    assertEquals("printed", err.toString(UTF_8));
  }

  @Test
  @DisplayName("U2: a thread that is interrupted while it prints does not end the connection")
  void printsInterrupted() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (Client client = client()) {
      InputStream none = InputStream.nullInputStream();
      assertEquals(STATUS, client.execute("interrupted", none, out, out));
    }
    assertArrayEquals(MUCH, out.toByteArray());
  }

  @Test
  @DisplayName("commands read the caller's standard input, of any length; none is taken unread")
  void input() throws IOException {
    byte[] piped = "0123456789".repeat(300_000).getBytes(UTF_8); // more than may wait unread
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (Client client = client()) {
      InputStream in = new ByteArrayInputStream(piped);
      assertEquals(STATUS, client.execute("copy", in, out, out));
    }
    assertArrayEquals(piped, out.toByteArray());
    InputStream unread = new ByteArrayInputStream(piped);
    interrupted.countDown();
    try (Client client = client()) {
      assertEquals(STATUS, client.execute("wait", unread, out, out));
    }
    assertEquals(piped.length, unread.available());
  }

  @Test
  @DisplayName("a caller that goes interrupts its commands")
  void goes() throws Exception {
    try (Frames frames = connect()) {
      frames.send(Frame.of(Frame.Kind.EXEC, "wait"));
      assertTrue(waits.await(10, TimeUnit.MINUTES));
    }
    assertTrue(interrupted.await(10, TimeUnit.MINUTES));
  }

  @Test
  @DisplayName("a terminal's type and size are checked: what is none ends the connection")
  void screens() throws IOException {
    try (Frames frames = connect()) {
      frames.send(Frame.of(Frame.Kind.ATTACH, "xterm\n120\n40"));
      Frame answer = frames.receive();
      assertNotNull(answer);
      assertEquals("xterm\n120\n40", answer.text());
    }
    for (String bad : new String[] {"", "xterm", "xterm\n-1\n4", "xterm\n1\nx", "\n1\n1"}) {
      try (Frames frames = connect()) {
        frames.send(Frame.of(Frame.Kind.ATTACH, bad));
        assertNull(frames.receive());
      }
    }
  }

  @Test
  @DisplayName("what is no frame, or the server's to send, ends the connection and no other")
  void noFrames() throws IOException {
    try (Frames other = connect()) {
      byte[][] bad = {{99, 0, 0, 0, 0}, {1, 0x7f, 0, 0, 0}, {1, -1, 0, 0, 0}, {7, 0, 0, 0, 0}, {1}};
      for (byte[] bytes : bad) {
        try (SocketChannel channel =
            SocketChannel.open(UnixDomainSocketAddress.of(folder.socket()))) {
          Frames frames = new Frames(channel);
          assertNotNull(frames.receive());
          channel.write(ByteBuffer.wrap(bytes));
          channel.shutdownOutput();
          assertNull(frames.receive());
        }
      }
      other.send(Frame.of(Frame.Kind.ATTACH, "xterm\n120\n40"));
      Frame answer = other.receive();
      assertNotNull(answer);
      assertEquals("xterm\n120\n40", answer.text());
      other.send(Frame.of(Frame.Kind.INPUT, "x"));
      answer = other.receive();
      assertNotNull(answer);
      assertEquals("x", answer.text());
    }
    assertThrows(
        IOException.class,
        () -> {
          try (Frames frames = connect()) {
            frames.send(new Frame(Frame.Kind.INPUT, new byte[Frames.MAX_BODY + 1]));
          }
        });
  }

  @Test
  @DisplayName("keys that no shell reads are bounded, and the caller is informed")
  void keysAreBounded() throws Exception {
    try (Frames frames = connect()) {
      frames.send(Frame.of(Frame.Kind.ATTACH, "deaf\n80\n24"));
      assertTrue(waits.await(10, TimeUnit.MINUTES));
      Frame keys = new Frame(Frame.Kind.INPUT, new byte[Frames.MAX_BODY]);
      for (int i = 0; i <= Input.MAX_WAITING / Frames.MAX_BODY; i++) {
        frames.send(keys);
      }
      Frame why = frames.receive();
      assertNotNull(why);
      assertEquals("ib: more than 1048576 bytes wait for a shell that does not read\n", why.text());
      assertNull(frames.receive());
    } finally {
      interrupted.countDown();
    }
  }

  @Test
  @DisplayName("only the user can reach the socket, and one service has the folder")
  void isPrivate() throws IOException {
    assertEquals(
        "rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.path())));
    assertEquals(
        "rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.socket())));
    Files.setPosixFilePermissions(folder.path(), PosixFilePermissions.fromString("rwxr-x---"));
    IOException e = assertThrows(IOException.class, folder::claim);
    assertTrue(e.getMessage().contains("has mode rwxr-x---, not rwx------"), e.getMessage());
  }

  @Test
  @DisplayName("STOP stops the runtime; a closed or killed service does not run")
  void stops() throws Exception {
    try (Client client = client()) {
      client.stop();
    }
    assertTrue(stopped.await(10, TimeUnit.MINUTES));
    SocketServer open = server;
    assertNotNull(open);
    open.close();
    assertFalse(Files.exists(folder.socket()));
    assertNull(Client.connect(folder));
    Files.createFile(folder.socket()); // as kill -9 leaves it: nobody accepts
    assertNull(Client.connect(folder));
  }

  @Test
  @DisplayName("a path that is too long for a socket is refused with advice")
  void longPath() {
    RunFolder deep = new RunFolder(temporary.resolve("x".repeat(120)));
    IOException e = assertThrows(IOException.class, deep::create);
    assertTrue(e.getMessage().endsWith("name another folder with IB_RUN"), e.getMessage());
  }
}
