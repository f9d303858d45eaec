package ib.driver.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.EventType;
import ib.core.verbs.Gid;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbEvent;
import ib.core.verbs.IbEventHandler;
import ib.core.verbs.Mtu;
import ib.core.verbs.PortState;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("issue 4, section 1: a RoCEv2 port follows the host's interface")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class HostWatchTest {
  private static final InetAddress ONE = InetAddress.ofLiteral("127.0.0.1");
  private static final InetAddress TWO = InetAddress.ofLiteral("127.0.0.2");
  private static final int PAIRS = 20;
  private static final long EUI = 0x505400fffe780003L;

  private static Host.View view(boolean up, int mtu, InetAddress... addresses) {
    return new Host.View(up, mtu, Optional.of(EUI), List.of(addresses));
  }

  /** The next event, which must come in time. */
  private static LinkedBlockingQueue<EventType> events(IbDevice device) {
    LinkedBlockingQueue<EventType> events = new LinkedBlockingQueue<>();
    device.registerEventHandler(
        new IbEventHandler(device) {
          @Override
          public void handle(IbEvent event) {
            events.add(event.type());
          }
        });
    return events;
  }

  private static EventType next(LinkedBlockingQueue<EventType> events) throws InterruptedException {
    return events.poll(10, TimeUnit.MINUTES);
  }

  @Test
  @DisplayName("bad input: a refused datagram is reported once, with its reason and source address")
  void stranger() throws IOException {
    try (RxeLab lab = new RxeLab();
        DatagramChannel stranger = DatagramChannel.open()) {
      lab.configure("rxe0", "address", "127.0.0.1");
      stranger.bind(new InetSocketAddress("127.0.0.3", 0));
      long start = System.nanoTime();
      while (lab.warnings.stream().noneMatch(w -> w.contains("127.0.0.3"))) {
        stranger.send(ByteBuffer.allocate(3), new InetSocketAddress(ONE, 4791));
        assertTrue(System.nanoTime() - start < TimeUnit.MINUTES.toNanos(10), "nothing was told");
      }
      List<String> told = lab.warnings.stream().filter(w -> w.contains("refused")).toList();
      assertEquals(1, told.size(), told.toString());
      assertTrue(told.getFirst().startsWith("device rxe0: datagrams refused: short "), told + "");
    }
  }

  @Test
  @DisplayName("GID_CHANGE, PORT_ERR, PORT_ACTIVE as addresses and the interface come and go")
  void follows() throws InterruptedException {
    try (RxeLab lab = new RxeLab()) {
      lab.host = c -> view(true, 1500, ONE);
      lab.configure("rxe0", "interface", "eth9");
      IbDevice device = lab.lease("rxe0");
      LinkedBlockingQueue<EventType> events = events(device);
      HostWatch watch = lab.running.get("rxe0").watch;
      assertEquals(PortState.ACTIVE, device.queryPort(1).state());
      assertEquals(Mtu.MTU_1024, device.queryPort(1).activeMtu());
      assertEquals(new Gid(0xfe80L << 48, EUI), device.gid(1, 0));

      lab.host = c -> view(true, 9000, ONE, TWO);
      watch.look();
      assertEquals(EventType.GID_CHANGE, next(events));
      assertEquals(Gid.parse("::ffff:127.0.0.2"), device.gid(1, 2));
      assertEquals(EventType.PORT_CHANGE, next(events));
      assertEquals(Mtu.MTU_4096, device.queryPort(1).activeMtu());
      assertEquals(Mtu.MTU_4096, device.port(1).activeMtu(), "A9: what the core knows, too");

      lab.host = c -> view(true, 9000, TWO);
      watch.look();
      assertEquals(EventType.GID_CHANGE, next(events));
      assertEquals(Gid.ZERO, device.gid(1, 1));
      assertEquals(PortState.ACTIVE, device.queryPort(1).state());

      lab.host = c -> view(false, 9000, TWO);
      watch.look();
      assertEquals(EventType.PORT_ERR, next(events));
      assertEquals(PortState.DOWN, device.queryPort(1).state());

      lab.host = c -> view(true, 9000, ONE, TWO);
      watch.look();
      assertEquals(EventType.GID_CHANGE, next(events));
      assertEquals(EventType.PORT_ACTIVE, next(events));
      assertEquals(Gid.parse("::ffff:127.0.0.1"), device.gid(1, 1), "the first free index");
    }
  }

  @Test
  @DisplayName("RG-9: another hardware address changes no GID, and ends no connection's queue pair")
  void hardwareAddress() throws InterruptedException {
    try (RxeLab lab = new RxeLab()) {
      lab.host = c -> view(true, 1500, ONE);
      lab.configure("rxe0", "interface", "eth9");
      List<RxeSide[]> pairs = new ArrayList<>();
      for (int i = 0; i < PAIRS; i++) {
        RxeSide[] pair = {lab.side("rxe0"), lab.side("rxe0")};
        pair[0].gidIndex = 1; // ONE, behind the default GID
        pair[1].gidIndex = 1;
        RxeSide.connect(QpType.RC, pair[0], pair[1], Mtu.MTU_1024);
        pairs.add(pair);
      }
      LinkedBlockingQueue<EventType> events = events(lab.lease("rxe0"));
      for (long eui : new long[] {EUI + 1, EUI + 2, EUI}) {
        lab.host = c -> new Host.View(true, 1500, Optional.of(eui), List.of(ONE));
        lab.running.get("rxe0").watch.look();
        assertEquals(new Gid(0xfe80L << 48, EUI), lab.lease("rxe0").gid(1, 0), "the default GID");
        for (RxeSide[] pair : pairs) {
          assertEquals(QpState.RTS, pair[0].qp.state());
          pair[1].receive(1, 0, 100);
          pair[0].send(2, 0, 100);
          pair[0].next(2);
          pair[1].next(1);
        }
      }
      lab.host = c -> view(false, 1500, ONE);
      lab.running.get("rxe0").watch.look();
      assertEquals(EventType.PORT_ERR, next(events), "the first event of all");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "1500,1024",
    "2127,1024",
    "2128,2048",
    "4175,2048",
    "4176,4096",
    "65536,4096",
    "576,256"
  })
  @DisplayName("the MTU is the largest that leaves 80 bytes")
  void mtu(int ofInterface, int active) {
    try (RxeLab lab = new RxeLab()) {
      lab.host = c -> view(true, ofInterface, ONE);
      lab.configure("rxe0", "interface", "eth9");
      assertEquals(active, lab.lease("rxe0").queryPort(1).activeMtu().bytes());
    }
  }

  @Test
  @DisplayName(
      "UDP port in use: the error names the process, and the device appears when the port "
          + "is free")
  void taken() throws IOException {
    try (RxeLab lab = new RxeLab()) {
      DatagramChannel other = DatagramChannel.open().bind(new InetSocketAddress(ONE, 4791));
      try (other) {
        lab.configure("rxe0", "address", "127.0.0.1");
        assertFalse(lab.slot("rxe0").plugged());
        String error = lab.errors.getFirst();
        assertTrue(error.contains("UDP port 4791"), error);
        assertTrue(error.contains("process " + ProcessHandle.current().pid()), error);
      }
      long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
      while (!lab.running.containsKey("rxe0")) {
        assertTrue(System.nanoTime() < end, "not plugged in although the port is free");
        Thread.onSpinWait();
      }
      assertEquals(1, lab.errors.size(), "one report, however many tries");
    }
  }

  @Test
  @DisplayName(
      "an address that this host lacks: the port is down until the host has it, and the "
          + "log says so")
  void absent() {
    try (RxeLab lab = new RxeLab()) {
      lab.host = c -> Host.NOTHING;
      lab.configure("rxe0", "address", "127.0.0.1");
      IbDevice device = lab.lease("rxe0");
      assertEquals(PortState.DOWN, device.queryPort(1).state());
      assertTrue(lab.warnings.getFirst().contains("127.0.0.1"), lab.warnings.toString());
      lab.host = Host.REAL;
      lab.running.get("rxe0").watch.look();
      assertEquals(PortState.ACTIVE, device.queryPort(1).state());
      assertEquals(Gid.parse("::ffff:127.0.0.1"), lab.running.get("rxe0").ops().queryGid(1, 0));
    }
  }

  @Test
  @DisplayName(
      "U16: a device by addresses has no GID but theirs, from index 0, as they come and go")
  void addresses() {
    try (RxeLab lab = new RxeLab()) {
      lab.host = c -> view(true, 1500, TWO);
      lab.configure("rxe0", "address", "127.0.0.1, 127.0.0.2");
      RxeDevice device = lab.running.get("rxe0");
      HostWatch watch = device.watch;
      assertEquals(List.of("::ffff:127.0.0.2", "::"), gids(device));
      lab.host = c -> view(true, 1500, ONE, TWO);
      watch.look();
      assertEquals(List.of("::ffff:127.0.0.2", "::ffff:127.0.0.1"), gids(device));
      lab.host = c -> view(true, 1500, ONE);
      watch.look();
      assertEquals(List.of("::", "::ffff:127.0.0.1"), gids(device));
    }
  }

  private static List<String> gids(RxeDevice device) {
    return List.of(device.ops().queryGid(1, 0).toString(), device.ops().queryGid(1, 1).toString());
  }
}
