package ib.driver.rxe.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.Gid;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("issue 11, section 2: the sockets of a port's multicast groups")
final class GroupsTest {
  private static final Gid FOUR = Gid.parse("::ffff:239.1.2.3");
  private static final Gid SIX = Gid.parse("ff15::1:2:3");
  private static final InetAddress ONE = InetAddress.ofLiteral("10.0.0.1");
  private static final InetAddress TWO = InetAddress.ofLiteral("10.0.0.2");
  private static final UdpOptions OPTIONS =
      new UdpOptions(
          UdpOptions.ROCE_PORT,
          1 << 20,
          0,
          UdpOptions.Path.PORTABLE,
          0,
          UdpOptions.Gso.OFF,
          UdpOptions.Progress.THREAD,
          UdpOptions.IdCheck.LOOSE,
          UdpOptions.Local.WIRE,
          Set.of());

  /** A socket that the test can see closed. */
  private static final class Socket extends Endpoint {
    private boolean closed;

    Socket(InetAddress address) {
      super(address, OPTIONS, UdpOptions.ROCE_PORT, new UdpCounters());
    }

    @Override
    void setGroupsBy(NetworkInterface on) {}

    @Override
    public void close() {
      closed = true;
    }
  }

  /** A wire without a system below. */
  private static final class Wire implements Groups.Sockets {
    final Groups groups = new Groups(this);
    final Map<InetAddress, Integer> holders = new HashMap<>(Map.of(ONE, 1, TWO, 2));
    final List<Socket> opened = new ArrayList<>();
    final List<Integer> on = new ArrayList<>();
    final List<String> failures = new ArrayList<>();
    List<Endpoint> read = List.of();
    int refusals; // of the next reads

    @Override
    public int holder(InetAddress address) throws IOException {
      Integer holder = holders.get(address);
      if (holder == null) {
        throw new IOException("nowhere");
      }
      return holder;
    }

    @Override
    public Endpoint open(InetAddress group, int where) {
      opened.add(new Socket(group));
      on.add(where);
      return opened.getLast();
    }

    @Override
    public void read() throws IOException {
      if (refusals-- > 0) {
        throw new IOException("refused");
      }
      read = List.copyOf(groups.sockets());
    }

    @Override
    public void forget() {}

    @Override
    public void failed(String what, Gid group, int where, IOException why) {
      failures.add(what + " " + group + " on " + where + ": " + why.getMessage());
    }

    /** Only the last socket is open, and it is read. */
    void lastOnly() {
      opened.forEach(s -> assertEquals(!s.equals(opened.getLast()), s.closed));
      assertEquals(List.of(opened.getLast()), read);
    }
  }

  private final Wire wire = new Wire();
  private final Endpoint[] one = {new Socket(ONE)};
  private final Endpoint[] two = {new Socket(TWO)};

  @Test
  @DisplayName("the receiver refuses the socket: it is closed, and the next join opens another")
  void refused() throws IOException {
    wire.refusals = 1;
    IOException why = assertThrows(IOException.class, () -> wire.groups.join(FOUR, one));
    assertEquals("refused", why.getMessage());
    assertTrue(wire.opened.getFirst().closed);
    assertTrue(wire.groups.sockets().isEmpty());
    wire.groups.follow(one);
    assertEquals(1, wire.opened.size(), "a group whose join failed is not wanted");
    wire.groups.join(FOUR, one);
    wire.lastOnly();
  }

  @Test
  @DisplayName("the first address changes, or moves to another interface: the membership follows")
  void follows() throws IOException {
    wire.groups.join(FOUR, one);
    wire.groups.follow(one);
    assertEquals(List.of(1), wire.on, "nothing has changed");
    wire.groups.follow(two);
    wire.lastOnly();
    wire.holders.put(TWO, 7);
    wire.groups.follow(two);
    wire.lastOnly();
    assertEquals(List.of(1, 2, 7), wire.on);
    wire.groups.follow(new Endpoint[0]);
    assertTrue(wire.read.isEmpty() && wire.opened.getLast().closed, "no address, no membership");
    wire.groups.follow(one);
    wire.lastOnly();
    wire.groups.leave(FOUR);
    wire.groups.follow(one);
    assertTrue(wire.read.isEmpty() && wire.opened.getLast().closed, "left for good");
    assertEquals(List.of(), wire.failures);
  }

  @Test
  @DisplayName("a move that fails is counted and tried again; other groups are not held up")
  void again() {
    wire.groups.want(FOUR);
    wire.groups.want(SIX);
    wire.groups.follow(one);
    assertEquals(List.of(1), wire.on, "no IPv6 address");
    wire.holders.remove(TWO);
    Endpoint[] both = {two[0], new Socket(InetAddress.ofLiteral("fd00::1"))};
    wire.holders.put(both[1].address, 3);
    wire.groups.follow(both);
    assertEquals(List.of("join ::ffff:239.1.2.3 on 0: nowhere"), wire.failures);
    assertEquals(List.of(1, 3), wire.on);
    wire.holders.put(TWO, 2);
    wire.groups.follow(both);
    assertEquals(List.of(1, 3, 2), wire.on);
    assertEquals(2, wire.groups.sockets().size());
    wire.groups.close();
    wire.opened.forEach(s -> assertTrue(s.closed));
  }

  @Test
  @DisplayName("a failure is reported with the group and the interface, of a join and of a leave")
  void named() throws IOException {
    wire.groups.want(FOUR);
    wire.refusals = 1;
    wire.groups.follow(two);
    wire.groups.follow(two);
    wire.refusals = 1;
    wire.groups.leave(FOUR);
    assertEquals(
        List.of("join ::ffff:239.1.2.3 on 2: refused", "leave ::ffff:239.1.2.3 on 2: refused"),
        wire.failures);
  }
}
