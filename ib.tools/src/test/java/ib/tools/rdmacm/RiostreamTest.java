package ib.tools.rdmacm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.tools.rdmacm.CmWorld.Run;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("AP-1, RS-11: riostream, with the original's options and output")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RiostreamTest {
  private final CmWorld world = new CmWorld(Riostream::run);

  @AfterEach
  void close() {
    world.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-S 100 -C 3 -I 200 -T v",
        "-S 700000 -C 3 -I 4 -T v",
        "-S 4096 -C 100 -I 10 -T v -T b -B 8192"
      })
  @DisplayName("a test of one size: the bytes are compared, each side prints its line")
  void custom(String how) throws Exception {
    Run server = world.start(how + " -p 0");
    String to = " -p " + server.port() + " -s " + world.address();
    Run client = world.start(how + to);
    List<String> served = server.done().out();
    for (List<String> lines : List.of(client.done().out(), served)) {
      assertEquals(StreamTest.HEAD, lines.getFirst());
      assertEquals(2, lines.size(), lines::toString);
      assertTrue(lines.getLast().startsWith("custom    "), lines.getLast());
    }
  }

  @Test
  @DisplayName("ends that run different tests say so: they would wait for each other for ever")
  void tests() {
    Run server = world.start("-S 100 -C 3 -I 2 -p 0");
    Run client = world.start("-S 100 -C 3 -I 4 -p " + server.port() + " -s " + world.address());
    for (Run each : List.of(client, server)) {
      String why = each.failed().getMessage();
      assertTrue(why.startsWith("riostream: the other side runs 100 B x 3 x "), why);
    }
  }

  @Test
  @DisplayName("data that differ are reported, and the side that waits for a mark hears the end")
  void differs() throws Exception {
    Run server = world.start("-S 100 -C 3 -I 2 -T v -p 0"); // a client has its own bytes back
    Run client = world.start("-S 100 -C 3 -I 2 -p " + server.port() + " -s " + world.address());
    String why = server.failed().getMessage();
    assertTrue(why.startsWith("riostream: data verification failed"), why);
    String reset = client.failed().getMessage();
    assertTrue(reset.startsWith("riostream: "), reset);
  }

  @Test
  @DisplayName("U2: Ctrl-C ends a client in the middle; an option that is not supported")
  void interrupted() throws Exception {
    Run server = world.start("-p 0");
    Run client = world.start("-p " + server.port() + " -s " + world.address());
    client.begun().interrupt();
    assertEquals("riostream: interrupted", client.failed().getMessage());
    server.failed();
    String no = world.start("-T s").failed().getMessage();
    assertTrue(no.contains("-T s is not supported: b, v"), no);
  }
}
