package ib.ulp.ipoib.link;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.cm.CmClient;
import ib.core.client.ClientRegistration;
import ib.core.client.DeviceLease;
import ib.core.spi.DeviceRegistration;
import ib.core.spi.StandaloneCore;
import ib.core.verbs.Gid;
import ib.driver.soft.SoftNode;
import ib.driver.soft.fabric.Fabric;
import ib.driver.soft.sm.BuiltinSm;
import ib.ulp.ipoib.testing.FakeSubnet;
import ib.ulp.ipoib.wire.Encapsulation;
import ib.ulp.ipoib.wire.Groups;
import ib.ulp.ipoib.wire.Ip;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;

/**
 * Links on one fabric that a test turns by hand, on a clock of their own. Beneath the door, {@code
 * SoftFabric}: the devices have no thread of a driver, so that the test is the only one that moves
 * time.
 */
abstract class Stations {
  static final long MS = 1_000_000L;
  static final int IP = Encapsulation.IPV4;
  static final Gid ALL = Groups.broadcast(0xffff, 2);
  static final Gid GROUP = Groups.of(Ip.parse("239.1.1.1"), ALL);

  final AtomicLong clock = new AtomicLong();
  final StandaloneCore core = StandaloneCore.create();
  final Fabric fabric = BuiltinSm.newFabric();
  final CmClient cm = CmClient.create();
  final ClientRegistration below = core.core().registerClient(cm);
  Shared shared = new Shared(cm);
  final FakeSubnet subnet = new FakeSubnet(Runnable::run);
  final List<SoftNode> nodes = new ArrayList<>();
  final List<DeviceRegistration> plugs = new ArrayList<>();
  final List<DeviceLease> leases = new ArrayList<>();
  final List<Station> stations = new ArrayList<>();

  Station station(LinkConfig config) {
    int i = nodes.size();
    SoftNode node = new SoftNode(fabric, "soft" + i, 0x02c9030000100000L + 0x100L * i);
    nodes.add(node);
    plugs.add(core.drivers().register(node));
    DeviceLease lease = core.core().lease("soft" + i, "test");
    leases.add(lease);
    Station station = new Station(lease.device(), config, subnet, clock, shared);
    stations.add(station);
    settle();
    return station;
  }

  Station station() {
    return station(LinkConfig.DEFAULT);
  }

  void settle() {
    stations.forEach(Station::settle);
    stations.forEach(Station::settle);
  }

  void pass(long ms) {
    clock.addAndGet(ms * MS);
    settle();
  }

  @AfterEach
  void close() {
    stations.forEach(s -> s.link.stop());
    assertEquals(
        List.of(),
        core.core().resources().stream().filter(r -> !r.owner().equals("ib_core")).toList(),
        "nothing is left of links that were stopped");
    leases.forEach(DeviceLease::close);
    plugs.reversed().forEach(DeviceRegistration::unregister);
    nodes.forEach(SoftNode::close);
    below.unregister();
    core.close();
  }

  long count(String start) {
    return subnet.log.stream().filter(line -> line.startsWith(start)).count();
  }
}
