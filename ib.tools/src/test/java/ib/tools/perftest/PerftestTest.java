package ib.tools.perftest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.driver.soft.standalone.SoftFabric;
import ib.tools.getopt.CommandException;
import ib.tools.run.WarmUp;
import ib.tools.testing.Golden;
import ib.tools.testing.Left;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("issue 4, section 2: perftest's programs between two soft devices")
@Timeout(600)
class PerftestTest {
  // the common pool may have one thread
  private static final Executor BESIDE = task -> Thread.ofPlatform().daemon().start(task);
  // short: what it sends is tested in UntimedTest
  private static final WarmUp WARM_UP = new WarmUp(List.of(), List.of(), 0);
  private static final PrintStream ERR = new PrintStream(OutputStream.nullOutputStream());

  private final SoftFabric fabric = SoftFabric.open("soft0", "soft1");

  /** What the two ends printed. */
  private record Both(String server, String client) {}

  @AfterEach
  void close() {
    assertEquals(List.of(), Left.resources(fabric.core()), "everything is closed");
    assertEquals(List.of(), Left.clients(fabric.core()), "nobody stays registered");
    fabric.close();
  }

  private String run(Tool tool, PrintStream out, ByteArrayOutputStream bytes, String... args) {
    String last =
        Perftest.run(new Midlayer(fabric.core(), null), WARM_UP, tool, out, ERR, args).text();
    return bytes.toString(StandardCharsets.UTF_8) + last + "\n";
  }

  private String run(Tool tool, String options) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    return run(tool, out, bytes, options.trim().split(" +"));
  }

  private Both both(Tool tool, String options) throws Exception {
    return both(tool, options, options);
  }

  private Both both(Tool tool, String serves, String asks) throws Exception {
    String port = " -p " + freePort() + " ";
    CompletableFuture<String> server =
        CompletableFuture.supplyAsync(() -> run(tool, "-d soft0" + port + serves));
    String client = clientWhenListening(tool, server, "-d soft1" + port + asks + " 127.0.0.1");
    return new Both(server.get(10, TimeUnit.MINUTES), client);
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  private String clientWhenListening(Tool tool, CompletableFuture<?> server, String options) {
    while (true) {
      try {
        return run(tool, options);
      } catch (CommandException e) {
        if (!e.getMessage().startsWith("Couldn't connect to 127.0.0.1") || server.isDone()) {
          throw e;
        }
      }
    }
  }

  /** The form of an output: figures, and what differs between the links, are replaced. */
  private static String form(String output) {
    return output
        .lines()
        .filter(line -> !line.isEmpty() && !line.startsWith("****"))
        .filter(line -> !line.startsWith(" PCIe relax order"))
        .map(line -> line.replaceAll("Device         : .*", "Device"))
        .map(line -> line.replaceAll("Link type       : .*", "Link type"))
        .map(line -> line.replaceAll("Mtu             : .*", "Mtu"))
        .map(line -> line.replaceAll("(0x)?[0-9a-f]+(:[0-9a-f]+){15}", "GID"))
        .map(line -> line.replaceAll("GID index       : .*", "GID index"))
        .map(line -> line.replaceAll("LID [0-9a-f]{4}", "LID L"))
        .map(line -> line.replaceAll("0x[0-9a-f]+", "0xN"))
        .map(line -> line.replaceAll("\\b\\d+\\.\\d+ *", "#.# "))
        .map(line -> line.replaceAll(" (TX depth|RX depth|CQ Moderation) +: \\d+", " $1"))
        .map(line -> line.replaceAll("^ (\\d+) +(\\d+) +#", " $1 n #"))
        .collect(Collectors.joining("\n"));
  }

  /** The original's, without the line that follows a notice on its standard error. */
  private static String golden(Tool tool, String side) {
    String all = Golden.of("perftest/" + tool.program() + "_" + side);
    String line = "-".repeat(87) + "\n";
    return form(
        all.startsWith(line + line) || all.startsWith(line + "\n") ? all.substring(88) : all);
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("the table is the original's, as recorded on both ends")
  void recorded(Tool tool) throws Exception {
    String size =
        tool.verb == Tool.Verb.ATOMIC ? "" : tool == Tool.READ_BW ? " -s 3000" : " -s 2000";
    Both both = both(tool, "-x 0 -n 20" + size);
    assertEquals(golden(tool, "cli"), form(both.client()));
    assertEquals(golden(tool, "srv"), form(both.server()));
  }

  @ParameterizedTest
  @CsvSource({
    "SEND_BW, -c UC -n 500",
    "SEND_BW, -c UD -s 1000 -n 500",
    "SEND_BW, -q 3 -n 500 -Q 7",
    "SEND_BW, -s 1 -n 5",
    "SEND_BW, -e -n 300",
    "SEND_BW, -r 10 -n 300 -s 100",
    "SEND_BW, -s 8388608 -n 5",
    "SEND_BW, -a -n 5",
    "SEND_LAT, -c UD -x 0",
    "SEND_LAT, -e -n 50",
    "SEND_LAT, -a -n 10",
    "WRITE_BW, -c UC -n 100",
    "WRITE_BW, -q 2 -t 5 -n 103 -x 0",
    "WRITE_BW, -a -n 5",
    "WRITE_LAT, -n 300 -s 1",
    "WRITE_LAT, -a -n 5",
    "READ_BW, -n 100 -o 1 -m 256",
    "READ_LAT, -n 100 -e",
    "ATOMIC_BW, -n 100 -A CMP_AND_SWAP",
    "ATOMIC_LAT, -n 100",
    "SEND_BW, -b -n 300",
    "SEND_BW, -b -c UC -n 100 -s 1000 -q 2",
    "SEND_BW, -b -e -n 200",
    "SEND_BW, -b -a -n 5",
    "WRITE_BW, -b -n 100",
    "WRITE_BW, -b -a -n 5",
    "READ_BW, -b -n 100",
    "ATOMIC_BW, -b -n 50",
    "SEND_BW, -l 8 -n 400",
    "SEND_BW, -b -l 4 -n 100 -s 100",
    "WRITE_BW, -l 4 -Q 2 -n 100 -q 2",
    "SEND_BW, -I 100 -s 64 -n 200",
    "WRITE_LAT, -I 64 -s 10 -n 50",
    "SEND_BW, -D 1",
    "SEND_BW, -D 1 -b -s 100",
    "WRITE_BW, -D 1 -b -l 2",
    "READ_BW, -D 1",
    "SEND_LAT, -D 1",
    "WRITE_LAT, -D 1",
    "READ_LAT, -D 1",
  })
  @DisplayName("modes, sizes and connections")
  void modes(Tool tool, String options) throws Exception {
    Both both = both(tool, options);
    String rows = both.client().substring(both.client().indexOf(" #bytes"));
    int expected = options.contains("-a") ? 23 : 1;
    assertEquals(expected + 2, rows.lines().count(), rows);
    assertEquals(both.client().contains("GID index"), options.contains("-x 0"));
  }

  @ParameterizedTest
  @CsvSource({"-D 1, -D 3", "-D 3, -D 1", "-D 1 -b, -D 3 -b", "-D 3 -b, -D 1 -b"})
  @DisplayName("B14: with -D who is done first waits for the other, which ends as usual")
  void oneEndIsDoneFirst(String serves, String asks) throws Exception {
    Both both = both(Tool.SEND_BW, serves, asks);
    for (String table : List.of(both.server(), both.client())) {
      String rows = table.substring(table.indexOf(" #bytes"));
      assertTrue(rows.matches("(?s)[^\n]+\n 65536 +[1-9]\\d* .*-{87}\n"), rows);
    }
  }

  @Test
  @DisplayName("B14: -U prints each result, then the headline again and the summary")
  void unsorted() throws Exception {
    String table = both(Tool.SEND_LAT, "-n 10 -U").client();
    List<String> lines = table.substring(table.indexOf(" #bytes")).lines().toList();
    assertEquals("#, usec", lines.get(1));
    assertTrue(lines.get(10).startsWith("9, "), table);
    assertEquals(lines.getFirst(), lines.get(12), table);
    assertEquals(15, lines.size(), table);
  }

  @Test
  @DisplayName("B14: --run_infinitely prints a line per interval, until the device is removed")
  void forever() throws Exception {
    int port = freePort();
    String options = " -p " + port + " -D 1 --run_infinitely";
    CountDownLatch rows = new CountDownLatch(4);
    PrintStream out =
        new PrintStream(new ByteArrayOutputStream()) {
          @Override
          public void println(String line) {
            if (line.matches(" 65536 +\\d+ +0.00 .*")) {
              rows.countDown();
            }
          }
        };
    String[] server = ("-d soft0" + options).split(" ");
    CompletableFuture<?> ends =
        CompletableFuture.runAsync(
            () ->
                Perftest.run(
                    new Midlayer(fabric.core(), null), WARM_UP, Tool.SEND_BW, out, ERR, server),
            BESIDE);
    CompletableFuture<?> client =
        CompletableFuture.runAsync(
            () -> clientWhenListening(Tool.SEND_BW, ends, "-d soft1" + options + " 127.0.0.1"),
            BESIDE);
    assertTrue(rows.await(10, TimeUnit.MINUTES), "the server prints");
    fabric.unplug("soft0");
    assertThrows(ExecutionException.class, () -> ends.get(5, TimeUnit.MINUTES));
    fabric.unplug("soft1");
    assertThrows(ExecutionException.class, () -> client.get(5, TimeUnit.MINUTES));
  }

  @Test
  @DisplayName("no server there: the original's words")
  void nobody() throws IOException {
    int port = freePort();
    CommandException e =
        assertThrows(
            CommandException.class, () -> run(Tool.SEND_BW, "-d soft0 -p " + port + " 127.0.0.1"));
    assertTrue(e.getMessage().startsWith("Couldn't connect to 127.0.0.1:" + port), e.getMessage());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-n 4", "-s 0", "-c XRC", "-m 100", "-m 300", "-q 0", "a b", "-Z", "-y", "-u 32", "-h",
        "-D 0", "-l 0"
      })
  @DisplayName("what perftest refuses, or what these commands do not have: the usage")
  void refused(String options) {
    CommandException e =
        assertThrows(
            CommandException.class, () -> PerftestOptions.parse(Tool.SEND_BW, options.split(" ")));
    assertTrue(e.getMessage().contains("ib_send_bw <host>     connect to server"), e.getMessage());
  }

  @Test
  @DisplayName("defaults are perftest's")
  void defaults() {
    PerftestOptions bw = PerftestOptions.parse(Tool.SEND_BW);
    assertEquals(List.of(65536), bw.sizes());
    assertEquals(1000, bw.iters());
    assertEquals(128, bw.txDepth());
    assertEquals(512, bw.rxDepth());
    assertEquals(1, bw.cqMod());
    assertEquals(100, PerftestOptions.parse(Tool.SEND_BW, "-s", "8192").cqMod());
    assertEquals(5000, PerftestOptions.parse(Tool.WRITE_BW).iters());
    assertEquals(List.of(2), PerftestOptions.parse(Tool.READ_LAT).sizes());
    assertEquals(List.of(8), PerftestOptions.parse(Tool.ATOMIC_BW).sizes());
    assertEquals(18515, bw.port());
    assertEquals(14, bw.timeout());
  }

  @Test
  @DisplayName("S31: a waiting server does not delay the removal of its device")
  void removal() throws Exception {
    CountDownLatch waiting = new CountDownLatch(1);
    PrintStream out =
        new PrintStream(new ByteArrayOutputStream()) {
          @Override
          public void println(String line) {
            waiting.countDown();
          }
        };
    String[] args = {"-d", "soft0", "-p", String.valueOf(freePort())};
    CompletableFuture<?> run =
        CompletableFuture.runAsync(
            () ->
                Perftest.run(
                    new Midlayer(fabric.core(), null), WARM_UP, Tool.WRITE_BW, out, ERR, args));
    assertTrue(waiting.await(10, TimeUnit.MINUTES));
    fabric.unplug("soft0");
    CommandException e =
        (CommandException)
            assertThrows(ExecutionException.class, () -> run.get(5, TimeUnit.MINUTES)).getCause();
    assertEquals("ib_write_bw: IB device soft0 was removed during the run", e.getMessage());
  }
}
