package ib.tools.perftest;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import ib.core.verbs.Gid;
import ib.core.verbs.Mtu;
import ib.tools.getopt.CommandException;
import ib.tools.run.Listener;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("perftest's exchange over TCP, byte for byte as captured (pt_read, pt_write)")
class TalkTest {
  private static final String CLIENT_KEY =
      "0000:0080:00001a:9914e8:00000a2c:00005644b4f70000:00:00:00:00:00:00:00:00:00:00:ff:ff:0a:4e:00:03:00000000:\0";
  private static final String SERVER_KEY =
      "0000:0080:00001a:e0c247:00000aa3:000055a455826000:00:00:00:00:00:00:00:00:00:00:ff:ff:0a:4e:00:02:00000000:\0";

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static byte[] hex(String text) {
    return HexFormat.of().parseHex(text);
  }

  private static Key key(int psn, int rkey, long address, String gid) {
    return new Key(0, 0x80, 0x1a, psn, rkey, address, Gid.parse(gid));
  }

  @Test
  @DisplayName("a key with and without a GID")
  void keys() {
    Key key = key(0x9914e8, 0xa2c, 0x5644b4f70000L, "::ffff:10.78.0.3");
    assertArrayEquals(ascii(CLIENT_KEY), key.toWire());
    assertEquals(key, Key.ofWire(ascii(CLIENT_KEY)));
    Key lid = new Key(0x12, 1, 0xffffff, 0, -1, -2, null);
    assertArrayEquals(
        ascii("0012:0001:ffffff:000000:ffffffff:fffffffffffffffe:00000000\0"), lid.toWire());
    assertEquals(lid, Key.ofWire(lid.toWire()));
    assertEquals(
        " local address: LID 0000 QPN 0x001a PSN 0x9914e8 OUT 0x80 RKey 0x000a2c VAddr"
            + " 0x005644b4f70000\n"
            + " GID: 00:00:00:00:00:00:00:00:00:00:255:255:10:78:00:03",
        key.lines("local", Tool.Verb.READ));
  }

  @Test
  @DisplayName(
      "the binary records of an exchange over RDMA CM, as captured (cm_sendbw_R, frame 37)")
  void records() {
    byte[] captured =
        hex(
            "0000000000000001000000cb00e9d8060000000000000000"
                + "0000558cd5f2500000000000000000000000ffff0a4e00020000000000000001");
    Key server = new Key(0, 1, 0xcb, 0xe9d806, 0, 0x558cd5f25000L, Gid.parse("::ffff:10.78.0.2"));
    assertEquals(server, Key.ofRecord(captured));
    byte[] mine = server.toRecord();
    captured[55] = 0; // the GID index, which no reader looks at
    assertArrayEquals(captured, mine);
    assertArrayEquals(new byte[56], Key.NONE.toRecord());
    assertEquals(Key.NONE, Key.ofRecord(new byte[56]));
  }

  /** The captured client's bytes go in; what comes out must be the captured server's. */
  @Test
  @DisplayName("the server's side of a captured run")
  void replay() throws Exception {
    int port = freePort();
    Key mine = key(0xe0c247, 0xaa3, 0x55a455826000L, "::ffff:10.78.0.2");
    CompletableFuture<Bandwidth> server =
        CompletableFuture.supplyAsync(
            () -> {
              try (Talk talk = new Talk(at(port), () -> {})) {
                assertEquals(Mtu.MTU_1024, talk.agree(Mtu.MTU_4096));
                assertEquals(0x9914e8, talk.keys(mine).psn());
                Bandwidth theirs = talk.reports(new Bandwidth(0, 0, 0, 0, 0));
                talk.done(mine);
                return theirs;
              }
            });
    ByteArrayOutputStream in = new ByteArrayOutputStream();
    in.writeBytes(Arrays.copyOf(ascii("6.06"), 16));
    in.writeBytes(hex("00001000" + "00000040"));
    in.writeBytes(ascii("3\0" + CLIENT_KEY));
    in.writeBytes(hex("0000000000000bb8" + "0000000000000005" + "3ff9a2cd92998023"));
    in.writeBytes(hex("3ff48efd05bb7409" + "3f3d6ec9a2d67310"));
    in.writeBytes(ascii(CLIENT_KEY + "done\0"));
    ByteArrayOutputStream expected = new ByteArrayOutputStream();
    expected.writeBytes(Arrays.copyOf(ascii("6.06"), 16));
    expected.writeBytes(hex("00001000" + "00000040"));
    expected.writeBytes(ascii("5\0" + SERVER_KEY));
    expected.writeBytes(new byte[5 * Long.BYTES]);
    expected.writeBytes(ascii(SERVER_KEY + "done\0"));
    try (Socket socket = connect(port)) {
      socket.getOutputStream().write(in.toByteArray());
      assertArrayEquals(
          expected.toByteArray(), socket.getInputStream().readNBytes(expected.size()));
    }
    Bandwidth theirs = server.get(10, TimeUnit.MINUTES);
    assertEquals(
        " 3000       5                1.60               1.28   \t\t   0.000449",
        theirs.line(false));
  }

  @Test
  @DisplayName(
      "perftest 6.24 closes the connection after its last key, as a client and as a server")
  void hangsUp() throws Exception {
    Key mine = key(0xe0c247, 0xaa3, 0x55a455826000L, "::ffff:10.78.0.2");
    int port = freePort();
    CompletableFuture<Void> server =
        CompletableFuture.runAsync(
            () -> {
              try (Talk talk = new Talk(at(port), () -> {})) {
                talk.agree(Mtu.MTU_1024);
                talk.done(mine);
              }
            });
    try (Socket socket = connect(port)) {
      greet(socket);
      socket.getOutputStream().write(ascii(CLIENT_KEY));
      assertArrayEquals(ascii(SERVER_KEY), socket.getInputStream().readNBytes(SERVER_KEY.length()));
    }
    server.get(10, TimeUnit.MINUTES);
    try (ServerSocket listening = new ServerSocket(0)) {
      CompletableFuture<Void> client =
          CompletableFuture.runAsync(
              () -> {
                try (Talk talk = new Talk("127.0.0.1", listening.getLocalPort(), () -> {})) {
                  talk.done(mine);
                }
              });
      try (Socket socket = listening.accept()) {
        socket.getInputStream().readNBytes(SERVER_KEY.length());
        socket.getOutputStream().write(ascii(CLIENT_KEY));
      }
      client.get(10, TimeUnit.MINUTES);
    }
  }

  @Test
  @DisplayName("a peer that leaves before its last key has failed")
  void hangsUpTooEarly() throws Exception {
    int port = freePort();
    CompletableFuture<Void> server =
        CompletableFuture.runAsync(
            () -> {
              try (Talk talk = new Talk(at(port), () -> {})) {
                talk.agree(Mtu.MTU_1024);
                talk.done(key(1, 2, 3, "::1"));
              }
            });
    try (Socket socket = connect(port)) {
      greet(socket);
      socket.getOutputStream().write(ascii(CLIENT_KEY), 0, 50);
    }
    Exception e = assertThrows(ExecutionException.class, () -> server.get(5, TimeUnit.MINUTES));
    assertEquals(CommandException.class, e.getCause().getClass());
  }

  @Test
  @DisplayName(
      "B16: a peer that sends something else, or leaves, is refused and counted; the wait "
          + "goes on")
  void garbage() throws Exception {
    int port = freePort();
    CompletableFuture<Mtu> server =
        CompletableFuture.supplyAsync(
            () -> {
              try (Talk talk = new Talk(at(port), () -> {})) {
                return talk.agree(Mtu.MTU_1024);
              }
            });
    for (String text : new String[] {"GET / HTTP/1.1\r\nHost: x\r\n", "6.06", ""}) {
      try (Socket socket = connect(port)) {
        socket.getOutputStream().write(ascii(text));
        socket.shutdownOutput();
        assertEquals(true, closed(socket), text);
      }
    }
    try (Socket socket = connect(port)) { // one of the right form, and too old
      socket.getOutputStream().write(Arrays.copyOf(ascii("5.60"), 16));
      Exception e = assertThrows(ExecutionException.class, () -> server.get(5, TimeUnit.MINUTES));
      assertEquals(CommandException.class, e.getCause().getClass());
    }
    String all = said.toString(StandardCharsets.UTF_8);
    assertEquals("1 said something else, 2 left", all.strip().replaceAll("(?s).*: ", ""));
  }

  /** Closed, or reset where what was sent has not been read. */
  private static boolean closed(Socket socket) {
    try {
      return socket.getInputStream().read() < 0;
    } catch (IOException e) {
      return true;
    }
  }

  private static final byte[] VERSION = Arrays.copyOf(ascii("6.06"), 16);

  /** Takes the first steps, as a client. */
  private static void greet(Socket socket) throws IOException {
    socket.getOutputStream().write(VERSION);
    socket.getOutputStream().write(hex("00001000" + "00000040"));
    socket.getOutputStream().write(ascii("3\0"));
    socket.getInputStream().readNBytes(VERSION.length + 2 * Integer.BYTES + 2);
  }

  private final ByteArrayOutputStream said = new ByteArrayOutputStream();

  private Listener at(int port) {
    PrintStream err = new PrintStream(said, true, StandardCharsets.UTF_8);
    return new Listener("test", null, false, port, err);
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  private static Socket connect(int port) throws IOException {
    long start = System.nanoTime();
    while (true) {
      try {
        return new Socket("127.0.0.1", port);
      } catch (IOException e) {
        if (System.nanoTime() - start > TimeUnit.MINUTES.toNanos(5)) {
          throw e;
        }
        Thread.yield();
      }
    }
  }
}
