package ib.core.internal.mad;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.core.client.Incidents;
import ib.core.internal.callback.Contract;
import ib.core.internal.device.BoundDevice;
import ib.core.internal.waits.WaitGraph;
import ib.core.mad.Mad;
import ib.core.mad.MadAddress;
import ib.core.mad.MadAgent;
import ib.core.mad.MadMethod;
import ib.core.mad.MadRegistration;
import ib.core.mad.MgmtClass;
import ib.core.testing.CoreRig;
import ib.core.testing.FakeDevice;
import ib.core.verbs.AhAttr;
import ib.core.verbs.ObjectControl.Kind;
import ib.core.verbs.QpType;
import ib.core.verbs.WellKnown;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("M2 B9: a device goes while its ports receive and send")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RemovalTest {
  private static final int MANY = 1_000;
  private static final MadAddress TO = MadAddress.gsi(AhAttr.ofLid(1, 7, 0));

  private final FakeDevice device = new FakeDevice("fake0");
  private final Contract contract = new Contract(true);

  /** Gives the device its MAD layer, and takes it away with these hooks at the driver's calls. */
  private void removed(Map<String, Runnable> hooks) throws Exception {
    try (CoreRig rig = new CoreRig(device, contract);
        Threads threads = new Threads()) {
      MadDevice mad = new MadDevice(rig.bind("mad"), threads, contract, new WaitGraph());
      mad.start();
      hooks.forEach(device.faults()::at);
      mad.close();
    }
  }

  @Test
  @DisplayName("the memory of receives goes when no callback of theirs runs or will run")
  void receives() throws Exception {
    List<Integer> queues = new ArrayList<>();
    removed(Map.of("destroyMR", () -> queues.add(device.live(Kind.CQ))));
    assertEquals(List.of(0), queues, "completion queues that are left when the memory goes");
  }

  @Test
  @DisplayName("G16: 512 receives a queue pair are dropped by RESET, not flushed one by one")
  void receivesAreNotFlushed() throws Exception {
    List<String> calls = new ArrayList<>();
    removed(Map.of("doModify", () -> calls.add("modify"), "destroyQP", () -> calls.add("destroy")));
    assertEquals(List.of("modify", "destroy", "modify", "destroy"), calls);
  }

  @Test
  @DisplayName("A1: what agents have given to a port before its device goes, is sent")
  void said() throws Exception {
    try (CoreRig rig = new CoreRig(device, contract);
        Threads threads = new Threads()) {
      BoundDevice bound = rig.bind("mad");
      MadDevice mad = new MadDevice(bound, threads, contract, new WaitGraph());
      mad.start();
      MadAgent agent = mad.register(bound, 1, MadRegistration.sender(QpType.GSI), (m, from) -> {});
      List<CompletableFuture<Void>> sent = new ArrayList<>();
      for (int i = 0; i < MANY; i++) {
        sent.add(agent.send(Mad.request(MgmtClass.CM, 2, MadMethod.SEND, 0x10, 0), TO));
      }
      mad.close();
      for (CompletableFuture<Void> each : sent) {
        each.get(); // "the device goes" else
      }
    }
  }

  @Test
  @DisplayName(
      "what is under way then, has no place yet or is sent later, fails by name; no memory is"
          + " touched")
  void sends() throws Exception {
    try (CoreRig rig = new CoreRig(device, contract)) {
      device.completeOnPost = false; // no place becomes free
      List<@Nullable String> failures = new ArrayList<>();
      VirtualWorld world = new VirtualWorld();
      QpWire wire = new QpWire(rig.bind("mad"), 1, contract);
      Incidents incidents = new Incidents("management datagrams", line -> {});
      MadPort port = new MadPort("fake0/1", wire, world, contract, new WaitGraph(), incidents);
      wire.start(port);
      send(port, wire, QpWire.SENDS + 2, failures);
      world.runUntilMs(1);
      assertEquals(List.of(), failures);
      wire.stop();
      send(port, wire, 1, failures);
      world.runUntilMs(2);
      int all = QpWire.SENDS + 3;
      assertEquals(Collections.nCopies(all, "the device goes"), failures);
      wire.close();
      send(port, wire, 1, failures);
      world.runUntilMs(3);
      assertEquals(Collections.nCopies(all + 1, "the device goes"), failures);
      assertEquals(0, device.touchedDead(), "uses of what is destroyed");
    }
  }

  private static void send(MadPort port, QpWire wire, int count, List<@Nullable String> failures) {
    Mad mad = Mad.request(MgmtClass.CM, 2, MadMethod.SEND, 0x10, 0);
    for (int i = 0; i < count; i++) {
      port.run(() -> wire.transmit(WellKnown.QPN_GSI, mad.bytes(), TO, failures::add));
    }
  }
}
