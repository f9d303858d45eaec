package ib.ulp.ipoib.managed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.DeviceLease;
import ib.core.mad.smp.PortCapability;
import ib.core.sa.PortInfoRecord;
import ib.core.sa.SaClient;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.Gid;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.driver.soft.sm.BuiltinSm;
import ib.ulp.ipoib.NetDevice;
import ib.ulp.ipoib.net.Backend;
import ib.ulp.ipoib.testing.Lab;
import ib.ulp.ipoib.wire.Ip;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName(
    "issue 5: IP over the managed fabric: the driver's devices, the built-in subnet manager")
@Timeout(600)
class ManagedIpoibTest {
  private static final long PATIENCE_NS = 600_000_000_000L;
  private static final Ip GROUP = Ip.parse("239.9.9.9");
  private final ManagedSubnet subnet =
      new ManagedSubnet(2, BuiltinSm::new, name -> Backend.inJvm());

  @BeforeEach
  void addresses() {
    for (int i = 0; i < 2; i++) {
      subnet.stack(i).address(Ip.parse("10.96.0." + (i + 1)), 24);
      subnet.stack(i).address(Ip.parse("fd00::" + (i + 1)), 64);
      subnet.up(i);
    }
  }

  @AfterEach
  void close() {
    subnet.close();
  }

  @Test
  @DisplayName("joins, paths and pings of both versions, answered by the built-in subnet manager")
  void managed() throws Exception {
    assertTrue(subnet.stack(0).ping(Ip.parse("10.96.0.2"), 56, PATIENCE_NS).get() > 0);
    assertTrue(subnet.stack(0).ping(Ip.parse("fd00::2"), 1000, PATIENCE_NS).get() > 0);
  }

  @Test
  @DisplayName(
      "devices are plugged and unplugged under traffic: no ping and no group packet is " + "lost")
  void hotPlug() throws Exception {
    AtomicInteger heard = new AtomicInteger();
    subnet.stack(1).bind(7, (from, port, to, data) -> heard.incrementAndGet());
    subnet.stack(1).join(GROUP);
    subnet.joined(1, "::f09:909");
    AtomicInteger rounds = new AtomicInteger();
    AtomicInteger enough = new AtomicInteger(Integer.MAX_VALUE);
    CompletableFuture<Void> talk =
        CompletableFuture.runAsync(
            () -> {
              while (rounds.get() < enough.get()) {
                subnet.stack(0).ping(Ip.parse("10.96.0.2"), 2016, PATIENCE_NS).join();
                subnet.stack(0).ping(Ip.parse("fd00::2"), 56, PATIENCE_NS).join();
                subnet.stack(0).send(9, GROUP, 7, new byte[] {1}).join();
                rounds.incrementAndGet();
              }
            },
            Thread::startVirtualThread);
    for (int i = 0; i < 20; i++) {
      int before = rounds.get();
      subnet.plug();
      subnet.up(2);
      Lab.await(() -> rounds.get() > before || talk.isDone(), "the others talk on");
      subnet.unplug();
    }
    enough.set(rounds.get() + 10);
    talk.join();
    Lab.await(() -> heard.get() == rounds.get(), "heard all of " + rounds);
  }

  @Test
  @DisplayName(
      "4.5: a group that a port hears by a multicast LID of another subnet manager keeps that LID")
  void keepsMlid() {
    Gid group = Gid.parse("ff12:401b:ffff::f09:909");
    try (DeviceLease lease = subnet.core.core().lease("soft0", "test");
        ProtectionDomain pd = lease.device().allocPd();
        CompletionQueue cq = lease.device().createCq(new CqInit(4, (q, context) -> {}, null));
        QueuePair qp = pd.createQp(new QpInit(QpType.UD, cq, new QpCap(4, 4, 1, 1, 0)))) {
      qp.modify(new QpAttr().state(QpState.INIT).pkeyIndex(0).port(1).qkey(0));
      qp.attachMulticast(group, 0xc123);
      subnet.stack(1).join(GROUP);
      subnet.joined(1, "::f09:909");
      String is = subnet.ipoib.interfaces().get(1).groups().get(group.toString());
      qp.detachMulticast(group, 0xc123);
      assertEquals("mlid 0xc123", is.split(",")[0]);
    }
  }

  @Test
  @DisplayName(
      "CM-6: PortInfo says IsCommunicationManagementSupported in datagram mode and connected mode")
  void connectionManager() {
    int bit = PortCapability.IS_CM_SUPPORTED.mask();
    NetDevice device = subnet.ipoib.interfaces().getFirst();
    try (DeviceLease lease = subnet.core.core().lease("soft0", "test");
        SaClient sa = SaClient.open(lease.device(), 1)) {
      PortInfoRecord of =
          new PortInfoRecord()
              .set(PortInfoRecord.Field.LID, lease.device().port(1).lid())
              .set(PortInfoRecord.Field.PORT_NUM, 1);
      for (boolean on : new boolean[] {false, true, false}) {
        device.connected(on);
        int mask = sa.get(of, 60_000).join().value(PortInfoRecord.Field.CAPABILITY_MASK);
        assertEquals(bit, mask & bit, "connected mode " + on);
      }
    }
  }
}
