package ib.ulp.ipoib.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.cm.CmPath;
import ib.cm.internal.machine.StateTable;
import ib.cm.internal.machine.Station;
import ib.core.mad.Mad;
import ib.core.mad.cm.CmMessage;
import ib.core.verbs.AhAttr;
import ib.core.verbs.Gid;
import ib.core.verbs.Mtu;
import ib.ulp.ipoib.cm.Connection.State;
import ib.ulp.ipoib.loop.Loop;
import ib.ulp.ipoib.wire.LinkAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Interfaces that connect to each other in virtual time, over a network that loses, repeats and
 * reorders the messages of the connection manager; one seed, one course. Queue pairs are names
 * only, but names that must agree at both ends.
 */
final class CmWorld {
  static final int RECEIVE_MTU = 65_524;
  private static final int PORT = 1;
  private static final int LISTENERS = 2;

  /** The shortest time after which a REQ is repeated: 4.3 s, and the way there and back. */
  static final long RESPONSE_NS = (4096L << 20) + 2 * (4096L << CmPath.ROCE_PACKET_LIFE);

  private static final long STEP_NS = RESPONSE_NS / 8;

  /** A message under way. */
  private record Flight(long at, long number, Node to, Node from, Mad mad) {}

  /** A queue pair. */
  final class End implements RcEnd {
    final Node node;
    final int qpn = ++qpns;
    final int psn = random.nextInt(1 << 24);
    int peerQpn = -1;
    int firstPsn = -1;
    boolean closed;

    End(Node node) {
      this.node = node;
    }

    @Override
    public int qpn() {
      return qpn;
    }

    @Override
    public int psn() {
      return psn;
    }

    @Override
    public void connect(AhAttr way, Mtu mtu, int ackTimeout, int toQpn, int first) {
      assertEquals(-1, peerQpn, "connected twice");
      peerQpn = toQpn;
      firstPsn = first;
    }

    @Override
    public void close() {
      assertTrue(!closed, "closed twice");
      closed = true;
      node.ends.remove(qpn);
      if (node.broken) {
        throw new IllegalStateException("planted");
      }
    }
  }

  /** An interface. */
  final class Node implements Connections.Owner, ib.cm.internal.machine.Self {
    final int lid;
    final Loop loop;
    final LinkAddress address;
    final Map<Integer, End> ends = new HashMap<>();
    final Map<Integer, Connection> owners = new HashMap<>();
    final List<LinkAddress> ups = new ArrayList<>();
    final List<LinkAddress> downs = new ArrayList<>();
    final List<CmMessage> said = new ArrayList<>();
    Predicate<CmMessage> bug = message -> false; // says what is not said
    boolean broken; // its device closes queue pairs only with an exception
    final Refusals refusals = new Refusals();
    final Connections connections;
    final Station station;

    Node(int lid, int udQpn, int most) {
      this.lid = lid;
      address = new LinkAddress(0, udQpn, Gid.linkLocal(0x100L + lid));
      loop =
          new Loop(
              () -> now,
              new Loop.Sleeper() {
                @Override
                public void sleep(long nanos) {
                  throw new AssertionError("nobody runs this loop");
                }

                @Override
                public void wake() {
                  throw new AssertionError("nobody sleeps");
                }
              });
      station = new Station(this, () -> now, random, this::send, StateTable.IBA);
      connections = new Connections(loop, new VirtualPort(station), udQpn, this, refusals, most);
      connections.start(self(false));
    }

    Self self(boolean rfc) {
      return new Self(address, 0xffff, 0, false, RECEIVE_MTU, rfc);
    }

    /** {@return how many entries the connection manager has, but for the listeners} */
    int entries() {
      return station.size() - LISTENERS;
    }

    void connect(Node to) {
      if (connections.to(to.address) == null && !connections.coming(to.address)) {
        connections.connect(to.address, new Way(AhAttr.ofLid(PORT, to.lid, 0), Mtu.MTU_2048, lid));
      }
    }

    /** Sends a packet, if there is a connection. */
    void packet(Node to) {
      Connection c = connections.to(to.address);
      if (c == null || !(c.end() instanceof End mine)) {
        return;
      }
      End theirs = to.ends.get(mine.peerQpn);
      boolean agreed = theirs != null && theirs.peerQpn == mine.qpn;
      if (!agreed) {
        connections.disconnect(c, "send failed"); // as the retries of a queue pair end
        return;
      }
      assertEquals(mine.psn, theirs.firstPsn, "the receiver expects what is sent");
      assertEquals(theirs.psn, mine.firstPsn, "and the other way");
      c.used(now);
      to.connections.heard(to.owners.get(theirs.qpn));
    }

    @Override
    public RcEnd open(Connection connection) {
      End end = new End(this);
      ends.put(end.qpn, end);
      owners.put(end.qpn, connection);
      return end;
    }

    @Override
    public void up(Connection connection) {
      ups.add(connection.peer());
    }

    @Override
    public void down(Connection connection, String why) {
      assertTrue(connection.end() == null, "it is gone before anybody hears of it");
      downs.add(connection.peer());
    }

    @Override
    public long caGuid() {
      return 0x77L + lid;
    }

    @Override
    public int port() {
      return PORT;
    }

    @Override
    public boolean ethernet() {
      return false;
    }

    @Override
    public Mtu mtu() {
      return Mtu.MTU_4096;
    }

    /** The port has a second GID, which is not that of the interface. */
    @Override
    public Gid gid(int index) {
      return index == 0 ? address.gid() : Gid.linkLocal(0x900L + lid);
    }

    @Override
    public int gidIndex(Gid gid) {
      return gid.equals(gid(0)) ? 0 : gid.equals(gid(1)) ? 1 : -1;
    }

    @Override
    public long tid(int localId) {
      return localId;
    }

    private void send(CmMessage message, AhAttr to, int pkeyIndex) {
      if (!bug.test(message)) {
        said.add(message);
        network(this, nodes.get(to.dlid() - 1), message.mad());
      }
    }
  }

  final Random random;
  final List<Node> nodes = new ArrayList<>();
  double loss;
  double repeats;
  long delayNs = 1_000_000;
  long now;
  private int qpns = 100;
  private long flights;
  private final PriorityQueue<Flight> air =
      new PriorityQueue<>(
          (a, b) -> a.at != b.at ? Long.compare(a.at, b.at) : Long.compare(a.number, b.number));

  CmWorld(long seed) {
    random = new Random(seed);
  }

  Node add(int udQpn, int most) {
    Node node = new Node(nodes.size() + 1, udQpn, most);
    nodes.add(node);
    return node;
  }

  private void network(Node from, Node to, Mad mad) {
    int copies = random.nextDouble() < repeats ? 2 : 1;
    for (int i = 0; i < copies; i++) {
      if (random.nextDouble() >= loss) {
        boolean late = loss > 0 && random.nextInt(10) == 0; // later than a repetition
        long delay = (long) (random.nextDouble() * delayNs) + (late ? 9_000_000_000L : 0);
        air.add(new Flight(now + delay, flights++, to, from, mad.copy()));
      }
    }
  }

  /** Lets time pass. */
  void pass(long ns) {
    long end = now + ns;
    while (now < end) {
      Flight next = air.peek();
      now = Math.min(end, Math.min(now + STEP_NS, next == null ? end : next.at));
      for (Node node : nodes) {
        now = Math.min(now, node.station.nextNs());
      }
      nodes.forEach(node -> node.station.tick());
      while (!air.isEmpty() && air.peek().at <= now) {
        deliver(air.remove());
      }
      turn();
    }
  }

  private void turn() {
    for (Node node : nodes) {
      for (int i = 0; i < 100 && node.loop.turn(); i++) {
        Thread.onSpinWait();
      }
    }
  }

  private void deliver(Flight flight) {
    flight.to.station.received(flight.mad, AhAttr.ofLid(PORT, flight.from.lid, 0), 0);
    turn();
  }

  /** What must hold when all is said: each connection is one at both ends, or at none. */
  void check() {
    for (Node node : nodes) {
      Set<Integer> mine = new HashSet<>();
      for (Connection c : node.connections.all()) {
        assertEquals(State.ESTABLISHED, c.state(), "neither here nor there");
        End end = (End) c.end();
        mine.add(end.qpn);
        Node peer =
            nodes.stream().filter(n -> n.address.equals(c.peer())).findFirst().orElseThrow();
        End theirs = peer.ends.get(end.peerQpn);
        assertTrue(theirs != null && theirs.peerQpn == end.qpn, "half open");
        assertEquals(State.ESTABLISHED, peer.owners.get(theirs.qpn).state(), "half open");
      }
      assertEquals(mine, node.ends.keySet(), "queue pairs of nobody");
    }
  }

  /** Ends everything; nothing may be left. */
  void end() {
    nodes.forEach(node -> node.connections.stop());
    pass(100_000_000_000L); // the peers' answers, and timewait
    for (Node node : nodes) {
      assertEquals(Map.of(), node.ends, "queue pairs left");
      assertEquals(0, node.entries(), "names left");
    }
  }
}
