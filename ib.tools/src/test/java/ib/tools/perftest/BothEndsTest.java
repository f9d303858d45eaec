package ib.tools.perftest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.IbCore;
import ib.core.verbs.Mtu;
import ib.driver.soft.standalone.SoftFabric;
import ib.tools.getopt.CommandException;
import ib.tools.run.WarmUp;
import ib.tools.testing.Left;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("U10: with two devices, both ends of a test run here")
class BothEndsTest {
  private static final WarmUp WARM_UP = new WarmUp(List.of(), List.of(), 0);
  private static final PrintStream ERR = new PrintStream(OutputStream.nullOutputStream());

  private final SoftFabric fabric = SoftFabric.open("soft0", "soft1");
  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

  @AfterEach
  void close() {
    assertEquals(List.of(), Left.resources(fabric.core()), "everything is closed");
    assertEquals(List.of(), Left.clients(fabric.core()), "no client stays registered");
    fabric.close();
  }

  private String run(Tool tool, String line) {
    PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
    String last =
        Perftest.run(new Midlayer(fabric.core(), null), WARM_UP, tool, out, ERR, line.split(" "))
            .text();
    return printed.toString(StandardCharsets.UTF_8) + last;
  }

  @ParameterizedTest
  @EnumSource(Tool.class)
  @DisplayName("each program prints the client's table")
  void each(Tool tool) {
    String said = run(tool, "--no-warmup -n 20 -d soft0 soft1");
    assertTrue(said.contains("Device         : soft0"), said);
    assertTrue(said.contains(" remote address: "), said);
    int size = tool.verb == Tool.Verb.ATOMIC ? 8 : tool.bandwidth() ? 65536 : 2;
    assertTrue(said.matches("(?s).*\\R " + size + " +20 +.*"), said);
    assertTrue(said.endsWith(Perftest.LINE), said);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "-b ", "-l 10 ", "-D 1 "})
  @DisplayName(
      "B11: --write_with_imm: each write takes a receive of the peer; --report_gbits: Gb/s")
  void immediate(String more) {
    String line = "--no-warmup -n 2000 -s 4096 --report_gbits -d soft0 soft1 " + more;
    assertTrue(run(Tool.WRITE_BW, line + "--write_with_imm").contains("BW average[Gb/sec]"));
    CommandException e =
        assertThrows(CommandException.class, () -> run(Tool.SEND_BW, line + "--write_with_imm"));
    assertTrue(String.valueOf(e.getMessage()).contains("unrecognized option"));
  }

  @Test
  @DisplayName("B11: Gb/s are bits: 1 MiB/s is 0.0084 Gb/s")
  void gbits() {
    Bandwidth some = new Bandwidth(64, 5, 1000, 1000, 1);
    assertTrue(some.line(false).contains(" 1000.00 "), some.line(false));
    assertTrue(some.line(true).contains(" 8.39 "), some.line(true)); // 8 x 1.048576
  }

  @Test
  @DisplayName("a second -d is the same; what both ends need is said")
  void forms() {
    assertTrue(run(Tool.SEND_BW, "--no-warmup -n 20 -d soft1 -d soft0").contains(": soft1"));
    CommandException e = assertThrows(CommandException.class, () -> run(Tool.SEND_BW, "soft1"));
    assertEquals("ib_send_bw: which device is the other end? Use -d <dev> soft1", e.getMessage());
    String usage = "ib_send_bw -d <dev> <dev>   run both ends here";
    e = assertThrows(CommandException.class, () -> run(Tool.SEND_BW, "-d soft0 -d soft1 host"));
    assertTrue(e.getMessage().contains(usage), e.getMessage());
  }

  @Test
  @DisplayName("the server's failure is said, not what the client saw of it")
  void serverFails() {
    IbCore core = fabric.core();
    PerftestOptions server =
        PerftestOptions.ends(Tool.SEND_BW, n -> true, "-d", "soft0", "nosuch").getLast();
    CommandException e =
        assertThrows(
            CommandException.class,
            () ->
                BothEnds.run(
                    core, server, socket -> new Talk(socket, true, () -> {}).agree(Mtu.MTU_1024)));
    assertEquals("IB device nosuch not found", e.getMessage());
  }

  @Test
  @DisplayName("S31: the removal of the server's device ends both ends, and no thread is left")
  void removal() throws Exception {
    CountDownLatch rows = new CountDownLatch(2);
    PrintStream out =
        new PrintStream(OutputStream.nullOutputStream()) {
          @Override
          public void println(String line) {
            if (line.matches(" 65536 +\\d+ +0.00 .*")) {
              rows.countDown();
            }
          }
        };
    String[] line = "--no-warmup -D 1 --run_infinitely -d soft0 soft1".split(" ");
    CompletableFuture<?> run =
        CompletableFuture.runAsync(
            () ->
                Perftest.run(
                    new Midlayer(fabric.core(), null), WARM_UP, Tool.SEND_BW, out, ERR, line));
    assertTrue(rows.await(10, TimeUnit.MINUTES), "it runs");
    fabric.unplug("soft1");
    ExecutionException e =
        assertThrows(ExecutionException.class, () -> run.get(5, TimeUnit.MINUTES));
    assertTrue(e.getCause() instanceof CommandException, e.toString());
    assertTrue(
        Thread.getAllStackTraces().keySet().stream()
            .noneMatch(t -> t.getName().equals("ib_send_bw server")));
  }
}
