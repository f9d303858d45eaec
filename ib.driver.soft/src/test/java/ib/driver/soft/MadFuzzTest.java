package ib.driver.soft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.mad.Mad;
import ib.core.mad.MadAddress;
import ib.core.mad.MadAgent;
import ib.core.mad.MadHandler;
import ib.core.mad.MadMethod;
import ib.core.mad.MadRegistration;
import ib.core.mad.MadStatus;
import ib.core.mad.MgmtClass;
import ib.core.mad.smp.PortInfo;
import ib.core.verbs.AddressHandle;
import ib.core.verbs.AhAttr;
import ib.core.verbs.Gid;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.Mtu;
import ib.core.verbs.PhysState;
import ib.core.verbs.PortState;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.driver.soft.fabric.Subnet;
import ib.driver.soft.topology.Node;
import ib.driver.soft.topology.NodePort;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;

/**
 * System properties: {@code ib.fuzz.datagrams} says how many, {@code ib.fuzz.seed} replays what a
 * failure printed.
 */
@Tag("finding")
@DisplayName("A1 every byte of management datagrams and of the headers around them, through verbs")
@Timeout(value = 1800, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class MadFuzzTest {
  private static final long SEED = Long.getLong("ib.fuzz.seed", 20_261);
  private static final int DATAGRAMS = Integer.getInteger("ib.fuzz.datagrams", 200_000);
  private static final int WARM = 2_000;
  private static final int HEAL_EVERY = 1_000;
  private static final long MAX_HEAP = 24 << 20;

  private final SplittableRandom random = new SplittableRandom(SEED);
  private final MadMutations mutations = new MadMutations(random);
  private int sent;

  @Test
  @DisplayName("QP0, QP1, UD: threads, heap and managers are what they were, and data flows")
  void datagrams(TestReporter reporter) {
    reporter.publishEntry("ib.fuzz.seed", "" + SEED);
    try (Lab lab = new Lab("soft0", "soft1")) {
      lab.configure("soft2", "switch", "ib-sw1");
      lab.configure("soft3", "switch", "ib-sw1");
      List<Side> sides = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        sides.add(lab.side("soft" + i));
      }
      try (Attacker attacker = new Attacker(lab.fabric, "evil0");
          MadAgent server = server(sides.get(1))) {
        assertEquals(1, server.port());
        afterwards(lab, sides);
        attack(lab, attacker, sides.get(0), WARM);
        afterwards(lab, sides);
        TreeSet<String> threads = threads();
        long heap = heap();
        attack(lab, attacker, sides.get(0), DATAGRAMS);
        afterwards(lab, sides);
        assertEquals(threads, threads());
        OpensmTest.await("the heap as it was, " + heap, () -> heap() - heap < MAX_HEAP);
        reporter.publishEntry("sent", sent + " " + lab.fabric.incidents().counts());
      }
    } catch (AssertionError e) {
      throw new AssertionError("seed " + SEED + ", after " + sent + " datagrams", e);
    }
  }

  /** Takes long messages, so that reassembly is attacked as well. */
  private static MadAgent server(Side side) {
    return MadAgent.register(
        side.device,
        1,
        MadRegistration.sa(MadMethod.GET_TABLE),
        (agent, r) -> agent.reply(r, r.mad().response(MadStatus.OK)));
  }

  private void attack(Lab lab, Attacker attacker, Side inside, int count) {
    Subnet subnet = lab.fabric.subnetOf("soft0");
    List<Gid> gids = List.of(inside.device.gid(1, 0), attacker.device.ops().queryGid(1, 0));
    List<Integer> lids = new ArrayList<>();
    subnet.nodes().forEach(n -> lids.add(n.managed(n.ports().getFirst()).lid()));
    inside.open(QpType.UD);
    inside.bringUp(inside, Mtu.MTU_256);
    List<Integer> qpns = List.of(inside.qp.qpn());
    for (int i = 0; i < count; i++) {
      if (i % HEAL_EVERY == 0) {
        attacker.drain();
        heal(subnet);
      }
      int which = random.nextInt(attacker.queuePairs() + 1);
      MadMutations.Envelope e = mutations.envelope(lids, gids, qpns);
      if (which == attacker.queuePairs()) {
        mutations.fill(inside.memory().asSlice(0, 256), gids);
        sent += send(inside, e) ? 1 : 0;
      } else {
        mutations.fill(attacker.next().asSlice(0, 256), gids);
        sent += attacker.send(which, e) ? 1 : 0;
      }
    }
    attacker.drain();
    heal(subnet);
  }

  /** From the UD queue pair of an ordinary client. */
  private boolean send(Side from, MadMutations.Envelope e) {
    try (AddressHandle ah = from.pd.createAh(e.to())) {
      from.qp.wrStart();
      from.qp.wrId(7).wrFlags(SendFlags.SIGNALED);
      from.qp.wrSend();
      from.qp.wrSetUdAddress(ah, e.qpn(), e.qkey());
      from.qp.wrSetSge(from.mr.lkey(), from.mr.iova(), Math.min(e.length(), 256));
      assertEquals(0, from.qp.wrComplete());
      from.next();
      return true;
    } catch (IbInvalidException refused) {
      return false;
    }
  }

  /**
   * What an SMP sets, it sets: who has QP0 may. So that the next ones reach more than a port that
   * is down, the subnet is made anew, as when another subnet manager has been there.
   */
  private static void heal(Subnet subnet) {
    synchronized (subnet.fabric()) {
      for (Node node : subnet.nodes()) {
        PortInfo.M_KEY.set(node.managed(node.ports().getFirst()).info(), 0);
        for (NodePort port : node.ports()) {
          if (port.phys() == PhysState.DISABLED || port.phys() == PhysState.SLEEP) {
            port.phys(PhysState.POLLING);
          }
        }
      }
      for (Node node : subnet.nodes()) {
        for (NodePort port : node.isSwitch() ? node.ports() : List.<NodePort>of()) {
          if (port.state() == PortState.DOWN) {
            subnet.links().up(port);
          }
        }
      }
      NodePort place = subnet.node("evil0").port(1);
      subnet.foreignManager(place, true);
      subnet.carry();
      subnet.foreignManager(place, false);
      subnet.carry();
    }
  }

  /** Everybody is as if nothing had been. */
  private static void afterwards(Lab lab, List<Side> sides) {
    assertEquals(0, lab.fabric.incidents().outlived(), () -> "" + lab.fabric.incidents().counts());
    assertEquals(List.of(), lab.midlayer.core().violations());
    for (int i = 0; i < sides.size(); i += 2) {
      Side a = sides.get(i);
      Side b = sides.get(i + 1);
      assertManaged(a);
      Side.connect(QpType.RC, a, b, Mtu.MTU_256);
      for (int n = 0; n < 100; n++) {
        b.receive(n, 4096, 2000);
        a.send(n, 0, 2000);
        a.next(n);
        b.next(n);
      }
    }
  }

  /** The subnet administrator answers. */
  private static void assertManaged(Side side) {
    OpensmTest.await("an active port", () -> side.device.queryPort(1).state() == PortState.ACTIVE);
    try (MadAgent agent =
        MadAgent.register(side.device, 1, MadRegistration.sender(QpType.GSI), MadHandler.NONE)) {
      Mad get = Mad.request(MgmtClass.SUBN_ADM, 2, MadMethod.GET, 1, 0);
      int lid = side.device.queryPort(1).smLid();
      MadAddress there = MadAddress.gsi(AhAttr.ofLid(1, lid, 0));
      Mad answer = agent.query(get, there, 2000, 10).join().mad();
      assertTrue(answer.header().response());
    }
  }

  private static final Set<String> PASSING = Set.of("ib-mad-timer", "ib-statistics");

  /** {@return the service threads; those that come and go by themselves left out} */
  private static TreeSet<String> threads() {
    TreeSet<String> names = new TreeSet<>();
    for (Thread t : Thread.getAllStackTraces().keySet()) {
      String name = t.getName();
      if (name.startsWith("ib-") && !name.startsWith("ib-comp-") && !PASSING.contains(name)) {
        names.add(name);
      }
    }
    return names;
  }

  private static long heap() {
    System.gc();
    Runtime r = Runtime.getRuntime();
    return r.totalMemory() - r.freeMemory();
  }
}
