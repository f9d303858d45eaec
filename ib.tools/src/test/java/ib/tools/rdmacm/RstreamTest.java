package ib.tools.rdmacm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.tools.getopt.CommandException;
import ib.tools.rdmacm.CmWorld.Run;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("AP-1: rstream, with the original's options and output")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RstreamTest {
  private final CmWorld world = new CmWorld(Rstream::run);

  @AfterEach
  void close() {
    world.close();
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
    Run server = world.start(how + " -p 0" + (tcp ? " -b 127.0.0.1" : ""));
    String to = " -p " + server.port() + " -s " + (tcp ? "127.0.0.1" : world.address());
    List<String> client = world.start(how + to).done().out();
    String size = how.split(" ")[1];
    for (List<String> lines : List.of(client, server.done().out())) {
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
    Run server = world.start("-S 100 -C 3 -I 2 -p 0");
    Run client =
        world.start("-S 100 -C 3 -I 2 -T v -p " + server.port() + " -s " + world.address());
    String why = client.failed().getMessage();
    assertTrue(why.startsWith("rstream: data verification failed"), why);
    server.failed(); // its client has gone
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "-S 100 -C 4 -I 2", "-S 99 -C 3 -I 2", "-S 100 -C 3 -I 1"})
  @DisplayName("ends that run different tests say so: they would wait for each other for ever")
  void tests(String how) {
    Run server = world.start("-S 100 -C 3 -I 2 -p 0");
    Run client = world.start((how + " -p " + server.port() + " -s " + world.address()).strip());
    for (Run each : List.of(client, server)) {
      String why = each.failed().getMessage();
      assertTrue(why.startsWith("rstream: the other side runs "), why);
      assertTrue(why.endsWith(". Try: the same -S, -C and -I at both ends"), why);
    }
  }

  @Test
  @DisplayName("nothing listens; an option of the original that is not supported")
  void refused() {
    Run client = world.start("-s " + world.address());
    String why = client.failed().getMessage();
    assertTrue(why.startsWith("rstream: Connection refused"), why);
    CommandException no =
        assertThrows(
            CommandException.class, () -> RstreamOptions.parse(Rstream.PROGRAM, "sbv", "-T", "f"));
    assertTrue(no.getMessage().contains("-T f is not supported: s, b, v"), no.getMessage());
  }

  @Test
  @DisplayName("U2: Ctrl-C ends a server that waits, and a client in the middle")
  void interrupted() throws Exception {
    Run server = world.start("-p 0");
    Run client = world.start("-p " + server.port() + " -s " + world.address());
    client.begun().interrupt();
    assertEquals("rstream: interrupted", client.failed().getMessage());
    server.failed();
    Run waits = world.start("-p 0").listening();
    waits.interrupt();
    assertEquals("rstream: interrupted", waits.failed().getMessage());
  }
}
