package ib.tools.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.spi.PacketCapture;
import ib.core.spi.PacketCapture.Filter;
import ib.driver.soft.standalone.SoftFabric;
import ib.tools.getopt.CommandException;
import ib.tools.output.Listing;
import ib.tools.pingpong.Kind;
import ib.tools.pingpong.PingPong;
import ib.tools.run.WarmUp;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("users J6: ib:capture")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CapturesTest {
  private final SoftFabric fabric = SoftFabric.open("cap0", "cap1");
  private final Captures captures = new Captures();
  private final List<PacketCapture> offered =
      fabric.names().stream().map(name -> fabric.service(name, PacketCapture.class)).toList();

  @AfterEach
  void close() {
    captures.close();
    fabric.close();
  }

  private Captures.Row run(String line) {
    return captures.run(offered, line.split(" ")).getFirst();
  }

  private void pingPong(int iterations) {
    pingPong(iterations, 64);
  }

  private void pingPong(int iterations, int bytes) {
    PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
    PingPong.run(
        fabric.core(),
        new WarmUp(List.of(), offered),
        Kind.RC,
        nowhere,
        nowhere,
        "-d",
        "cap0",
        "-n",
        "" + iterations,
        "-s",
        "" + bytes,
        "cap1");
  }

  @Test
  @DisplayName("to a file: start, status, stop")
  void file(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("x.pcapng");
    assertEquals(
        new Captures.Row("cap0", file.toString(), "running", 0, 0), run("start cap0 " + file));
    pingPong(10);
    assertEquals("running", run("status").state());
    Captures.Row last = run("stop cap0");
    assertEquals(40, last.packets(), "10 sends and their acknowledgements, both ways");
    assertEquals(0, last.dropped());
    assertTrue(Files.size(file) > 40 * 64);
    Listing<Captures.Row> none = captures.run(offered, "status");
    assertEquals("DEVICE  TO  STATE  PACKETS  DROPPED", none.text());
  }

  @Test
  @DisplayName("B16: only its user can read a capture, and it overwrites a file only with --force")
  void itsUsersAlone(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("x.pcapng");
    run("start cap0 " + file);
    run("stop");
    assertEquals("rw-------", mode(file));
    Files.writeString(file, "precious");
    CommandException e = assertThrows(CommandException.class, () -> run("start cap0 " + file));
    assertEquals(
        "ib:capture: cannot write " + file + ": it is there already; --force overwrites it",
        e.getMessage());
    assertEquals("precious", Files.readString(file));
    Path link = Files.createSymbolicLink(folder.resolve("link"), folder.resolve("elsewhere"));
    assertThrows(CommandException.class, () -> run("start cap0 " + link));
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    run("start --force cap0 " + file);
    run("stop");
    assertEquals("rw-------", mode(file));
    assertTrue(Files.size(file) > 8, "a capture");
  }

  private static String mode(Path file) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
  }

  @Test
  @DisplayName("B17: a file that cannot be written is reported once, with the reason")
  void reasons(@TempDir Path folder) {
    Path file = folder.resolve("no/such/x");
    CommandException e = assertThrows(CommandException.class, () -> run("start cap0 " + file));
    assertEquals("ib:capture: cannot write " + file + ": there is no such folder", e.getMessage());
    e = assertThrows(CommandException.class, () -> run("start --force cap0 " + folder));
    assertEquals("ib:capture: cannot write " + folder + ": Is a directory", e.getMessage());
    e = assertThrows(CommandException.class, () -> run("start cap0 /proc/nobody-may"));
    assertTrue(e.getMessage().startsWith("ib:capture: cannot write /proc/nobody-may: "));
    assertFalse(e.getMessage().contains("\n"), e.getMessage());
  }

  @Test
  @DisplayName("B16: readers that connect and leave, or send bytes, do not end a capture to a port")
  void strangers() throws IOException {
    String target = run("start -t 0 cap0").target();
    int port = Integer.parseInt(target.substring(target.lastIndexOf(':') + 1));
    for (int i = 0; i < 200; i++) {
      new Socket(InetAddress.getLoopbackAddress(), port).close();
    }
    try (Socket stranger = new Socket(InetAddress.getLoopbackAddress(), port)) {
      stranger.getOutputStream().write("GET / HTTP/1.1\r\n".getBytes(StandardCharsets.UTF_8));
      while (!run("status").state().equals("waiting for a reader, 1 refused")) {
        LockSupport.parkNanos(10_000_000); // without a packet, all of them are noticed
      }
    }
    try (Socket reader = new Socket(InetAddress.getLoopbackAddress(), port)) {
      assertEquals(12, reader.getInputStream().readNBytes(12).length);
      run("stop");
      assertTrue(reader.getInputStream().readAllBytes().length > 0, "the end is written");
    }
  }

  @Test
  @DisplayName(
      "B16: 1,000 who connect and never read: traffic goes on, and all end with the command")
  void silence() throws IOException {
    String target = run("start -t 0 cap0").target();
    int port = Integer.parseInt(target.substring(target.lastIndexOf(':') + 1));
    List<SocketChannel> strangers = new ArrayList<>();
    try {
      for (int i = 0; i < 1000; i++) {
        strangers.add(SocketChannel.open());
        strangers.getLast().configureBlocking(false);
        strangers.getLast().connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      }
      running();
      pingPong(2000, 4096); // more than the sockets take
      assertTrue(run("stop").dropped() > 0);
      assertFalse(
          Thread.getAllStackTraces().keySet().stream()
              .anyMatch(t -> t.getName().equals("ib-capture-" + port)));
      new ServerSocket(port, 1, InetAddress.getLoopbackAddress()).close(); // nobody has it
    } finally {
      for (SocketChannel stranger : strangers) {
        stranger.close();
      }
    }
    run("start -t " + port + " cap0");
    try (Socket reader = new Socket(InetAddress.getLoopbackAddress(), port)) {
      assertEquals(12, reader.getInputStream().readNBytes(12).length);
    }
  }

  private Captures.Row running() {
    for (; ; ) {
      Captures.Row row = run("status");
      if (row.state().equals("running")) {
        return row;
      }
      LockSupport.parkNanos(10_000_000);
    }
  }

  @Test
  @DisplayName("users E3: a stream for every reader that connects, one after another")
  void readers() throws IOException {
    String target = run("start -t 0 cap0").target();
    assertTrue(target.startsWith("TCP@127.0.0.1:"), target);
    int port = Integer.parseInt(target.substring(target.lastIndexOf(':') + 1));
    for (int i = 0; i < 2; i++) {
      try (Socket reader = new Socket(InetAddress.getLoopbackAddress(), port)) {
        InputStream in = reader.getInputStream();
        byte[] magic = in.readNBytes(12);
        assertEquals(0x0A, magic[0]);
        assertEquals(0x1A, magic[11]);
        running();
        pingPong(10);
        assertTrue(in.readNBytes(1000).length == 1000);
      }
      while (!run("status").state().startsWith("waiting")) {
        pingPong(1); // it notices at the next packet that the reader has gone
      }
    }
    assertEquals("cap0", run("stop").device());
  }

  @Test
  @DisplayName("users E3: tshark reads the port live, without a privilege (needs tshark)")
  void live() throws Exception {
    boolean there =
        List.of(System.getenv("PATH").split(":", -1)).stream()
            .anyMatch(d -> Files.isExecutable(Path.of(d, "tshark")));
    Assumptions.assumeTrue(there, "needs tshark (Debian package tshark)");
    String target = run("start -t 0 -f opcode=4 cap0").target();
    Process tshark =
        new ProcessBuilder(
                "tshark",
                "-n",
                "-l",
                "-i",
                target,
                "-c",
                "4",
                "-T",
                "fields",
                "-E",
                "separator=|",
                "-e",
                "infiniband.bth.opcode",
                "-e",
                "frame.comment",
                "-e",
                "_ws.malformed")
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    tshark.getOutputStream().close();
    running();
    pingPong(10);
    String out = new String(tshark.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertTrue(tshark.waitFor(10, TimeUnit.MINUTES));
    assertEquals("4|ICRC ok|\n".repeat(4), out);
  }

  @Test
  @DisplayName("the removal of a device ends its capture")
  void unplug(@TempDir Path folder) {
    Path file = folder.resolve("x.pcapng");
    run("start cap0 " + file);
    fabric.unplug("cap0");
    assertEquals("ended", run("status").state());
  }

  @Test
  void filters() {
    assertEquals(Filter.ALL, Captures.filter(null));
    assertEquals(new Filter(1, 0x4dbe86, 17), Captures.filter("qp=0x4dbe86,opcode=17,port=1"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "start nosuch x",
        "start cap0",
        "start cap0 /nosuch/folder/x",
        "start -f qp cap0 x",
        "start -f sl=3 cap0 x",
        "stop",
        "status x y z",
        "go",
      })
  @DisplayName("wrong command lines are refused in words")
  void refused(String line) {
    CommandException e = assertThrows(CommandException.class, () -> run(line));
    assertTrue(e.getMessage().contains("ib:capture"), e.getMessage());
  }

  @Test
  @DisplayName("one capture per device")
  void once(@TempDir Path folder) {
    run("start cap0 " + folder.resolve("x"));
    assertThrows(CommandException.class, () -> run("start cap0 " + folder.resolve("y")));
    run("start cap1 " + folder.resolve("y"));
    assertEquals(2, captures.run(offered, "stop").size());
  }
}
