package ib.tools.rdmacm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertLinesMatch;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.tools.rdmacm.CmWorld.Run;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("AP-1: ucmatose and udaddy, with the originals' options and output")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MessagesTest {
  private static CmWorld world(String program) {
    return new CmWorld(
        switch (program) {
          case "udaddy" -> Udaddy::run;
          case "mckey" -> (core, cm, out, err, args) -> Mckey.run(core, cm, out, args);
          default -> Ucmatose::run;
        });
  }

  @Test
  @DisplayName("T3: ucmatose prints the original's lines at both ends (golden cm_ucmatose_ud)")
  void connections() throws Exception {
    try (CmWorld world = world("ucmatose")) {
      Run server = world.start("-p 7471").listening();
      Run client = world.start("-s " + world.address()).done();
      server.done();
      assertEquals(
          List.of(
              "cmatose: starting client",
              "cmatose: connecting",
              "receiving data transfers",
              "sending replies",
              "data transfers complete",
              "test complete",
              "return status 0"),
          client.out());
      assertEquals(
          List.of(
              "cmatose: starting server",
              "initiating data transfers",
              "completing sends",
              "receiving data transfers",
              "data transfers complete",
              "cmatose: disconnecting",
              "disconnected",
              "test complete",
              "return status 0"),
          server.out());
    }
  }

  @Test
  @DisplayName("T4: udaddy prints the original's lines at both ends")
  void datagrams() throws Exception {
    try (CmWorld world = world("udaddy")) {
      Run server = world.start("-c 1").listening();
      Run client = world.start("-s " + world.address()).done();
      server.done();
      assertEquals(
          List.of(
              "udaddy: starting client",
              "udaddy: connecting",
              "initiating data transfers",
              "receiving data transfers",
              "data transfers complete",
              "test complete",
              "return status 0"),
          client.out());
      assertEquals(
          List.of(
              "udaddy: starting server",
              "receiving data transfers",
              "sending replies",
              "data transfers complete",
              "test complete",
              "return status 0"),
          server.out());
      assertEquals(List.of("udaddy: listening on every address, port 7174"), server.err());
    }
  }

  @ParameterizedTest
  @CsvSource({
    "ucmatose, 20, 100, 4096",
    "ucmatose, 3, 0, 100",
    "ucmatose, 1, 2000, 1",
    "udaddy, 10, 100, 1024",
    "udaddy, 3, 0, 100"
  })
  @DisplayName("T3, T4: many connections, many messages, any size, or none")
  void many(String program, int connections, int count, int size) throws Exception {
    try (CmWorld world = world(program)) {
      String options = " -c " + connections + " -C " + count + " -S " + size;
      Run server = world.start("-b " + world.address() + options).listening();
      world.start("-s " + world.address() + options).done();
      server.done();
      assertEquals("return status 0", server.out().getLast());
    }
  }

  @Test
  @DisplayName("T5: mckey prints the original's lines at both ends (golden mc_mckey)")
  void groups() throws Exception {
    try (CmWorld world = world("mckey")) {
      Run receiver = world.start("-m 239.1.2.3 -b " + world.address()).begun();
      while (receiver.out().size() < 4) {
        LockSupport.parkNanos(1_000_000); // the test has a limit
      }
      Run sender = world.start("-s -m 239.1.2.3").done();
      receiver.done();
      String joined = "mckey: joined dgid: ff12:4001:ffff::f01:203 mlid 0xc[0-9a-f]+ sl 0";
      assertLinesMatch(
          List.of(
              "mckey: starting client",
              "mckey: joining",
              joined,
              "initiating data transfers",
              "data transfers complete",
              "test complete",
              "return status 0"),
          sender.out());
      assertLinesMatch(
          List.of(
              "mckey: starting server",
              "mckey: joining",
              joined,
              "receiving data transfers",
              "data transfers complete",
              "test complete",
              "return status 0"),
          receiver.out());
    }
  }

  @Test
  @DisplayName("where nothing listens the original's words, and what to try")
  void refused() {
    try (CmWorld world = world("ucmatose")) {
      String text = world.start("-s " + world.address()).failed().getMessage();
      assertTrue(text.startsWith("cmatose: event: RDMA_CM_EVENT_REJECTED, error: 8\n"), text);
      assertTrue(text.contains("nothing listens to the port"), text);
    }
    try (CmWorld world = world("udaddy")) {
      String text = world.start("-s " + world.address()).failed().getMessage();
      assertTrue(text.startsWith("udaddy: event: RDMA_CM_EVENT_UNREACHABLE, error: 1\n"), text);
      assertTrue(text.contains("there is no such service"), text);
    }
  }

  @Test
  @DisplayName("a server that has its clients rejects a further one, and Ctrl-C ends it")
  void enough() throws Exception {
    try (CmWorld world = world("udaddy")) {
      Run server = world.start("-c 1").listening();
      Run silent = world.start("-C 0 -s " + world.address()).done(); // it sends nothing
      assertEquals("return status 0", silent.out().getLast());
      String text = world.start("-s " + world.address()).failed().getMessage();
      assertTrue(text.startsWith("udaddy: event: RDMA_CM_EVENT_UNREACHABLE, error: 2\n"), text);
      server.interrupt();
      assertEquals(130, server.failed().getAsInt());
    }
  }

  @Test
  @DisplayName("a device that goes ends the run, and nothing of the run is left on it")
  void removed() throws Exception {
    try (CmWorld world = world("ucmatose")) {
      Run server = world.start("-c 2").listening(); // only one comes
      Run client = world.start("-s " + world.address());
      while (client.out().size() < 3) {
        LockSupport.parkNanos(1_000_000); // the test has a limit
      }
      world.fabric().unplug("soft0");
      assertTrue(client.failed().getMessage().contains("the device goes"));
      assertEquals(List.of(), world.fabric().core().lastRemoval("soft0").orElseThrow().leaks());
      server.interrupt();
      assertEquals(130, server.failed().getAsInt());
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "mckey | -s | mckey: -m, the address of the group, is needed",
        "mckey | -m 10.0.0.1 | mckey: join 10.0.0.1: this is no group (ENOENT). Try: 224.0.0.0/4 or ff00::/8",
        "ucmatose | -P udp | ucmatose: -P udp: tcp or ib",
        "ucmatose | -f gid | ucmatose: -f gid is not supported: name, ip or ipv6; a GID is ipv6",
        "udaddy | -P ipoib | udaddy: port space ipoib is not supported: udp",
        "udaddy | -S 5000 -s ADDRESS | udaddy: event: RDMA_CM_EVENT_CONNECT_ERROR, error: -22"
      })
  @DisplayName("wrong options")
  void wrong(String program, String line, String message) {
    try (CmWorld world = world(program)) {
      String args = line.replace("ADDRESS", world.address());
      String text = world.start(args).failed().getMessage();
      assertEquals(message, text.lines().findFirst().orElse(""));
      boolean large = line.contains("5000");
      assertEquals(large, text.contains("message_size 5000 is larger than active mtu 4096"), text);
    }
  }
}
