package ib.tools.pingpong;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.Gid;
import ib.tools.getopt.CommandException;
import ib.tools.run.Listener;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("the ping-pongs' exchange over TCP")
class ExchangeTest {
  private static final Address A = new Address(0, 0x12, 0xc67027, Gid.parse("::ffff:10.77.0.2"));
  private static final Address B = new Address(0xfffe, 0xffffff, 0, Gid.ZERO);

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private final ByteArrayOutputStream said = new ByteArrayOutputStream();

  private Listener at(int port) {
    return new Listener("test", null, false, port, new PrintStream(said, true, UTF_8));
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  @Test
  @DisplayName("52 bytes of text, zero at the end")
  void record() {
    assertArrayEquals(ascii("0000:000012:c67027:00000000000000000000ffff0a4d0002\0"), A.toWire());
    assertArrayEquals(ascii("fffe:ffffff:000000:00000000000000000000000000000000\0"), B.toWire());
    assertEquals(A, Address.ofWire(A.toWire()));
    assertEquals(B, Address.ofWire(B.toWire()));
  }

  @Test
  void lines() {
    assertEquals(
        "  local address:  LID 0x0000, QPN 0x000012, PSN 0xc67027, GID ::ffff:10.77.0.2",
        A.line("local", ","));
    assertEquals(
        "  remote address: LID 0xfffe, QPN 0xffffff, PSN 0x000000, GID ::", B.line("remote", ","));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "0:1:2",
        "0:1:2:0",
        "x:1:2:00000000000000000000000000000000",
        "0:1000000:2:00000000000000000000000000000000",
        "0:-1:2:00000000000000000000000000000000",
        "0:1:2:g0000000000000000000000000000000",
        "0:1:2:00000000000000000000000000000000:3",
      })
  @DisplayName("what is not a record is refused")
  void badRecords(String text) {
    assertThrows(RuntimeException.class, () -> Address.ofWire(ascii(text)));
  }

  @Test
  @DisplayName(
      "each end gets the peer's address; the server is ready before the client gets its "
          + "answer")
  void bothSides() throws Exception {
    int port = freePort();
    AtomicReference<List<Address>> connected = new AtomicReference<>();
    CompletableFuture<List<Address>> server =
        CompletableFuture.supplyAsync(
            () -> Exchange.server(Kind.RC, at(port), List.of(A), connected::set, () -> {}));
    assertEquals(List.of(A), clientWhenListening(Kind.RC, port));
    assertEquals(List.of(B), connected.get());
    assertEquals(List.of(B), server.get(10, TimeUnit.MINUTES));
  }

  @Test
  @DisplayName("ibv_srq_pingpong sends 256 records each way, whatever -q: the unused ones are zero")
  void shared() throws Exception {
    int port = freePort();
    CompletableFuture<List<Address>> server =
        CompletableFuture.supplyAsync(
            () -> Exchange.server(Kind.SRQ, at(port), List.of(A, B), b -> {}, () -> {}));
    List<Address> heard = clientWhenListening(Kind.SRQ, port);
    assertEquals(256, heard.size());
    assertEquals(List.of(A, B), heard.subList(0, 2));
    assertEquals(new Address(0, 0, 0, Gid.ZERO), heard.getLast());
    assertEquals(256, server.get(10, TimeUnit.MINUTES).size());
  }

  private static List<Address> clientWhenListening(Kind kind, int port) {
    long start = System.nanoTime();
    while (true) {
      try {
        return Exchange.client(kind, "127.0.0.1", port, List.of(B), () -> {});
      } catch (CommandException e) {
        if (!e.getMessage().startsWith("Couldn't connect to 127.0.0.1:" + port)
            || System.nanoTime() - start > TimeUnit.MINUTES.toNanos(5)) {
          throw e;
        }
        Thread.yield(); // the server has not bound its port yet
      }
    }
  }

  @Test
  @DisplayName("no server there: the original's words")
  void nobody() throws IOException {
    int port = freePort();
    CommandException e =
        assertThrows(
            CommandException.class,
            () -> Exchange.client(Kind.RC, "127.0.0.1", port, List.of(A), () -> {}));
    assertTrue(
        e.getMessage().startsWith("Couldn't connect to 127.0.0.1:" + port + "\n"), e.getMessage());
  }

  @Test
  @DisplayName("port in use: the original's words")
  void inUse() throws IOException {
    try (ServerSocket other = new ServerSocket(0)) {
      int port = other.getLocalPort();
      CommandException e =
          assertThrows(
              CommandException.class,
              () -> Exchange.server(Kind.RC, at(port), List.of(A), b -> {}, () -> {}));
      assertTrue(
          e.getMessage().startsWith("Couldn't listen to port " + port + "\n"), e.getMessage());
    }
  }

  @Test
  @DisplayName(
      "B16: a client that sends something else is refused and counted, its bytes are not "
          + "printed; the wait goes on")
  void garbage() throws Exception {
    int port = freePort();
    CompletableFuture<List<Address>> server =
        CompletableFuture.supplyAsync(
            () -> Exchange.server(Kind.RC, at(port), List.of(A), b -> {}, () -> {}));
    try (Socket socket = connect(port)) {
      socket.getOutputStream().write(ascii("GET / HTTP/1.1\r\n"));
      socket.shutdownOutput();
      assertEquals(-1, socket.getInputStream().read(), "it is closed");
    }
    try (Socket socket = connect(port)) {
      socket.getOutputStream().write("GET / HTTP/1.1\r\n".repeat(10).getBytes(UTF_8), 0, 52);
      assertEquals(-1, socket.getInputStream().read(), "it is closed");
    }
    assertEquals(List.of(A), clientWhenListening(Kind.RC, port));
    assertEquals(List.of(B), server.get(10, TimeUnit.MINUTES));
    String all = said.toString(UTF_8);
    assertTrue(all.endsWith("refused connections: 1 said something else, 1 left\n"), all);
    assertFalse(all.contains("HTTP"), all);
  }

  private static Socket connect(int port) throws IOException {
    long start = System.nanoTime();
    while (true) {
      try {
        return new Socket(InetAddress.getLoopbackAddress(), port);
      } catch (IOException e) {
        if (System.nanoTime() - start > TimeUnit.MINUTES.toNanos(5)) {
          throw e;
        }
        Thread.yield();
      }
    }
  }

  @Test
  @DisplayName("a waiting server can be stopped")
  void stop() throws IOException {
    int port = freePort();
    Runnable stop =
        () -> {
          throw new CommandException("stopped");
        };
    CommandException e =
        assertThrows(
            CommandException.class,
            () -> Exchange.server(Kind.RC, at(port), List.of(A), b -> {}, stop));
    assertEquals("stopped", e.getMessage());
  }
}
