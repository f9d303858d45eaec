package ib.ulp.ipoib.tap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.ulp.ipoib.testing.Descriptors;
import ib.ulp.ipoib.testing.Lab;
import ib.ulp.ipoib.testing.Namespaces;
import ib.ulp.ipoib.wire.Ip;
import ib.ulp.ipoib.wire.IpPacket;
import ib.ulp.ipoib.wire.Octets;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("issue 5, section 3: a device of the kernel with several queues")
@Timeout(600)
class QueuesTest extends TwoKernels {
  private static final int FLOWS = 64;
  private static final String RECEIVE =
      """
      import socket, sys
      s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
      s.settimeout(30)
      s.bind((sys.argv[1], 7009))
      print(len({s.recvfrom(64)[1] for i in range(64)}), 'flows')
      """;
  private static final String SEND =
      """
      import socket, sys
      for i in range(64):
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        s.bind(('', 20000 + i))
        s.sendto(b'x', (sys.argv[1], 7009))
      """;
  private static final String ECHO =
      """
      import socket, sys
      s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
      s.bind((sys.argv[1], 7010))
      while True:
        data, who = s.recvfrom(64)
        s.sendto(data, who)
      """;

  QueuesTest() {
    super(name -> TapBackend.open(name, 2));
  }

  private TapDevice device() {
    return ((TapHost) lab.device("ib0").host()).device;
  }

  private void flowsArrive() {
    ping(left, "-c", "1", "10.97.0.2");
    Process receiver = namespaces.startIn(right, "python3", "-c", RECEIVE, "10.97.0.2");
    try {
      Lab.await(() -> namespaces.in(right, "ss", "-lun").contains(":7009"), "it listens");
      namespaces.in(left, "python3", "-c", SEND, "10.97.0.2");
      assertEquals(FLOWS + " flows", Namespaces.output(receiver).strip());
    } finally {
      receiver.destroy();
    }
  }

  @Test
  @DisplayName(
      "two queues, as the kernel shows them: flows use both, also after the device was " + "lost")
  void both() {
    Namespaces.require("python3", "ss");
    String link = namespaces.in(left, "ip", "-d", "link", "show", devA);
    assertTrue(link.contains("multi_queue"), link);
    String folder = "/sys/class/net/" + devA + "/queues";
    assertEquals("rx-0 rx-1 tx-0 tx-1", sorted(namespaces.in(left, "ls", folder)));
    flowsArrive();
    long first = device().reads(0);
    long second = device().reads(1);
    assertTrue(first > 0 && second > 0, first + " and " + second);
    namespaces.in(left, "ip", "link", "del", devA); // P2
    Lab.await(() -> Namespaces.run("ip", "-o", "link").contains(devA + ":"), "it is back");
    namespaces.move(devA, left, "10.97.0.1/24");
    Lab.await(
        () -> namespaces.in(left, "ip", "-o", "link", "show", devA).contains("LOWER_UP"),
        "carrier");
    flowsArrive();
    assertTrue(device().reads(0) > first && device().reads(1) > second, "both again");
  }

  private static String sorted(String lines) {
    return String.join(
        " ", lines.lines().flatMap(l -> List.of(l.split("\\s+")).stream()).sorted().toList());
  }

  @Test
  @DisplayName("the kernel answers a flow on the queue that the flow was written to")
  void stays() throws IOException {
    Namespaces.require("python3", "ss");
    String name = "qt" + ProcessHandle.current().pid();
    Process echo = null;
    try (TapDevice tun = TapDevice.tun(name, 3);
        Arena arena = Arena.ofConfined()) {
      tun.carrier(true);
      namespaces.move(name, right, "10.99.0.2/24");
      echo = namespaces.startIn(right, "python3", "-c", ECHO, "10.99.0.2");
      Lab.await(() -> namespaces.in(right, "ss", "-lun").contains(":7010"), "it listens");
      MemorySegment s = arena.allocate(Ethernet.LONGEST, 8);
      boolean[] used = new boolean[3];
      for (int i = 0; i < FLOWS; i++) {
        IpPacket ip = datagram(s, 30_000 + i);
        int queue = tun.queueOf(s, ip);
        assertTrue(tun.write(queue, s, Ethernet.VNET + 29));
        long before = tun.reads(queue);
        MemorySegment answer = arena.allocate(2048, 8);
        while (!answers(tun, answer, 30_000 + i)) {
          before = tun.reads(queue); // what the kernel has to say besides
          tun.sleep(1_000_000);
        }
        assertEquals(before + 1, tun.reads(queue), "port " + (30_000 + i));
        used[queue] = true;
      }
      assertTrue(used[0] && used[1] && used[2], "flows are spread");
    } finally {
      if (echo != null) {
        echo.destroy();
      }
    }
  }

  private static boolean answers(TapDevice tun, MemorySegment s, int port) throws IOException {
    return tun.read(s) == Ethernet.VNET + 29
        && Octets.u8(s, Ethernet.VNET + 9L) == IpPacket.UDP
        && Octets.u16(s, Ethernet.VNET + 22L) == port;
  }

  private static IpPacket datagram(MemorySegment s, int port) {
    s.asSlice(0, Ethernet.VNET).fill((byte) 0);
    long at = Ethernet.VNET;
    Ip from = Ip.parse("10.99.0.1");
    long udp = at + IpPacket.write(s, at, from, Ip.parse("10.99.0.2"), IpPacket.UDP, 9, 64);
    Octets.u16(s, udp, port);
    Octets.u16(s, udp + 2, 7010);
    Octets.u16(s, udp + 4, 9);
    Octets.u16(s, udp + 6, 0); // no checksum (RFC 768)
    IpPacket ip = new IpPacket();
    assertTrue(ip.read(s, at, 29));
    return ip;
  }

  @Test
  @DisplayName("1.6: removed under load: device and the descriptors of all queues are gone")
  void remove() {
    ping(left, "-c", "1", "10.97.0.2");
    List<String> before = Descriptors.list();
    Process flood = namespaces.startIn(right, "ping", "-n", "-q", "-i", "0.001", "10.97.0.1");
    ping(left, "-c", "5", "10.97.0.2");
    lab.awaitFlood("ib0");
    lab.unplug(0);
    Namespaces.run("kill", "-INT", String.valueOf(flood.pid()));
    Namespaces.output(flood);
    assertFalse(namespaces.in(left, "ip", "-o", "link").contains(devA), "P1");
    List<String> after = Descriptors.list();
    assertEquals(3, count(before), "two queues, and one of the other's");
    assertEquals(1, count(after));
    List<String> more = new ArrayList<>(after);
    before.forEach(more::remove);
    assertEquals(List.of(), more);
  }

  private static long count(List<String> descriptors) {
    return descriptors.stream().filter("/dev/net/tun"::equals).count();
  }
}
