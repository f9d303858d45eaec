package ib.cm.internal.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import ib.cm.CmClient;
import ib.cm.CmEndpoint;
import ib.cm.CmEvent;
import ib.cm.CmPath;
import ib.cm.CmPort;
import ib.cm.CmTerms;
import ib.cm.internal.wire.CmMessage;
import ib.core.client.ClientRegistration;
import ib.core.client.DeviceLease;
import ib.core.mad.MadAgent;
import ib.core.mad.MadHandler;
import ib.core.mad.MadMethod;
import ib.core.mad.MadRegistration;
import ib.core.mad.MgmtClass;
import ib.core.spi.DeviceRegistration;
import ib.core.spi.StandaloneCore;
import ib.core.verbs.Gid;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbExistsException;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.LinkLayer;
import ib.driver.rxe.RxeAdapter;
import ib.driver.soft.SoftNode;
import ib.driver.soft.fabric.Fabric;
import ib.driver.soft.sm.BuiltinSm;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Ports of which no protocol has a share. */
class UnusedPortTest {
  private static final byte[] NONE = {};
  private static final List<Gid> ROCE =
      List.of(Gid.parse("::ffff:127.0.28.1"), Gid.parse("::ffff:127.0.28.2"));

  private final StandaloneCore core = StandaloneCore.create();
  private final CmClient cm = CmClient.create();
  private final List<DeviceRegistration> plugs = new ArrayList<>();
  private final List<DeviceLease> leases = new ArrayList<>();
  private final List<AutoCloseable> devices = new ArrayList<>();

  @AfterEach
  void close() throws Exception {
    leases.forEach(DeviceLease::close);
    plugs.reversed().forEach(DeviceRegistration::unregister);
    for (AutoCloseable each : devices) {
      each.close();
    }
    assertEquals(List.of(), core.core().violations(), "the contract");
    core.close();
  }

  private void soft(int devicesToMake) {
    Fabric fabric = BuiltinSm.newFabric();
    for (int i = 0; i < devicesToMake; i++) {
      SoftNode node = new SoftNode(fabric, "dev" + i, 0x02c9030000100000L + 0x100L * i);
      devices.add(node);
      plugs.add(core.drivers().register(node));
      leases.add(core.core().lease("dev" + i, "test"));
    }
  }

  private void rxe() {
    for (int i = 0; i < 2; i++) {
      String address = ROCE.get(i).toString().replace("::ffff:", "");
      RxeAdapter device = new RxeAdapter("dev" + i, address);
      devices.add(device);
      plugs.add(core.drivers().register(device.device()));
      leases.add(core.core().lease("dev" + i, "test"));
    }
  }

  @Test
  @DisplayName("CM-46: a soft port that no protocol uses rejects a request with reason 8")
  void softRejects() throws InterruptedException {
    soft(2);
    rejects();
  }

  @Test
  @DisplayName("CM-46: an rxe port that no protocol uses rejects a request with reason 8")
  void rxeRejects() throws InterruptedException {
    rxe();
    rejects();
  }

  private void rejects() throws InterruptedException {
    ClientRegistration client = core.core().registerClient(cm);
    BlockingQueue<CmEvent> heard = new LinkedBlockingQueue<>();
    try (CmPort port = cm.open("dev0", 1)) {
      port.connect(
          0x1234, path(), CmEndpoint.of(5, 6), CmTerms.DEFAULT, NONE, (c, e) -> heard.add(e));
      CmEvent first = heard.poll(1, TimeUnit.MINUTES);
      assertNotNull(first, "no answer");
      assertEquals(8, assertInstanceOf(CmEvent.Ended.class, first).reason());
    }
    client.unregister();
  }

  private CmPath path() {
    IbDevice here = leases.getFirst().device();
    IbDevice there = leases.getLast().device();
    return here.port(1).linkLayer() == LinkLayer.ETHERNET
        ? CmPath.roce(here, 1, here.findGid(1, ROCE.get(0)), ROCE.get(1))
        : CmPath.inSubnet(here, 1, there.port(1).lid(), there.gid(1, 0));
  }

  @Test
  @DisplayName("CM-6: where another client has the class, a share is refused, and says so")
  void taken() {
    soft(1);
    MadRegistration what =
        MadRegistration.gsi(MgmtClass.CM, CmMessage.CLASS_VERSION, MadMethod.SEND);
    try (MadAgent other = MadAgent.register(leases.getFirst().device(), 1, what, MadHandler.NONE)) {
      ClientRegistration client = core.core().registerClient(cm);
      assertEquals(1, other.port());
      assertThrows(IbExistsException.class, () -> cm.open("dev0", 1));
      assertThrows(IbInvalidException.class, () -> cm.open("dev0", 2));
      client.unregister();
    }
  }
}
