package ib.ulp.ipoib.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.AhAttr;
import ib.core.verbs.Gid;
import ib.core.verbs.Mtu;
import ib.ulp.ipoib.cm.Connection.State;
import ib.ulp.ipoib.loop.Loop;
import ib.ulp.ipoib.wire.LinkAddress;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Interfaces that connect to each other in virtual time, over a network that loses, repeats and
 * reorders the messages of the connection manager; one seed, one course. Queue pairs are names
 * only, but names that must agree at both ends.
 */
final class CmWorld {
  static final int RECEIVE_MTU = 65_524;
  private static final int PORT = 1;
  private static final long STEP_NS = Connections.RESPONSE_NS / 8;

  /** A message under way. */
  private record Flight(long at, long number, Node to, Node from, long tid, CmMessage message) {}

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
  final class Node implements Connections.Owner, CmService {
    final int lid;
    final Loop loop;
    final LinkAddress address;
    final Map<Integer, CmParty> names = new HashMap<>();
    final Map<Integer, End> ends = new HashMap<>();
    final Map<Integer, Connection> owners = new HashMap<>();
    final List<LinkAddress> ups = new ArrayList<>();
    final List<LinkAddress> downs = new ArrayList<>();
    final List<CmMessage> said = new ArrayList<>();
    Predicate<CmMessage> bug = message -> false; // says what is not said
    boolean broken; // its device closes queue pairs only with an exception
    final Refusals refusals = new Refusals();
    final Connections connections;
    @Nullable CmParty listener;

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
      connections = new Connections(loop, this, this, refusals, most);
      connections.start(self(false));
    }

    Self self(boolean rfc) {
      return new Self(address, 77, PORT, 0, 0xffff, 0, false, RECEIVE_MTU, rfc);
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
    public int name(CmParty party) {
      int id = random.nextInt(1, 1 << 30);
      names.put(id, party);
      return id;
    }

    @Override
    public void release(int id) {
      names.remove(id);
    }

    @Override
    public void listen(int udQpn, CmParty party) {
      listener = party;
    }

    @Override
    public void unlisten(int udQpn) {
      listener = null;
    }

    @Override
    public long transaction(int id) {
      return id;
    }

    @Override
    public void send(long tid, CmMessage message, AhAttr to, int pkeyIndex) {
      if (!bug.test(message)) {
        said.add(message);
        network(this, nodes.get(to.dlid() - 1), tid, message);
      }
    }

    @Override
    public void close() {
      throw new AssertionError("shared");
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

  private void network(Node from, Node to, long tid, CmMessage message) {
    int copies = random.nextDouble() < repeats ? 2 : 1;
    for (int i = 0; i < copies; i++) {
      if (random.nextDouble() >= loss) {
        boolean late = loss > 0 && random.nextInt(10) == 0; // later than a repetition
        long delay = (long) (random.nextDouble() * delayNs) + (late ? 9_000_000_000L : 0);
        air.add(new Flight(now + delay, flights++, to, from, tid, wired(message)));
      }
    }
  }

  /** As it comes out of the bytes of the wire. */
  static CmMessage wired(CmMessage message) {
    MemorySegment bytes = MemorySegment.ofArray(new byte[CmMessage.BYTES]);
    message.write(bytes);
    CmMessage read = CmMessage.read(message.attribute(), bytes);
    assertEquals(message, read);
    return read;
  }

  /** Lets time pass. */
  void pass(long ns) {
    long end = now + ns;
    while (now < end) {
      Flight next = air.peek();
      now = Math.min(end, Math.min(now + STEP_NS, next == null ? end : next.at));
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
    AhAttr answer = AhAttr.ofLid(PORT, flight.from.lid, 0);
    CmMessage message = flight.message;
    CmParty party =
        message instanceof CmRequest ? flight.to.listener : flight.to.names.get(message.remoteId());
    if (party != null) {
      party.received(flight.tid, message, answer);
    } else {
      CmMessage refusal = CmPort.refusal(message);
      if (refusal != null) {
        network(flight.to, flight.from, flight.tid, refusal);
      }
    }
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
      assertEquals(mine.size(), node.names.size(), "names of nobody");
    }
  }

  /** Ends everything; nothing may be left. */
  void end() {
    nodes.forEach(node -> node.connections.stop());
    for (Node node : nodes) {
      assertEquals(Map.of(), node.ends, "queue pairs left");
      assertEquals(Map.of(), node.names, "names left");
    }
  }
}
