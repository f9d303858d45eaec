package ib.tools.perftest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.cm.CmClient;
import ib.core.client.ClientRegistration;
import ib.driver.soft.standalone.SoftFabric;
import ib.tools.getopt.CommandException;
import ib.tools.run.WarmUp;
import ib.tools.testing.Left;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("issue 14, T7: perftest -R and -z between two soft devices")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CmRunsTest {
  private static final WarmUp NO_WARM_UP = new WarmUp(List.of(), List.of(), 0);
  private static final String END = "-".repeat(87);

  private final SoftFabric fabric = SoftFabric.open("soft0", "soft1");
  private final CmClient cm = CmClient.create();
  private final ClientRegistration registered = fabric.core().registerClient(cm);

  @AfterEach
  void close() {
    assertEquals(1, Left.clients(fabric.core()).size(), "only the connection manager is left");
    registered.unregister();
    assertEquals(List.of(), Left.resources(fabric.core()), "everything is closed");
    assertEquals(List.of(), fabric.core().violations());
    fabric.close();
  }

  /** One run, and what it prints. */
  private final class Run {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final FutureTask<String> task;
    private final Thread thread;

    Run(String line) {
      String[] words = line.trim().split(" +");
      Tool tool = Tool.valueOf(words[0].substring(3).toUpperCase(java.util.Locale.ROOT));
      String[] args = java.util.Arrays.copyOfRange(words, 1, words.length);
      Midlayer here = new Midlayer(fabric.core(), new CmRuns(fabric.core(), cm));
      task =
          new FutureTask<>(
              () -> Perftest.run(here, NO_WARM_UP, tool, to(out), to(err), args).text());
      thread = Thread.ofPlatform().start(task);
    }

    private static PrintStream to(ByteArrayOutputStream bytes) {
      return new PrintStream(bytes, true, StandardCharsets.UTF_8);
    }

    /** {@return the client's last words: port and address of this server, when it listens} */
    String at() {
      while (err.size() == 0 && !task.isDone()) {
        LockSupport.parkNanos(1_000_000); // the test has a limit
      }
      String port = err.toString(StandardCharsets.UTF_8).strip().replaceAll(".* ", "");
      return " -p " + port + " " + fabric.device("soft1").gid(1, 0);
    }

    String printed() throws Exception {
      String last = task.get(1, TimeUnit.MINUTES);
      return out.toString(StandardCharsets.UTF_8) + last;
    }

    String failed() {
      ExecutionException e = assertThrows(ExecutionException.class, this::printed);
      return ((CommandException) e.getCause()).getMessage();
    }
  }

  private Run server(String line) {
    return new Run(line + " -p 0");
  }

  private static void check(String text, boolean connected) {
    assertTrue(text.contains("rdma_cm QPs\t : " + (connected ? "ON" : "OFF")), text);
    assertTrue(text.contains(" Data ex. method : rdma_cm"), text);
    String table = text.substring(text.indexOf(" remote address:"));
    assertTrue(table.endsWith(END), text);
    assertTrue(table.contains("#bytes"), text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ib_send_bw -R -n 100 -s 3000",
        "ib_send_bw -R -n 50 -s 3000 -q 4 -b",
        "ib_send_bw -R -n 50 -s 1000 -c UD",
        "ib_send_bw -R -n 50 -s 1000 -c UD -b",
        "ib_send_lat -R -n 50 -s 64 -e",
        "ib_send_lat -R -n 50 -c UD",
        "ib_write_bw -R -n 100 -s 65536 -q 16",
        "ib_write_lat -R -n 50",
        "ib_read_bw -R -n 100 -s 65536 -q 3 -o 2",
        "ib_read_lat -R -n 50",
        "ib_atomic_bw -R -n 50",
        "ib_atomic_lat -R -n 50 -A CMP_AND_SWAP",
      })
  @DisplayName("queue pairs connected by address")
  void connected(String line) throws Exception {
    Run server = server(line);
    Run client = new Run(line + server.at());
    check(client.printed(), true);
    String served = server.printed();
    boolean passive = !served.contains("#bytes"); // latency of reads and atomics
    assertTrue(
        served.contains("Please run the same command with the IB/RoCE interface IP"), served);
    assertEquals(line.contains("read_lat") || line.contains("atomic_lat"), passive, served);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ib_write_bw -z -n 100 -s 3000 -q 2",
        "ib_send_bw -z -n 100 -s 3000 -c UC",
        "ib_send_lat -z -n 20 -c UD"
      })
  @DisplayName("only the exchange goes over a connection by address")
  void exchanged(String line) throws Exception {
    Run server = server(line);
    Run client = new Run(line + server.at());
    check(client.printed(), false);
    check(server.printed(), false);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ib_send_bw -R -c UC 10.0.0.1 | UC is not supported in librdmacm",
        "ib_send_bw -T 4 10.0.0.1 | TOS only valid for rdma_cm based QP and RawEth QP",
        "ib_send_bw -R -d soft0 soft1 | -R and -z need an address: run each end for itself",
        "ib_send_bw -R no.such.name.invalid | unknown address no.such.name.invalid",
        "ib_send_bw -R 192.0.2.1 | RDMA_CM_EVENT_ADDR_ERROR, error -19",
      })
  @DisplayName("bad input: wrong options, no name, no route")
  void wrong(String line, String message) {
    String text = new Run(line).failed();
    assertTrue(text.contains(message), text);
  }

  @Test
  @DisplayName("bad input: nothing listens, and a port in use")
  void refused() {
    String nothing = new Run("ib_send_bw -R -p 9 " + fabric.device("soft1").gid(1, 0)).failed();
    assertTrue(nothing.contains("RDMA_CM_EVENT_REJECTED, error 8"), nothing);
    assertTrue(nothing.contains("nothing listens to the port"), nothing);
    Run first = server("ib_send_bw -R");
    String port = first.at().trim().split(" ")[1];
    String second = new Run("ib_send_bw -R -p " + port).failed();
    assertTrue(second.contains("port " + port + " is in use"), second);
    first.thread.interrupt();
    assertTrue(first.failed().contains("interrupted"));
  }

  @Test
  @DisplayName("a device that goes ends both runs, and nothing of them is left on it")
  void removed() {
    Run server = server("ib_send_bw -R -D 60 -s 1000");
    Run client = new Run("ib_send_bw -R -D 60 -s 1000 " + server.at());
    while (!client.out.toString(StandardCharsets.UTF_8).contains("#bytes")) {
      LockSupport.parkNanos(1_000_000); // the test has a limit
    }
    fabric.unplug("soft0");
    assertTrue(client.failed().contains("the device goes"), client::failed);
    assertEquals(List.of(), fabric.core().lastRemoval("soft0").orElseThrow().leaks());
    server.failed();
  }

  @Test
  @DisplayName("without a connection manager -R says what is missing")
  void noManager() {
    Midlayer here = new Midlayer(fabric.core(), null);
    PrintStream nowhere = Run.to(new ByteArrayOutputStream());
    CommandException e =
        assertThrows(
            CommandException.class,
            () -> Perftest.run(here, NO_WARM_UP, Tool.SEND_BW, nowhere, nowhere, "-R"));
    assertEquals(
        "ib_send_bw: -R and -z need the connection manager: start the bundle ib.cm",
        e.getMessage());
  }
}
