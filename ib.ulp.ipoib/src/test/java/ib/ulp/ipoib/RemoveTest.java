package ib.ulp.ipoib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.driver.soft.SoftNode;
import ib.ulp.ipoib.link.LinkConfig;
import ib.ulp.ipoib.net.Backend;
import ib.ulp.ipoib.net.NetIf;
import ib.ulp.ipoib.testing.Descriptors;
import ib.ulp.ipoib.testing.Lab;
import ib.ulp.ipoib.wire.Ip;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How often is set by {@code -Dib.ipoib.removals=}. */
@DisplayName(
    "section 7, hang on unload: remove returns whatever goes on, and leaves no interface, thread,"
        + " descriptor or object")
@Timeout(600)
class RemoveTest {
  private static final int REMOVALS = Integer.getInteger("ib.ipoib.removals", 1000);
  private static final long SEED = Long.getLong("ib.ipoib.seed", System.nanoTime());

  /** What goes on while a device is removed. */
  private enum Moment {
    /** The first join is not answered. */
    JOIN_IN_FLIGHT,
    /** The subnet manager is dead from the beginning. */
    SM_DEAD,
    /** Answers come: some moment of the way up. */
    COMING_UP,
    /** A path is asked for. */
    PATH_IN_FLIGHT,
    /** The port has gone down, and children wait for P_Keys. */
    PORT_DOWN,
    /** A child is made at the same time. */
    CHILD,
    /** Everything at rest. */
    QUIET
  }

  private final Random random = new Random(SEED);
  private final Map<Moment, Long> longestNs = new TreeMap<>();
  private int hosts;
  private final LinkConfig config = new LinkConfig(0, 64, 64, 0);
  private final Lab lab = new Lab(1, config, name -> Backend.inJvm());

  @AfterEach
  void close() {
    lab.subnet.release();
    lab.close();
    assertEquals(List.of(), threads());
  }

  private static List<String> threads() {
    Thread[] all = new Thread[Thread.activeCount() + 64];
    int count = Thread.enumerate(all);
    return Arrays.stream(all, 0, count)
        .map(Thread::getName)
        .filter(name -> name.startsWith("ipoib-"))
        .toList();
  }

  private void remove(Moment moment) {
    SoftNode node = lab.nodes.get(1);
    long began = System.nanoTime();
    lab.plugs.remove(1).unregister();
    longestNs.merge(moment, System.nanoTime() - began, Math::max);
    assertEquals(List.of(), lab.core.core().lastRemoval(node.name()).orElseThrow().leaks());
    assertEquals(List.of("ipoib-ib0"), threads());
    assertEquals(1, lab.ipoib.interfaces().size());
    assertEquals(1, lab.subnet.openClients());
    lab.nodes.remove(1).close();
    lab.subnet.dead = false;
    lab.subnet.release();
    lab.subnet.log.clear();
  }

  private void arrange(Moment moment) {
    lab.subnet.dead = moment == Moment.SM_DEAD;
    if (moment == Moment.JOIN_IN_FLIGHT) {
      lab.subnet.hold();
    }
    lab.plug();
    switch (moment) {
      case COMING_UP -> LockSupport.parkNanos(random.nextInt(3_000_000));
      case PATH_IN_FLIGHT -> {
        lab.up("ib1");
        lab.subnet.hold();
        Ip another = Ip.v4(0x0a600002 + ++hosts);
        lab.stack("ib1").address(another, 16);
        lab.stack("ib0").address(Ip.parse("10.96.0.1"), 16);
        lab.stack("ib0").ping(another, 0, 1_000_000); // the question is answered along a path
        Lab.await(
            () -> lab.subnet.log.stream().anyMatch(line -> line.startsWith("path")), "a query");
      }
      case PORT_DOWN -> {
        lab.ipoib.createChild("ib1", 0x8001);
        lab.nodes.get(1).cable(false);
      }
      case CHILD -> lab.ipoib.createChild("ib1", 0x8001);
      case QUIET -> lab.up("ib1");
      case JOIN_IN_FLIGHT, SM_DEAD -> {} // no answer comes
    }
  }

  @Test
  @DisplayName("1,000 times in a row, while: joins in flight, SM dead, path query in flight, ...")
  void inARow() {
    lab.up("ib0");
    Moment[] moments = Moment.values();
    for (int i = 0; i < 2 * moments.length; i++) { // whatever is opened once, is
      arrange(moments[i % moments.length]);
      remove(moments[i % moments.length]);
    }
    longestNs.clear();
    int descriptors = Descriptors.open();
    for (int i = 0; i < REMOVALS; i++) {
      arrange(moments[i % moments.length]);
      remove(moments[i % moments.length]);
    }
    assertTrue(Descriptors.open() <= descriptors, () -> Descriptors.list() + " seed " + SEED);
    IO.println(REMOVALS + " removals, the longest of each kind in ms: " + milliseconds());
  }

  private Map<Moment, Long> milliseconds() {
    Map<Moment, Long> ms = new TreeMap<>();
    longestNs.forEach((moment, ns) -> ms.put(moment, ns / 1_000_000));
    return ms;
  }

  @Test
  @DisplayName("with paths and neighbours asked for and 10,000 packets queued")
  void queued() {
    lab.up("ib0");
    for (int i = 0; i < Math.max(3, REMOVALS / 200); i++) {
      lab.plug();
      lab.up("ib1");
      NetIf stack = lab.stack("ib1");
      stack.address(Ip.parse("10.96.0.2"), 16);
      lab.subnet.hold();
      for (int packet = 0; packet < 10_000; packet++) {
        stack.send(7, Ip.v4(0x0a600000 + packet % 500 + 3), 7, new byte[100]);
      }
      remove(Moment.PATH_IN_FLIGHT);
    }
  }

  @Test
  @DisplayName("twice, and while the device is being added: each ends, nothing is left")
  void twice() {
    NetDevice device = lab.up("ib0");
    device.close();
    device.close();
    for (int i = 0; i < 20; i++) {
      Thread remover = Thread.ofVirtual().unstarted(() -> lab.plugs.getLast().unregister());
      SoftNode node = lab.plug();
      remover.start();
      lab.ipoib.createChild("ib0", 0x0100 + i, "pod" + i);
      lab.ipoib.deleteChild("pod" + i);
      lab.plugs.getLast().unregister();
      Lab.await(() -> !remover.isAlive(), "the other one");
      assertEquals(List.of(), lab.core.core().lastRemoval(node.name()).orElseThrow().leaks());
      lab.plugs.removeLast();
      lab.nodes.removeLast().close();
    }
  }
}
