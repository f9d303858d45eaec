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
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("AP-1: rstream, with the original's options and output")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RstreamTest {
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
              () -> Rstream.run(fabric.core(), cm, to(out), to(err), line.split(" ")), null);
      thread = Thread.ofPlatform().start(task);
    }

    private static PrintStream to(ByteArrayOutputStream bytes) {
      return new PrintStream(bytes, true, StandardCharsets.UTF_8);
    }

    /** Waits until the server listens; {@return its port} */
    String port() throws Exception {
      while (err.size() == 0 && !task.isDone()) {
        LockSupport.parkNanos(1_000_000); // the test has a limit
      }
      assertTrue(err.size() > 0, task::toString);
      return err.toString(StandardCharsets.UTF_8).strip().replaceAll(".* ", "");
    }

    List<String> lines() throws Exception {
      task.get(2, TimeUnit.MINUTES);
      return out.toString(StandardCharsets.UTF_8).lines().toList();
    }
  }

  private String address() {
    return fabric.device("soft1").gid(1, 0).toString();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-S 100 -C 3 -I 2 -T v",
        "-S 70000 -C 5 -I 4 -T v -B 8192",
        "-S 4096 -C 100 -I 10 -T v -T b",
        "-S 100 -C 3 -I 2 -T v -T s"
      })
  @DisplayName("a test of one size: the bytes are compared, each side prints its line")
  void custom(String how) throws Exception {
    boolean tcp = how.endsWith("-T s");
    Run server = new Run(how + " -p 0" + (tcp ? " -b 127.0.0.1" : ""));
    String to = " -p " + server.port() + " -s " + (tcp ? "127.0.0.1" : address());
    List<String> client = new Run(how + to).lines();
    String size = how.split(" ")[1];
    for (List<String> lines : List.of(client, server.lines())) {
      assertEquals(
          "name      bytes   xfers   iters   total       time     Gb/sec    usec/xfer",
          lines.getFirst());
      assertEquals(2, lines.size(), lines::toString);
      String line = lines.getLast();
      assertTrue(line.startsWith("custom    " + (size.length() > 3 ? "" : size)), line);
    }
    if (how.startsWith("-S 100 ")) { // the words of the original for the same test
      String line = client.getLast();
      assertTrue(line.startsWith("custom    100     3       2       1.1k    "), line);
    }
  }

  @Test
  @DisplayName("data that differ are reported")
  void differs() throws Exception {
    Run server = new Run("-S 100 -C 3 -I 2 -p 0");
    Run client = new Run("-S 100 -C 3 -I 2 -T v -p " + server.port() + " -s " + address());
    Throwable why = assertThrows(Exception.class, client::lines).getCause();
    assertTrue(why.getMessage().startsWith("rstream: data verification failed"), why.toString());
    assertThrows(Exception.class, server::lines); // its client has gone
  }

  @Test
  @DisplayName("nothing listens; an option of the original that is not supported")
  void refused() {
    Run client = new Run("-s " + address());
    Throwable why = assertThrows(Exception.class, client::lines).getCause();
    assertTrue(why.getMessage().startsWith("rstream: Connection refused"), why.toString());
    CommandException no =
        assertThrows(CommandException.class, () -> RstreamOptions.parse("-T", "f"));
    assertTrue(no.getMessage().contains("-T f is not supported: s, b or v"), no.getMessage());
  }

  @Test
  @DisplayName("U2: Ctrl-C ends a server that waits, and a client in the middle")
  void interrupted() throws Exception {
    Run server = new Run("-p 0");
    Run client = new Run("-p " + server.port() + " -s " + address());
    while (client.out.size() < 100) { // the table has begun
      LockSupport.parkNanos(1_000_000);
    }
    client.thread.interrupt();
    Throwable why = assertThrows(Exception.class, client::lines).getCause();
    assertEquals("rstream: interrupted", why.getMessage());
    assertThrows(Exception.class, server::lines);
    Run waits = new Run("-p 0");
    waits.port();
    waits.thread.interrupt();
    why = assertThrows(Exception.class, waits::lines).getCause();
    assertEquals("rstream: interrupted", why.getMessage());
  }
}
