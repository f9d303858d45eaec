package ib.driver.soft.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import ib.core.mad.smp.PortInfo;
import ib.core.verbs.AhAttr;
import ib.core.verbs.Gid;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.Mtu;
import ib.driver.soft.sm.BuiltinSm;
import ib.engine.wire.Packet;
import ib.engine.wire.Route;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The switch: LIDs, forwarding, multicast, cables (IBA chapters 7 and 18)")
final class FabricTest {
  private final Fabric fabric = BuiltinSm.newFabric();
  private final TestPort.Run run = new TestPort.Run();
  private final TestPort.Owner owner = new TestPort.Owner();
  private final List<FabricPort> open = new ArrayList<>();
  private long nodes;

  @AfterEach
  void closeAll() {
    open.forEach(FabricPort::close);
  }

  /** A port that is up. */
  private TestPort up(String switchName, Mtu mtu) {
    FabricPort wire = fabric.plug("node", 0x100 * ++nodes, 1, switchName).getFirst();
    open.add(wire);
    TestPort port = new TestPort();
    wire.attach(port, mtu);
    wire.plugCable();
    port.lid = wire.lid();
    return port;
  }

  private TestPort up() {
    return up("sw", Mtu.MTU_4096);
  }

  private void send(int from, int dlid) {
    send(from, dlid, 0, 1);
  }

  private void send(int from, int dlid, int bytes, int psnCount) {
    Packet packet = new Packet(owner);
    packet.dlid = dlid;
    packet.destQpn = dlid >= 0xC000 ? 0xFFFFFF : 17;
    packet.psnCount = psnCount;
    if (bytes > 0) {
      packet.payload.add(Arena.ofAuto().allocate(bytes), 0, bytes);
    }
    open.get(from).transmit(packet, run);
  }

  private static List<Long> received(List<TestPort> ports) {
    return ports.stream().map(p -> p.received.get()).toList();
  }

  @Test
  @DisplayName("D5 forwarding: by LID, in the sender's call, each to its port only")
  void forwards() {
    List<TestPort> ports = List.of(up(), up(), up());
    for (int from = 0; from < 3; from++) {
      for (TestPort to : ports) {
        long before = to.received.get();
        send(from, to.lid);
        assertEquals(before + 1, to.received.get());
      }
    }
    assertEquals(9, owner.released.get());
    assertEquals(List.of(3L, 3L, 3L), received(ports));
  }

  @Test
  @DisplayName(
      "IBA 4.1.3 LIDs: from 1, the lowest free one, given back at close, kept without a cable")
  void lids() {
    assertEquals(List.of(1, 2, 3), List.of(up().lid, up().lid, up().lid));
    open.get(0).pullCable();
    assertEquals(4, up().lid);
    open.get(1).close();
    assertEquals(2, up().lid);
    open.get(0).plugCable();
    assertEquals(1, open.get(0).lid());
  }

  /** Does something that opens or closes the way between two ports, which must be counted. */
  private void way(TestPort to, boolean opens, Runnable change) {
    int before = fabric.epoch.now();
    change.run();
    boolean is =
        open.get(0).direct(new Route(AhAttr.ofLid(1, to.lid, 0)), Gid.ZERO, Mtu.MTU_4096.bytes())
            != null;
    assertEquals(opens, is);
    assertTrue(fabric.epoch.now() != before, "counted");
  }

  @Test
  @DisplayName("D5: what opens or closes a way without packets is counted")
  void ways() {
    TestPort a = up();
    TestPort b = up();
    FabricPort far = open.get(1);
    way(b, false, () -> fabric.watch(true));
    way(b, true, () -> fabric.watch(false));
    way(b, false, far::pullCable);
    way(b, true, far::plugCable);
    way(b, false, open.get(0)::pullCable);
    way(b, true, open.get(0)::plugCable);
    way(b, false, () -> mtu(far, Mtu.MTU_2048));
    way(b, true, () -> mtu(far, Mtu.MTU_4096));
    way(b, false, far::close);
    assertEquals(1, a.lid);
  }

  /** As the subnet manager does it. */
  private void mtu(FabricPort port, Mtu mtu) {
    synchronized (fabric) {
      PortInfo.NEIGHBOR_MTU.set(port.place().info(), mtu.value());
      port.subnet().rekeyed(port.place());
      port.subnet().settle();
    }
  }

  @Test
  @DisplayName("LID 0 and the own LID are the sending port")
  void loopback() {
    TestPort a = up();
    up();
    send(0, 0);
    send(0, a.lid);
    assertEquals(2, a.received.get());
  }

  @Test
  @DisplayName("IBA 7.6 what has no port vanishes, is counted and goes back to its owner")
  void unknownLids() {
    up();
    for (int dlid : new int[] {2, 0xBFFF, 0xFFFF, -1, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
      Packet packet = new Packet(owner);
      packet.dlid = dlid;
      open.getFirst().transmit(packet, run);
    }
    assertEquals(6, owner.released.get());
    assertEquals(6, open.getFirst().discards());
  }

  @Test
  @DisplayName(
      "Two switches are two subnets: the same LIDs, no way across, gone with their last port")
  void switches() {
    TestPort a = up("left", Mtu.MTU_4096);
    TestPort b = up("right", Mtu.MTU_4096);
    assertEquals(a.lid, b.lid);
    send(0, 2);
    assertEquals(0, b.received.get());
    assertEquals(2, fabric.size());
    open.forEach(FabricPort::close);
    open.forEach(FabricPort::close);
    assertEquals(0, fabric.size());
  }

  @Test
  @DisplayName("A pulled cable: nothing out, nothing in, no loopback; put back, all as before")
  void cable() {
    TestPort a = up();
    TestPort b = up();
    open.get(1).pullCable();
    send(0, b.lid);
    send(1, a.lid);
    send(1, b.lid);
    assertEquals(0, a.received.get() + b.received.get());
    open.get(1).plugCable();
    send(0, b.lid);
    send(1, a.lid);
    assertEquals(List.of(1L, 1L), received(List.of(a, b)));
    assertEquals(5, owner.released.get());
  }

  @Test
  @DisplayName(
      "IBA 18.2.5 a packet longer than the egress MTU is discarded, per packet it stands for")
  void mtu() {
    up();
    TestPort small = up("sw", Mtu.MTU_1024);
    send(0, small.lid, 1024, 1);
    send(0, small.lid, 4096, 4);
    assertEquals(2, small.received.get());
    send(0, small.lid, 1025, 1);
    send(0, small.lid, 4097, 4);
    assertEquals(2, small.received.get());
    send(0, small.lid, 1024, 1 << 22); // no overflow
    assertEquals(3, small.received.get());
  }

  @Test
  @DisplayName("IBA 18.2.4.3.3 multicast: every member port but the sender's, one replica each")
  void multicast() {
    List<TestPort> ports = List.of(up(), up(), up());
    open.get(0).join(Gid.ZERO, 0xC001);
    open.get(1).join(Gid.ZERO, 0xC001);
    open.get(1).join(Gid.ZERO, 0xC001);
    open.get(2).join(Gid.ZERO, 0xFFFE);
    send(0, 0xC001);
    assertEquals(List.of(0L, 1L, 0L), received(ports));
    send(2, 0xC001);
    assertEquals(List.of(1L, 2L, 0L), received(ports));
    assertEquals(2 + 3, owner.released.get());
    open.get(1).leave(Gid.ZERO, 0xC001);
    send(0, 0xC001);
    assertEquals(3, ports.get(1).received.get(), "joined twice, left once");
    open.get(1).leave(Gid.ZERO, 0xC001);
    open.get(1).leave(Gid.ZERO, 0xC001);
    send(0, 0xC001);
    assertEquals(3, ports.get(1).received.get());
    open.get(0).pullCable();
    send(2, 0xC001);
    open.get(0).plugCable();
    send(2, 0xC001);
    assertEquals(2, ports.get(0).received.get(), "membership survives the cable");
  }

  @Test
  @DisplayName(
      "Multicast to no member, to no multicast LID, with no replica left: every packet is released")
  void multicastEdges() {
    TestPort a = up();
    up();
    assertThrows(IbInvalidException.class, () -> open.getFirst().join(Gid.ZERO, 0xBFFF));
    assertThrows(IbInvalidException.class, () -> open.getFirst().join(Gid.ZERO, 0xFFFF));
    send(1, 0xC000);
    send(1, 0xFFFF);
    open.getFirst().join(Gid.ZERO, 0xC000);
    owner.replicasMost = 0;
    send(1, 0xC000);
    assertEquals(0, a.received.get());
    assertEquals(3, owner.released.get());
    assertEquals(1, open.get(1).discards());
  }

  @Test
  @DisplayName("B22: no object refers to a port that was unplugged")
  void unpluggedPortsAreCollectable() {
    up();
    List<WeakReference<Object>> gone = plugUseAndUnplug();
    for (int i = 0; i < 100 && gone.stream().anyMatch(r -> !r.refersTo(null)); i++) {
      System.gc();
    }
    assertTrue(gone.stream().allMatch(r -> r.refersTo(null)));
    assertEquals(2, up().lid, "the switch itself lives on");
  }

  private List<WeakReference<Object>> plugUseAndUnplug() {
    TestPort adapter = up();
    FabricPort wire = open.removeLast();
    wire.join(Gid.ZERO, 0xC000);
    send(0, adapter.lid);
    assertEquals(1, adapter.received.get());
    wire.close();
    return List.of(new WeakReference<>(adapter), new WeakReference<>(wire));
  }

  @Test
  @DisplayName("D3 transmit allocates nothing: 0 B over 1,000,000 packets")
  void allocatesNothing() {
    up();
    TestPort b = up();
    Packet packet = new Packet(owner);
    packet.dlid = b.lid;
    packet.psnCount = 1;
    FabricPort wire = open.getFirst();
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long allocated = -1;
    for (int round = 0; round < 2; round++) { // the first one warms up the measurement itself
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < 1_000_000; i++) {
        wire.transmit(packet, run);
      }
      allocated = threads.getCurrentThreadAllocatedBytes() - before;
    }
    assertEquals(0, allocated);
  }
}
