package ib.driver.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.ClientRegistration;
import ib.core.client.IbClient;
import ib.core.verbs.IbDevice;
import ib.core.verbs.Mtu;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.DatagramChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("issue 4, section 3: a RoCEv2 device is plugged and unplugged repeatedly")
@Timeout(value = 3600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RxeUnplugTest {
  private static final int UNPLUGS = Integer.getInteger("ib.rxe.unplugs", 15);
  private static final int CREATES = Integer.getInteger("ib.rxe.creates", 60);
  private static final int PAIRS = 4;
  private static final int LOOPBACK_MTU = 65_536;

  private final RxeLab lab = new RxeLab();

  @AfterEach
  void close() {
    lab.close();
  }

  /** A client with busy queue pairs on the device that goes, to others on the one that stays. */
  private final class Busy implements IbClient {
    private final List<RxeSide> here = new ArrayList<>();
    private final List<RxeSide> there = new ArrayList<>();
    private final List<Flow> flows = new ArrayList<>();
    private final List<String> wrong = new ArrayList<>();
    private long requests;

    @Override
    public String name() {
      return "busy";
    }

    @Override
    public Object add(IbDevice device) {
      if (!device.name().equals("rxe0")) {
        return null;
      }
      for (int i = 0; i < PAIRS; i++) {
        RxeSide a = new RxeSide(device);
        RxeSide b = new RxeSide(stays);
        RxeSide.connect(QpType.RC, a, b, Mtu.MTU_1024);
        here.add(a);
        there.add(b);
        flow(a, b);
        flow(b, a);
      }
      return this;
    }

    private void flow(RxeSide from, RxeSide to) {
      Flow flow = new Flow(from, to.mr.rkey(), to.mr.iova());
      flow.start();
      flows.add(flow);
    }

    /** In the middle of it: what is under way is flushed. */
    @Override
    public void remove(IbDevice device, Object data) {
      if (!device.name().equals("rxe0")) {
        return;
      }
      flows.forEach(Flow::stop);
      here.forEach(s -> s.qp.modify(new QpAttr().state(QpState.ERR)));
      there.forEach(s -> s.qp.modify(new QpAttr().state(QpState.ERR)));
      for (Flow flow : flows) {
        String[] end = flow.settle().split(" ");
        requests += Long.parseLong(end[0]);
        if (!end[0].equals(end[1]) || !end[2].equals("0")) {
          wrong.add(String.join(" ", end));
        }
      }
      here.forEach(RxeSide::close);
      there.forEach(RxeSide::close);
      here.clear();
      there.clear();
      flows.clear();
    }
  }

  private IbDevice stays;

  private static long descriptors() throws IOException {
    try (var all = Files.list(Path.of("/proc/self/fd"))) {
      return all.count();
    }
  }

  private static List<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(n -> n.startsWith("ib-rxe0") || n.equals("flow"))
        .toList();
  }

  private void unplugged(String io) {
    lab.slot("rxe0").unplug();
    assertFalse(lab.running.containsKey("rxe0"), "registered");
    assertEquals(List.of(), threads(), io);
  }

  @ParameterizedTest(name = "{0} {1}")
  @CsvSource({"native, wire", "portable, wire", "native, memory"})
  @DisplayName(
      "F15, F16, F35: unplugged under traffic, every request completes exactly once; no thread, no"
          + " descriptor, no object is left")
  void underTraffic(String io, String local) throws IOException {
    // The count is exact without sockets for source ports, which come when the watch looks, and
    // without a look at interfaces, for which Java opens a socket for a moment.
    lab.host = c -> new Host.View(true, LOOPBACK_MTU, Optional.empty(), c.addresses());
    lab.configure("rxe1", "address", "127.0.0.2", "io", io, "local", local, "source_ports", 0);
    stays = lab.lease("rxe1");
    lab.configure("rxe0", "address", "127.0.0.1", "io", io, "local", local, "source_ports", 0);
    Busy busy = new Busy();
    ClientRegistration registration = lab.midlayer.core().registerClient(busy);
    unplugged(io);
    int resources = lab.midlayer.core().resources().size();
    long descriptors = descriptors();
    for (int i = 0; i < UNPLUGS; i++) {
      lab.slot("rxe0").plug();
      LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(500 + 370L * (i % 50)));
      unplugged(io);
      assertEquals(List.of(), busy.wrong, "round " + i);
      assertEquals(resources, lab.midlayer.core().resources().size(), "objects left");
      assertEquals(descriptors, descriptors(), "descriptors");
    }
    assertTrue(busy.requests > (long) UNPLUGS * PAIRS, busy.requests + " requests");
    registration.unregister();
  }

  @ParameterizedTest(name = "{0}")
  @ValueSource(strings = {"native", "portable"})
  @DisplayName(
      "R-09: configured, refused because the port is in use, deleted, many times: nothing "
          + "is left")
  void createFailDelete(String io) throws IOException {
    long descriptors = 0;
    for (int i = 0; i < CREATES; i++) {
      lab.errors.clear();
      if (i % 2 == 0) {
        lab.configure("rxe0", "address", "127.0.0.1", "io", io);
        assertTrue(lab.running.containsKey("rxe0"));
      } else {
        try (DatagramChannel other = DatagramChannel.open()) {
          other.bind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 4791));
          lab.configure("rxe0", "address", "127.0.0.1,127.0.0.2", "io", io);
          assertFalse(lab.running.containsKey("rxe0"));
          assertTrue(lab.errors.getFirst().contains("UDP port 4791"), lab.errors::toString);
          lab.delete("rxe0");
        }
      }
      lab.delete("rxe0");
      assertEquals(List.of(), threads());
      if (i == 1) {
        descriptors = descriptors(); // both ways have been gone
      } else if (i > 1) {
        assertEquals(descriptors, descriptors(), "round " + i);
      }
    }
  }
}
