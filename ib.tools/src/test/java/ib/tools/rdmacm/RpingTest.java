package ib.tools.rdmacm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.DeviceLease;
import ib.core.client.IbCore;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbNoMemoryException;
import ib.core.verbs.ProtectionDomain;
import ib.tools.rdmacm.CmWorld.Run;
import java.util.ArrayList;
import java.util.List;
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
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RpingTest {
  /** The lines of the original, client and server. */
  private static final List<String> TEXTS =
      List.of(
          "ping data: rdma-ping-0: ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqr",
          "ping data: rdma-ping-1: BCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrs",
          "ping data: rdma-ping-2: CDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrst");

  private final CmWorld world = new CmWorld(Rping::run);

  @AfterEach
  void close() {
    world.close();
  }

  private Run client(String options) {
    return world.start("-c -a " + world.address() + " " + options);
  }

  @Test
  @DisplayName("both ends print the original's lines, and the data come back whole")
  void golden() throws Exception {
    Run server = world.start("-s -v").listening();
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

  @Test
  @DisplayName("B11: -d prints each step, -q is taken")
  void steps() throws Exception {
    Run server = world.start("-s -d -q").listening();
    Run client = client("-C 1 -d -q").done();
    assertEquals(
        List.of("client", "ESTABLISHED", "client posted source adv", "client posted sink adv"),
        client.out());
    server.done();
    assertEquals(
        List.of(
            "server",
            "server received source adv",
            "server received read complete",
            "server posted go ahead",
            "server received sink adv",
            "server rdma write complete"),
        server.out());
  }

  @ParameterizedTest
  @ValueSource(ints = {26, 4096, 65_535})
  @DisplayName("T1: a hundred pings of any size, validated")
  void sizes(int size) throws Exception {
    Run server = world.start("-s -S " + size + " -a " + world.address()).listening();
    client("-V -C 100 -S " + size).done();
    server.done();
    assertEquals(List.of(), server.out());
  }

  @Test
  @DisplayName("T2: a persistent server serves several clients at once, until Ctrl-C")
  void persistent() throws Exception {
    Run server = world.start("-s -P").listening();
    List<Run> clients = Stream.generate(() -> client("-V -C 20")).limit(3).toList();
    for (Run each : clients) {
      each.done();
    }
    server.interrupt();
    assertEquals(130, server.failed().getAsInt());
  }

  @Test
  @DisplayName("T10: where nothing listens the original's words, and what to try")
  void refused() {
    String text = client("-C 1").failed().getMessage();
    String original = "cma event RDMA_CM_EVENT_REJECTED, error 8\nwait for CONNECTED state 4\n";
    assertTrue(text.startsWith(original), text);
    assertTrue(text.contains("nothing listens to the port"), text);
    String unknown = world.start("-c -a 192.0.2.1").failed().getMessage();
    assertTrue(unknown.startsWith("cma event RDMA_CM_EVENT_ADDR_ERROR, error -19\n"), unknown);
  }

  @Test
  @DisplayName("a server that cannot serve its client rejects it, says why and ends")
  void cannotServe() {
    try (Hoard all = new Hoard(world.fabric().core(), "soft1")) {
      Run server = world.start("-s").listening();
      Run client = client("-C 1");
      String why = server.failed().getMessage();
      assertTrue(why.startsWith("ibv_alloc_pd failed\n") && why.contains("max_pd is"), why);
      assertTrue(all.size() > 1000, "it is the device that has no more");
      String told = client.failed().getMessage();
      String original = "cma event RDMA_CM_EVENT_REJECTED, error 28\nwait for CONNECTED state 4\n";
      assertTrue(told.startsWith(original), told);
      assertTrue(told.contains("the address where it listens"), told);
    }
  }

  /** All protection domains that a device has left, in the hands of as many clients as it takes. */
  private static final class Hoard implements AutoCloseable {
    private static final int MAX_CLIENTS = 8;

    private final List<DeviceLease> clients = new ArrayList<>();
    private final List<ProtectionDomain> all = new ArrayList<>();

    Hoard(IbCore core, String device) {
      for (int i = 0; i < MAX_CLIENTS; i++) {
        DeviceLease lease = core.lease(device, "hoarder " + i);
        clients.add(lease);
        boolean more = true;
        while (more) {
          more = take(lease.device());
        }
      }
    }

    private boolean take(IbDevice from) {
      try {
        all.add(from.allocPd());
        return true;
      } catch (IbNoMemoryException e) { // no more for this client
        return false;
      }
    }

    int size() {
      return all.size();
    }

    @Override
    public void close() {
      all.forEach(ProtectionDomain::close);
      clients.forEach(DeviceLease::close);
    }
  }

  @Test
  @DisplayName("a device that goes ends the run, and nothing of the run is left on it")
  void removed() throws Exception {
    Run server = world.start("-s").listening();
    Run client = client("-v");
    while (client.out().isEmpty()) {
      LockSupport.parkNanos(1_000_000); // the test has a limit
    }
    world.fabric().unplug("soft0");
    String text = client.failed().getMessage();
    assertTrue(text.contains("the device goes"), text);
    assertEquals(List.of(), world.fabric().core().lastRemoval("soft0").orElseThrow().leaks());
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
    assertEquals(message, world.start(line).failed().getMessage().lines().findFirst().orElse(""));
  }
}
