package ib.tools.run;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.tools.getopt.CommandException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("B16: connections of other programs do not end a server, which prints its address")
@Timeout(600)
class ListenerTest {
  private static final long LONG_NS = TimeUnit.SECONDS.toNanos(100);
  private static final long SHORT_NS = TimeUnit.MILLISECONDS.toNanos(300);

  private final ByteArrayOutputStream said = new ByteArrayOutputStream();
  private final List<Socket> strangers = new ArrayList<>();
  private final int port = freePort();

  @AfterEach
  void close() throws IOException {
    for (Socket stranger : strangers) {
      stranger.close();
    }
  }

  private static int freePort() {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private Listener listener(String bind, boolean everywhere, long greetingNs) {
    PrintStream err = new PrintStream(said, true, UTF_8);
    return new Listener("test", bind, everywhere, port, err, greetingNs);
  }

  /** What a client must say: "hello". */
  private CompletableFuture<byte[]> await(Listener listener) {
    CompletableFuture<byte[]> client =
        CompletableFuture.supplyAsync(
            () -> {
              Listener.Met met =
                  listener.await(5, said -> new String(said, UTF_8).equals("hello"), () -> {});
              try (Socket socket = met.socket()) {
                socket.getOutputStream().write(met.greeting());
                return met.greeting();
              } catch (IOException e) {
                throw new IllegalStateException(e);
              }
            });
    while (!said.toString(UTF_8).contains("listening on") && !client.isDone()) {
      LockSupport.parkNanos(1_000_000);
    }
    return client;
  }

  private Socket stranger(String says) throws IOException {
    Socket socket = new Socket("127.0.0.1", port);
    strangers.add(socket);
    socket.getOutputStream().write(says.getBytes(UTF_8));
    return socket;
  }

  private void welcome(CompletableFuture<byte[]> server) throws Exception {
    try (Socket client = new Socket("127.0.0.1", port)) {
      client.getOutputStream().write("hello".getBytes(UTF_8));
      assertEquals("hello", new String(client.getInputStream().readNBytes(5), UTF_8));
    }
    assertEquals("hello", new String(server.get(10, TimeUnit.MINUTES), UTF_8));
  }

  @Test
  @DisplayName("1,000 silent connections do not keep the client out; the oldest ones are closed")
  void silence() throws Exception {
    CompletableFuture<byte[]> server = await(listener(null, false, LONG_NS));
    for (int i = 0; i < 1000; i++) {
      stranger("");
    }
    welcome(server);
    String all = said.toString(UTF_8);
    assertTrue(all.contains("refused connections: ") && all.contains(" oldest of too many"), all);
  }

  @Test
  @DisplayName("a peer that sends a byte now and then is closed after its time")
  void slow() throws Exception {
    CompletableFuture<byte[]> server = await(listener(null, false, SHORT_NS));
    Socket slow = stranger("h");
    assertEquals(-1, slow.getInputStream().read());
    welcome(server);
    assertTrue(
        said.toString(UTF_8).contains("refused connections: 1 said too little for too long"));
  }

  @Test
  @DisplayName("a greeting in single bytes is a greeting")
  void bytes() throws Exception {
    CompletableFuture<byte[]> server = await(listener(null, false, LONG_NS));
    Socket client = stranger("");
    client.setTcpNoDelay(true);
    for (byte b : "hello".getBytes(UTF_8)) {
      client.getOutputStream().write(b);
      LockSupport.parkNanos(1_000_000);
    }
    assertEquals("hello", new String(client.getInputStream().readNBytes(5), UTF_8));
    assertEquals(5, server.get(10, TimeUnit.MINUTES).length);
  }

  @Test
  @DisplayName("this host only, every address where clients are other hosts, or the one asked for")
  void where() throws Exception {
    welcome(await(listener(null, false, LONG_NS)));
    String host = "test: listening on 127.0.0.1, TCP port " + port + ", for this host only\n";
    assertEquals(host, said.toString(UTF_8));
    said.reset();
    welcome(await(listener(null, true, LONG_NS)));
    assertEquals("test: listening on every address, TCP port " + port + "\n", said.toString(UTF_8));
    said.reset();
    CompletableFuture<byte[]> other = await(listener("127.0.0.2", true, LONG_NS));
    assertThrows(IOException.class, () -> new Socket("127.0.0.1", port).close());
    try (Socket client = new Socket()) {
      client.connect(new InetSocketAddress("127.0.0.2", port));
      client.getOutputStream().write("hello".getBytes(UTF_8));
      assertEquals(5, other.get(10, TimeUnit.MINUTES).length);
    }
    assertThrows(CommandException.class, () -> listener("no such host", false, LONG_NS));
  }

  @Test
  @DisplayName("Ctrl-C closes the socket and all connections")
  void interrupt() throws Exception {
    Listener listener = listener(null, false, LONG_NS);
    Runnable stop =
        () -> {
          if (Thread.interrupted()) {
            throw new CommandException(130, "interrupted");
          }
        };
    CompletableFuture<String> ended = new CompletableFuture<>();
    Thread command =
        Thread.ofPlatform()
            .start(
                () -> {
                  try {
                    listener.await(5, said -> true, stop);
                  } catch (CommandException e) {
                    ended.complete(e.getMessage());
                  }
                });
    while (!said.toString(UTF_8).contains("listening on")) {
      LockSupport.parkNanos(1_000_000);
    }
    Socket silent = stranger("h");
    command.interrupt();
    assertEquals("interrupted", ended.get(10, TimeUnit.MINUTES));
    silent.setSoTimeout(60_000);
    try {
      assertEquals(-1, silent.getInputStream().read());
    } catch (java.net.SocketException e) {
      assertTrue(e.getMessage().contains("reset"), e.getMessage());
    }
    assertThrows(IOException.class, () -> new Socket("127.0.0.1", port).close());
  }
}
