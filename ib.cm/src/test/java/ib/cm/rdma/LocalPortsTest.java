package ib.cm.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.cm.LocalPorts;
import ib.core.verbs.IbExistsException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** RD-5: the local ports of active connections. */
class LocalPortsTest {
  private static final int ALL = 60_999 - 32_768 + 1;
  private static final int CONNECTIONS = 400;
  private static final long SERVICE = PortSpace.TCP.serviceId(7471);
  private static final InetAddress THERE = InetAddress.getLoopbackAddress();

  private final LocalPorts ports = new LocalPorts();

  @Test
  @DisplayName(
      "RD-5: 28,232 connections to a destination have as many ports, the next one has none")
  void allDifferent() {
    Set<Integer> seen = new HashSet<>();
    LocalPorts.LocalPort last = ports.take(SERVICE, THERE, 0);
    seen.add(last.port());
    for (int i = 1; i < ALL; i++) {
      seen.add(ports.take(SERVICE, THERE, 0).port());
    }
    assertEquals(ALL, seen.size());
    assertTrue(IntStream.rangeClosed(32_768, 60_999).allMatch(seen::contains));
    String why =
        assertThrows(IbExistsException.class, () -> ports.take(SERVICE, THERE, 0)).getMessage();
    assertTrue(why.contains("32768 to 60999"), why);
    assertTrue(
        ports.take(PortSpace.TCP.serviceId(7472), THERE, 0).port() > 0, "another destination");
    assertEquals(1_024, ports.take(SERVICE, THERE, 1_024).port());
    ports.release(last);
    assertEquals(last, ports.take(SERVICE, THERE, 0));
  }

  @Test
  @DisplayName("RD-5: a port that the program chose is refused while a connection has it")
  void chosen() throws Exception {
    try (World world = new World();
        RdmaListener ear = world.listen()) {
      InetSocketAddress to = world.at(ear);
      RdmaOptions from = RdmaOptions.rc().from(new InetSocketAddress(world.address("soft0"), 4711));
      Party one = new Party();
      RdmaConnection first = world.client.start(to, from, one, one);
      assertEquals(4711, world.request().remoteAddress().getPort());
      assertThrows(
          IbExistsException.class, () -> world.server.start(to, from, one, one), "another program");
      first.close();
      Party two = new Party();
      RdmaConnection again = world.client.start(to, from, two, two);
      assertEquals(4711, world.request().remoteAddress().getPort());
      again.close();
    }
  }

  @Test
  @DisplayName("RD-5: the addresses of 400 connections of two programs differ at the server")
  void distinguished() throws Exception {
    try (World world = new World()) {
      BlockingQueue<InetSocketAddress> heard = new LinkedBlockingQueue<>();
      RdmaListener ear =
          world.server.listen(
              new InetSocketAddress(0),
              PortSpace.TCP,
              0,
              request -> {
                heard.add(request.remoteAddress());
                request.reject(new byte[0]);
              });
      List<RdmaConnection> made = new ArrayList<>();
      for (int i = 0; i < CONNECTIONS; i++) {
        Party party = new Party();
        RdmaCm program = i % 2 == 0 ? world.client : world.server;
        RdmaOptions from = RdmaOptions.rc().from(new InetSocketAddress(world.address("soft0"), 0));
        made.add(program.start(world.at(ear), from, party, party));
      }
      Set<InetSocketAddress> peers = new HashSet<>();
      for (int i = 0; i < CONNECTIONS; i++) {
        InetSocketAddress peer = heard.poll(1, TimeUnit.MINUTES);
        assertNotNull(peer, "request " + i);
        peers.add(peer);
      }
      assertEquals(CONNECTIONS, peers.size());
      made.forEach(RdmaConnection::close);
      ear.close();
    }
  }
}
