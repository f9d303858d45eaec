package ib.tools.rdmacm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.cm.CmClient;
import ib.core.client.ClientRegistration;
import ib.driver.soft.standalone.SoftFabric;
import ib.tools.getopt.CommandException;
import ib.tools.testing.Left;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("AP-1: rping, with the original's options and output")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RpingTest {
  /** The lines of the original, client and server. */
  private static final List<String> TEXTS =
      List.of(
          "ping data: rdma-ping-0: ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqr",
          "ping data: rdma-ping-1: BCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrs",
          "ping data: rdma-ping-2: CDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrst");

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
    private final FutureTask<Void> task;
    private final Thread thread;

    Run(String line) {
      task =
          new FutureTask<>(
              () -> Rping.run(fabric.core(), cm, stream(out), stream(err), line.split(" ")), null);
      thread = Thread.ofPlatform().start(task);
    }

    private static PrintStream stream(ByteArrayOutputStream to) {
      return new PrintStream(to, true, StandardCharsets.UTF_8);
    }

    /** Waits until the server listens. */
    Run listening() {
      while (err().isEmpty() && !task.isDone()) {
        LockSupport.parkNanos(1_000_000); // the test has a limit
      }
      assertEquals(1, err().size(), task::toString);
      return this;
    }

    Run done() throws Exception {
      task.get(2, TimeUnit.MINUTES);
      return this;
    }

    CommandException failed() {
      ExecutionException e = assertThrows(ExecutionException.class, this::done);
      return (CommandException) e.getCause();
    }

    List<String> out() {
      return out.toString(StandardCharsets.UTF_8).lines().toList();
    }

    List<String> err() {
      return err.toString(StandardCharsets.UTF_8).lines().toList();
    }
  }

  private String address(String device) {
    return fabric.device(device).gid(1, 0).toString();
  }

  private Run client(String options) {
    return new Run("-c -a " + address("soft1") + " " + options);
  }

  @Test
  @DisplayName("both ends print the original's lines, and the data come back whole")
  void golden() throws Exception {
    Run server = new Run("-s -v").listening();
    Run client = client("-C 3 -v -V").done();
    assertEquals(TEXTS, client.out());
    assertEquals(List.of("client DISCONNECT EVENT..."), client.err());
    server.done();
    assertEquals(TEXTS.stream().map(t -> "server " + t).toList(), server.out());
    assertEquals(
        List.of(
            "rping: listening on every address, port 7174",
            "server DISCONNECT EVENT...",
            "wait for RDMA_READ_ADV state 10"),
        server.err());
  }

  @ParameterizedTest
  @ValueSource(ints = {26, 4096, 65_535})
  @DisplayName("T1: a hundred pings of any size, validated")
  void sizes(int size) throws Exception {
    Run server = new Run("-s -S " + size + " -a " + address("soft1")).listening();
    client("-V -C 100 -S " + size).done();
    server.done();
    assertEquals(List.of(), server.out());
  }

  @Test
  @DisplayName("T2: a persistent server serves several clients at once, until Ctrl-C")
  void persistent() throws Exception {
    Run server = new Run("-s -P").listening();
    List<Run> clients = Stream.generate(() -> client("-V -C 20")).limit(3).toList();
    for (Run each : clients) {
      each.done();
    }
    server.thread.interrupt();
    assertEquals(130, server.failed().getAsInt());
  }

  @Test
  @DisplayName("T10: where nothing listens the original's words, and what to try")
  void refused() {
    String text = client("-C 1").failed().getMessage();
    String original = "cma event RDMA_CM_EVENT_REJECTED, error 8\nwait for CONNECTED state 4\n";
    assertTrue(text.startsWith(original), text);
    assertTrue(text.contains("nothing listens to the port"), text);
    String unknown = new Run("-c -a 192.0.2.1").failed().getMessage();
    assertTrue(unknown.startsWith("cma event RDMA_CM_EVENT_ADDR_ERROR, error -19\n"), unknown);
  }

  @Test
  @DisplayName("a device that goes ends the run, and nothing of the run is left on it")
  void removed() throws Exception {
    Run server = new Run("-s").listening();
    Run client = client("-v");
    while (client.out().isEmpty()) {
      LockSupport.parkNanos(1_000_000); // the test has a limit
    }
    fabric.unplug("soft0");
    String text = client.failed().getMessage();
    assertTrue(text.contains("the device goes"), text);
    assertEquals(List.of(), fabric.core().lastRemoval("soft0").orElseThrow().leaks());
    server.done();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "-v | must be either client or server",
        "-s -c | must be either client or server",
        "-c -a 10.0.0.1 -S 25 | Invalid size 25 (valid range is 26 to 65536)",
        "-c -a 10.0.0.1 -S 65536 | Invalid size 65536 (valid range is 26 to 65536)",
        "-s -C -1 | Invalid count -1",
        "-c | rping: a client needs -a, the address of the server"
      })
  @DisplayName("wrong options")
  void wrong(String line, String message) {
    assertEquals(message, new Run(line).failed().getMessage().lines().findFirst().orElse(""));
  }
}
