package ib.tools.pingpong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.driver.soft.standalone.SoftFabric;
import ib.tools.getopt.CommandException;
import ib.tools.hotplug.Clients;
import ib.tools.hotplug.Objects;
import ib.tools.output.Printable;
import ib.tools.rdma.Rdma;
import ib.tools.run.WarmUp;
import ib.tools.testing.Golden;
import ib.tools.testing.Left;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("issue 2, section 4: ping-pongs on two soft devices")
@Timeout(600)
class PingPongTest {
  // short: what it sends is tested in UntimedTest
  private static final WarmUp WARM_UP = new WarmUp(List.of(), List.of(), 0);
  private static final PrintStream ERR = new PrintStream(OutputStream.nullOutputStream());

  private final SoftFabric fabric = SoftFabric.open("soft0", "soft1");

  @AfterEach
  void close() {
    assertEquals(List.of(), Left.resources(fabric.core()), "everything is closed");
    assertEquals(List.of(), Left.clients(fabric.core()), "nobody stays registered");
    assertEquals(List.of(), fabric.core().violations());
    fabric.close();
  }

  /** What a run printed, and its figures as the shell prints them. */
  private String run(Kind kind, String... args) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    Figures figures = PingPong.run(fabric.core(), WARM_UP, kind, out, ERR, args);
    return bytes.toString(StandardCharsets.UTF_8) + figures.text() + "\n";
  }

  /** The form of an output: figures are replaced. */
  private static String form(String output) {
    return output
        .replaceAll("0x[0-9a-f]{4},", "0xLLLL,")
        .replaceAll("0x[0-9a-f]{6}", "0xNNNNNN")
        .replaceAll("GID [0-9a-f:.]+", "GID G")
        .replaceAll("\\d+\\.\\d\\d ", "#.## ");
  }

  private CommandException failure(Kind kind, String... args) {
    return assertThrows(CommandException.class, () -> run(kind, args));
  }

  @Test
  @DisplayName("users J1: the output is the original's, one side of it")
  void recorded() {
    String golden = Golden.of("ibv_rc_pingpong");
    String oneSide = golden.substring(0, golden.length() / 2);
    String here = run(Kind.RC, "-d", "soft0", "soft1", "-g", "0", "-n", "200");
    assertEquals(form(oneSide), form(here));
    assertTrue(here.startsWith("  local address:  LID 0x0001, QPN 0x"), here);
    assertTrue(here.contains("\n  remote address: LID 0x0002, QPN 0x"), here);
    assertTrue(here.contains("\n1638400 bytes in "), here);
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("default options, LIDs, validated")
  void defaults(Kind kind) {
    String here = run(kind, "-d", "soft0", "soft1", "-c");
    int size = kind == Kind.UD ? 1024 : 4096;
    assertTrue(here.contains((long) size * 2000 + " bytes in "), here);
    assertTrue(here.contains("\n1000 iters in "), here);
    assertTrue(
        here.contains(kind == Kind.UD ? "local address:  LID 0x0001, QPN" : "GID ::\n"), here);
    assertEquals(kind == Kind.UD, here.contains(": GID ::\n"), here);
  }

  @ParameterizedTest
  @CsvSource({
    "RC, -c -e",
    "UC, -c -e",
    "UD, -c -e",
    "RC, -c -N",
    "RC, -c -e -N -g 0",
    "UC, -c -g 0",
    "UD, -c -g 0",
    "RC, -c -s 1",
    "RC, -c -s 100000 -m 256 -n 50",
    "RC, -c -s 3000000 -m 4096 -n 5 -e",
    "UC, -c -s 100000 -n 50",
    "UD, -c -s 4096",
    "RC, -c -r 1",
    "UC, -c -r 2 -n 50",
    "RC, -s 0",
    "RC, -l 3 -n 1",
    "SRQ, -c -e",
    "SRQ, -c -q 1 -n 50",
    "SRQ, -c -q 256 -s 1 -n 2000",
    "SRQ, -c -q 16 -r 16 -s 100000 -m 2048 -n 100",
  })
  @DisplayName("modes and sizes, data validated at both ends")
  void modes(Kind kind, String options) {
    String[] words = ("-d soft0 -d soft1 " + options).split(" ");
    assertTrue(run(kind, words).contains(" usec/iter\n"));
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("both ends on one device")
  void loopback(Kind kind) {
    assertTrue(run(kind, "-c", "-d", "soft1", "soft1", "-n", "100").contains("100 iters in "));
  }

  @Test
  @DisplayName("users J4: while it runs, other commands show it")
  void seen() {
    List<String> seen = new ArrayList<>();
    PrintStream out =
        new PrintStream(new ByteArrayOutputStream()) {
          @Override
          public void println(String line) {
            if (line.contains("remote address")) {
              for (String what :
                  List.of("qp link soft0/1", "cq dev soft0", "mr dev soft0", "pd dev soft0")) {
                seen.add(
                    ((Printable)
                            Rdma.run(
                                fabric.core(),
                                List.of(),
                                List.of(),
                                System.out,
                                ("res show " + what).split(" ")))
                        .text());
              }
              seen.add(
                  ((Printable)
                          Rdma.run(
                              fabric.core(),
                              List.of(),
                              List.of(),
                              System.out,
                              "res",
                              "show",
                              "soft0"))
                      .text());
              seen.add(Clients.run(fabric.core()).text());
              seen.add(Objects.run(fabric.core(), "soft0").text());
            }
          }
        };
    PingPong.run(
        fabric.core(), WARM_UP, Kind.RC, out, ERR, "-d", "soft0", "soft1", "-n", "1", "-r", "9");
    String comm = " comm \\[ibv_rc_pingpong:\\d+] ";
    String own = "(?:.* comm \\[ib_core] \\n)+"; // QP0, QP1, their PD, CQ and MR, as on Linux (M2)
    List<String> expected =
        List.of(
            own + "link soft0/1 lqpn \\d+ rqpn \\d+ type RC state RTS sq-psn \\d+ pdn \\d+" + comm,
            own + "dev soft0 cqn \\d+ cqe \\d+ users 2 adaptive-moderation off" + comm,
            own
                + "dev soft0 mrn \\d+ rkey 0x[0-9a-f]+ lkey 0x[0-9a-f]+ iova 0x[0-9a-f]+ mrlen 4096"
                + " pdn \\d+"
                + comm,
            own + "dev soft0 pdn \\d+ users 2" + comm,
            "\\d+: soft0: pd 2 cq 2 qp 3 cm_id 0 mr 2 ctx 0 srq 0 ",
            "(?s)ORDER .*ibv_rc_pingpong:\\d+ .* soft1 +LIVE .*",
            "(?s)DEVICE .*\\nsoft0 +QP +.*");
    for (int i = 0; i < expected.size(); i++) {
      assertTrue(seen.get(i).matches(expected.get(i)), seen.get(i));
    }
  }

  @Test
  void json() {
    String here = run(Kind.RC, "-d", "soft0", "soft1", "-n", "10", "--json");
    assertTrue(here.startsWith("{\"local\":{\"lid\":1,\"qpn\":"), here);
    assertTrue(here.contains("\"bytes\":81920,\"iters\":10,\"seconds\":"), here);
  }

  @ParameterizedTest
  @CsvSource({
    "RC, -c",
    "UC, -c -e",
    "UD, -c -g 0",
    "RC, -c -N -s 65536",
    "SRQ, -c",
    "SRQ, -c -e -g 0 -q 3"
  })
  @DisplayName("server and client through TCP, as in two processes")
  void overTcp(Kind kind, String options) throws Exception {
    String port = String.valueOf(freePort());
    String common = options + " -n 100 -p " + port;
    CompletableFuture<String> server =
        CompletableFuture.supplyAsync(() -> run(kind, ("-d soft0 " + common).split(" ")));
    String client =
        clientWhenListening(kind, server, ("-d soft1 " + common + " 127.0.0.1").split(" "));
    String served = server.get(10, TimeUnit.MINUTES);
    assertEquals(form(served), form(client));
    served
        .lines()
        .filter(line -> line.startsWith("  local address:"))
        .map(line -> line.replaceAll(".*LID", "LID").replace(": GID", ", GID"))
        .forEach(
            local ->
                assertTrue(
                    client.contains("  remote address: " + local),
                    "each side tells the other's addresses"));
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  private String clientWhenListening(Kind kind, CompletableFuture<String> server, String... args) {
    while (true) {
      try {
        return run(kind, args);
      } catch (CommandException e) {
        if (!e.getMessage().startsWith("Couldn't connect to 127.0.0.1") || server.isDone()) {
          throw e;
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"-c", "-e"})
  @DisplayName(
      "S31, S32: the removal of a device ends the run, which closes everything and delays "
          + "nothing")
  void removal(String mode) throws Exception {
    CountDownLatch running = new CountDownLatch(2);
    PrintStream out =
        new PrintStream(new ByteArrayOutputStream()) {
          @Override
          public void println(String line) {
            running.countDown();
          }
        };
    String[] args = {"-d", "soft0", "soft1", "-n", "2000000000", mode};
    CompletableFuture<Figures> run =
        CompletableFuture.supplyAsync(
            () -> PingPong.run(fabric.core(), WARM_UP, Kind.RC, out, ERR, args));
    assertTrue(running.await(10, TimeUnit.MINUTES));
    fabric.unplug("soft1");
    CommandException e =
        (CommandException)
            assertThrows(Exception.class, () -> run.get(5, TimeUnit.MINUTES)).getCause();
    assertEquals("ibv_rc_pingpong: IB device soft1 was removed during the run", e.getMessage());
    assertEquals(List.of(), fabric.core().lastRemoval("soft1").orElseThrow().leaks());
  }

  @Test
  @DisplayName("a waiting server does not delay the removal of its device")
  void removalOfServer() throws Exception {
    CountDownLatch waiting = new CountDownLatch(1);
    PrintStream out =
        new PrintStream(new ByteArrayOutputStream()) {
          @Override
          public void println(String line) {
            waiting.countDown();
          }
        };
    String[] args = {"-d", "soft0", "-p", String.valueOf(freePort())};
    CompletableFuture<Figures> run =
        CompletableFuture.supplyAsync(
            () -> PingPong.run(fabric.core(), WARM_UP, Kind.UD, out, ERR, args));
    assertTrue(waiting.await(10, TimeUnit.MINUTES));
    fabric.unplug("soft0");
    CommandException e =
        (CommandException)
            assertThrows(Exception.class, () -> run.get(5, TimeUnit.MINUTES)).getCause();
    assertEquals("ibv_ud_pingpong: IB device soft0 was removed during the run", e.getMessage());
  }

  @Test
  @DisplayName("Ctrl-C ends the run and closes everything")
  void interrupt() {
    PrintStream out =
        new PrintStream(new ByteArrayOutputStream()) {
          @Override
          public void println(String line) {
            Thread.currentThread().interrupt();
          }
        };
    CommandException e =
        assertThrows(
            CommandException.class,
            () ->
                PingPong.run(
                    fabric.core(),
                    WARM_UP,
                    Kind.RC,
                    out,
                    ERR,
                    "-d",
                    "soft0",
                    "soft1",
                    "-n",
                    "2000000000"));
    assertEquals("ibv_rc_pingpong: interrupted", e.getMessage());
    assertEquals(130, e.getAsInt());
  }

  @Test
  @DisplayName("issue 2, section 5: an object that cannot be created fails in the original's words")
  void refusals() {
    assertEquals(
        "IB device nosuch not found", failure(Kind.RC, "-d", "nosuch", "soft1").getMessage());
    assertEquals(
        "Requested size larger than port MTU (4096)",
        failure(Kind.UD, "-d", "soft0", "soft1", "-s", "4097").getMessage());
    assertEquals(
        "The device isn't ODP capable or does not support RC send and receive with ODP",
        failure(Kind.RC, "-d", "soft0", "soft1", "-o").getMessage());
    assertEquals(
        "Device doesn't support dm allocation",
        failure(Kind.RC, "-d", "soft0", "soft1", "-j").getMessage());
    assertFirstLine("Couldn't create CQ", Kind.RC, "-r", "1000000000");
    assertFirstLine("can't read sgid of index 9999", Kind.RC, "-g", "9999");
    assertFirstLine("Could not get local gid for gid index 9999", Kind.UD, "-g", "9999");
    assertFirstLine("Failed to modify QP to INIT", Kind.RC, "-i", "2");
    assertFirstLine("Unable to query port info for port 2", Kind.UD, "-i", "2");
  }

  private void assertFirstLine(String expected, Kind kind, String... options) {
    String[] args = new String[options.length + 3];
    System.arraycopy(new String[] {"-d", "soft0", "soft1"}, 0, args, 0, 3);
    System.arraycopy(options, 0, args, 3, options.length);
    assertEquals(expected, failure(kind, args).getMessage().lines().findFirst().orElseThrow());
  }

  @Test
  @DisplayName("-t needs timestamps, which the soft device does not have")
  void timestamps() {
    assertEquals(
        "The device isn't completion timestamp capable",
        failure(Kind.RC, "-d", "soft0", "soft1", "-t").getMessage());
  }
}
