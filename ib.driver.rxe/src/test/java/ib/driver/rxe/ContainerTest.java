package ib.driver.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.Mtu;
import ib.core.verbs.QpType;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WrOpcode;
import ib.driver.rxe.udp.Addresses;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("issue 13, point 8: two processes without any capability, as in containers")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ContainerTest {
  private static final Path SETPRIV = Path.of("/usr/bin/setpriv");
  private static final List<String> WITHOUT =
      List.of(SETPRIV.toString(), "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs");
  private static final int BYTES = 70_001;
  private static final int THERE = 400_000;

  private final List<String> made = new ArrayList<>();

  private static RemoteStation inside(String namespace) throws IOException {
    List<String> command = new ArrayList<>(Namespaces.in(namespace));
    command.addAll(WITHOUT);
    return new RemoteStation(command);
  }

  private static void hasNone(RemoteStation station) throws IOException {
    String status = Files.readString(Path.of("/proc/" + station.pid() + "/status"));
    for (String set : List.of("CapEff", "CapPrm", "CapBnd")) {
      assertTrue(status.contains(set + ":\t0000000000000000\n"), () -> set + " in " + status);
    }
  }

  /** A network namespace with a macvlan interface beside the others of the same parent. */
  private String macvlan(Namespaces host, int number) throws IOException, InterruptedException {
    String name = host.left + "c" + number;
    Namespaces.ip("netns", "add", name);
    made.add(name);
    Namespaces.ip(
        "-n",
        host.left,
        "link",
        "add",
        "mv" + number,
        "link",
        Namespaces.DEVICE,
        "netns",
        name,
        "type",
        "macvlan",
        "mode",
        "bridge");
    Namespaces.ip("-n", name, "addr", "add", "10.78.0." + number + "/24", "dev", "mv" + number);
    Namespaces.ip("-n", name, "link", "set", "mv" + number, "up");
    return name;
  }

  @ParameterizedTest
  @ValueSource(strings = {"host", "macvlan"})
  @DisplayName("the host's network and macvlan: writes and reads by system calls, every byte right")
  void works(String network) throws Exception {
    Assumptions.assumeTrue(Files.isExecutable(SETPRIV), "no " + SETPRIV);
    Namespaces host = new Namespaces(1500);
    try {
      boolean own = network.equals("macvlan");
      String one = own ? macvlan(host, 1) : host.left;
      String two = own ? macvlan(host, 2) : host.right;
      String net = own ? "10.78.0." : "10.77.0.";
      try (RemoteStation left = inside(one);
          RemoteStation right = inside(two)) {
        left.tell("plug", "address=" + net + 1, "io=native");
        right.tell("plug", "address=" + net + 2, "io=native");
        hasNone(left);
        hasNone(right);
        PartyEnd a = new PartyEnd(left, "a", QpType.RC);
        PartyEnd b = new PartyEnd(right, "b", QpType.RC);
        PartyEnd.connect(a, b);
        a.fill(0, BYTES, 1);
        a.post(WrOpcode.RDMA_WRITE, 1, 0, BYTES, b, THERE);
        a.next(1, WcStatus.SUCCESS);
        b.same("written", THERE, BYTES, 1);
        b.fill(THERE, BYTES, 2);
        a.post(WrOpcode.RDMA_READ, 2, 0, BYTES, b, THERE);
        a.next(2, WcStatus.SUCCESS);
        a.same("read", 0, BYTES, 2);
        assertEquals("1", left.tell("counter", "udp_native"));
        assertTrue(Integer.parseInt(left.tell("counter", "udp_sent")) > BYTES / 1024);
        a.close();
        b.close();
      }
    } finally {
      for (String name : made) {
        Namespaces.ip("netns", "del", name);
      }
      host.remove();
    }
  }

  @Test
  @DisplayName(
      "IBA annex A17.3.2: what a translator of addresses sends on has a wrong ICRC and is dropped")
  void translated() throws Exception {
    DatagramChannel translator = DatagramChannel.open();
    try (RxeLab lab = new RxeLab()) {
      lab.configure("rxe0", "address", "127.0.0.1", "io", "native");
      lab.configure("rxe1", "address", "127.0.0.2", "io", "native");
      InetAddress outside = InetAddress.ofLiteral("127.0.0.9"); // as the one peer knows the other
      translator.bind(new InetSocketAddress(outside, 4791));
      Thread relay = Thread.ofPlatform().daemon().start(() -> relay(translator));
      RxeSide a = lab.side("rxe0");
      RxeSide b = lab.side("rxe1");
      a.timeout = 12;
      a.retries = 2;
      a.open(QpType.RC);
      b.open(QpType.RC);
      a.bringUp(Addresses.gid(outside), b.qp.qpn(), Mtu.MTU_1024);
      b.bringUp(Addresses.gid(outside), a.qp.qpn(), Mtu.MTU_1024);
      b.receive(1, 0, 64);
      a.send(2, 0, 64);
      assertEquals(WcStatus.RETRY_EXC_ERR, a.next().status());
      assertEquals(0, b.count(), "nothing has arrived");
      assertTrue(lab.running.get("rxe1").ops().counters(1).get("drop_icrc_error") > 0);
      translator.close();
      relay.join();
    } finally {
      translator.close();
    }
  }

  /** Sends on what comes, from its own address. */
  private static void relay(DatagramChannel translator) {
    ByteBuffer datagram = ByteBuffer.allocate(8192);
    try {
      while (true) {
        translator.receive(datagram.clear());
        translator.send(datagram.flip(), new InetSocketAddress("127.0.0.2", 4791));
      }
    } catch (ClosedChannelException e) {
      Thread.onSpinWait(); // the test has ended
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
