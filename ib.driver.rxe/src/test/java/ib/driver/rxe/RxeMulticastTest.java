package ib.driver.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.QpType;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WrOpcode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("issue 4, section 1: IP multicast for datagram groups, from one host to another")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RxeMulticastTest {
  private static final int EVERYBODY = 0xffffff;
  private static final int GRH = 40;

  @ParameterizedTest(name = "{0} {1}")
  @CsvSource({
    "native, ::ffff:239.1.2.3, 10.77.0.1, 10.77.0.2",
    "portable, ::ffff:239.1.2.3, 10.77.0.1, 10.77.0.2",
    "native, ff15::1:2:3, fd77::1, fd77::2",
    "portable, ff15::1:2:3, fd77::1, fd77::2"
  })
  @DisplayName(
      "IBA A17: a multicast packet reaches every member, no former member, and not its " + "sender")
  void group(String io, String group, String left, String right) throws Exception {
    Namespaces two = new Namespaces(1500);
    try {
      two.ipv6("fd77::1/64", "fd77::2/64");
      try (Party a = new RemoteStation(Namespaces.in(two.left));
          Party b = new RemoteStation(Namespaces.in(two.right))) {
        a.tell("plug", "address=" + left, "io=" + io);
        b.tell("plug", "address=" + right, "io=" + io);
        PartyEnd from = new PartyEnd(a, "from", QpType.UD);
        PartyEnd to = new PartyEnd(b, "to", QpType.UD);
        from.up(group, EVERYBODY, 14, 7, 7);
        to.up(group, EVERYBODY, 14, 7, 7);
        b.tell("attach", "to", group);
        for (int i = 0; i < 3; i++) {
          to.receive(i, 0, 1000 + GRH);
          from.fill(0, 1000, i);
          from.post(WrOpcode.SEND, 9, 0, 1000, 0, 0, EVERYBODY);
          from.next(9, WcStatus.SUCCESS);
          assertEquals(1000 + GRH, to.next(i, WcStatus.SUCCESS).bytes());
          to.same("datagram", GRH, 1000, i);
        }
        assertEquals(0, a.counter("udp_rcvd"), "no member there");
        b.tell("detach", "to", group);
        to.receive(7, 0, 1000 + GRH);
        from.post(WrOpcode.SEND, 9, 0, 1000, 0, 0, EVERYBODY);
        from.next(9, WcStatus.SUCCESS);
        b.tell("attach", "to", group);
        from.fill(0, 8, 77);
        from.post(WrOpcode.SEND, 9, 0, 8, 0, 0, EVERYBODY);
        from.next(9, WcStatus.SUCCESS);
        assertEquals(8 + GRH, to.next(7, WcStatus.SUCCESS).bytes(), "not what came in between");
      }
    } finally {
      two.remove();
    }
  }

  @ParameterizedTest(name = "{0}")
  @ValueSource(strings = {"native", "portable"})
  @DisplayName("the address moves to another interface: so does the membership of the group")
  void moves(String io) throws Exception {
    Namespaces two = new Namespaces(1500);
    try {
      Namespaces.ip("-n", two.left, "link", "add", "eth1", "type", "veth", "peer", "name", "eth2");
      Namespaces.ip("-n", two.left, "link", "set", "eth1", "up");
      try (Party a = new RemoteStation(Namespaces.in(two.left))) {
        a.tell("plug", "address=10.77.0.1", "io=" + io);
        PartyEnd member = new PartyEnd(a, "member", QpType.UD);
        member.up("::ffff:239.1.2.3", EVERYBODY, 14, 7, 7);
        a.tell("attach", "member", "::ffff:239.1.2.3");
        assertEquals("eth0", members(two.left));
        Namespaces.ip("-n", two.left, "addr", "del", "10.77.0.1/24", "dev", "eth0");
        Namespaces.ip("-n", two.left, "addr", "add", "10.77.0.1/24", "dev", "eth1");
        await(two.left, "eth1");
        a.tell("detach", "member", "::ffff:239.1.2.3");
        await(two.left, "");
      }
    } finally {
      two.remove();
    }
  }

  @ParameterizedTest(name = "{0} {1}")
  @CsvSource({
    "native, ::ffff:239.1.2.3, 10.77.0.3/24, 10.77.0.2",
    "portable, ::ffff:239.1.2.3, 10.77.0.3/24, 10.77.0.2",
    "native, ff15::1:2:3, fd77::3/64, fd77::2",
    "portable, ff15::1:2:3, fd77::3/64, fd77::2"
  })
  @DisplayName("the address moves to another interface: packets for a group leave there")
  void leaves(String io, String group, String address, String right) throws Exception {
    Namespaces two = new Namespaces(1500);
    try {
      two.ipv6("fd77::1/64", "fd77::2/64");
      Namespaces.ip("-n", two.left, "link", "add", "eth1", "type", "veth", "peer", "name", "eth2");
      Namespaces.sysctl(two.left, "net.ipv6.conf.eth1.disable_ipv6=0");
      Namespaces.ip("-n", two.left, "link", "set", "eth1", "up");
      Namespaces.ip("-n", two.left, "link", "set", "eth2", "up"); // a carrier for eth1
      add(two.left, address, "eth1");
      try (Party a = new RemoteStation(Namespaces.in(two.left));
          Party b = new RemoteStation(Namespaces.in(two.right))) {
        a.tell("plug", "address=" + address.split("/")[0], "io=" + io);
        b.tell("plug", "address=" + right, "io=" + io);
        PartyEnd from = new PartyEnd(a, "from", QpType.UD);
        PartyEnd to = new PartyEnd(b, "to", QpType.UD);
        from.up(group, EVERYBODY, 14, 7, 7);
        to.up(group, EVERYBODY, 14, 7, 7);
        b.tell("attach", "to", group);
        to.receive(1, 0, 1000 + GRH);
        send(from);
        until(() -> sockets(two.left) == 2, "a socket of the queue pair's own port");
        add(two.left, address, "eth0"); // before: the host has the address all the time
        Namespaces.ip("-n", two.left, "addr", "del", address, "dev", "eth1");
        until(
            () -> {
              send(from);
              return to.completions() > 0;
            },
            "a packet leaves by the other interface");
      }
    } finally {
      two.remove();
    }
  }

  @ParameterizedTest(name = "{0}")
  @ValueSource(strings = {"native", "portable"})
  @DisplayName("the system refuses a membership that moves: counted apart, tried again, repeated")
  void refused(String io) throws Exception {
    Namespaces two = new Namespaces(1500);
    try {
      Namespaces.ip("-n", two.left, "link", "add", "eth1", "type", "veth", "peer", "name", "eth2");
      Namespaces.ip("-n", two.left, "link", "set", "eth1", "up");
      try (Party a = new RemoteStation(Namespaces.in(two.left))) {
        a.tell("plug", "address=10.77.0.1", "io=" + io);
        PartyEnd member = new PartyEnd(a, "member", QpType.UD);
        member.up("::ffff:239.1.2.3", EVERYBODY, 14, 7, 7);
        a.tell("attach", "member", "::ffff:239.1.2.3");
        assertEquals(0, a.counter("mcast_failed"));
        Namespaces.sysctl(two.left, "net.ipv4.igmp_max_memberships=0");
        add(two.left, "10.77.0.1/24", "eth1");
        Namespaces.ip("-n", two.left, "addr", "del", "10.77.0.1/24", "dev", "eth0");
        until(() -> a.counter("mcast_failed") > 1, "failures that are counted");
        assertEquals("", members(two.left));
        Namespaces.sysctl(two.left, "net.ipv4.igmp_max_memberships=20");
        await(two.left, "eth1");
        assertEquals(0, a.counter("rx_failed"));
        a.tell("detach", "member", "::ffff:239.1.2.3");
      }
    } finally {
      two.remove();
    }
  }

  private static void add(String namespace, String address, String on)
      throws IOException, InterruptedException {
    List<String> words =
        new ArrayList<>(List.of("-n", namespace, "addr", "add", address, "dev", on));
    if (address.contains(":")) {
      words.add("nodad");
    }
    Namespaces.ip(words.toArray(String[]::new));
  }

  private static void send(PartyEnd from) {
    from.post(WrOpcode.SEND, 9, 0, 1000, 0, 0, EVERYBODY);
    from.next(9, WcStatus.SUCCESS);
  }

  private static void await(String namespace, String interfaces) throws Exception {
    until(() -> members(namespace).equals(interfaces), "a member on '" + interfaces + "'");
  }

  private static void until(Callable<Boolean> condition, String what) throws Exception {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
    while (!condition.call()) {
      assertTrue(System.nanoTime() < end, what);
    }
  }

  /** {@return the interfaces of a namespace on which somebody is a member of 239.1.2.3} */
  private static String members(String namespace) throws IOException {
    return lines(namespace, "ip", "-o", "maddr")
        .filter(line -> line.contains("239.1.2.3"))
        .map(line -> line.split("[\\s\\\\]+")[1])
        .collect(Collectors.joining(" "));
  }

  /** {@return how many UDP sockets a namespace has} */
  private static long sockets(String namespace) throws IOException {
    return lines(namespace, "cat", "/proc/net/udp", "/proc/net/udp6")
        .filter(line -> !line.contains("local_address"))
        .count();
  }

  private static Stream<String> lines(String namespace, String... words) throws IOException {
    List<String> command = new ArrayList<>(Namespaces.in(namespace));
    command.addAll(List.of(words));
    return new ProcessBuilder(command).start().inputReader().lines();
  }
}
