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
import ib.core.client.ClientRegistration;
import ib.core.mad.MadAgent;
import ib.core.mad.MadHandler;
import ib.core.mad.MadMethod;
import ib.core.mad.MadRegistration;
import ib.core.mad.MgmtClass;
import ib.core.mad.cm.CmMessage;
import ib.core.spi.StandaloneFabric;
import ib.core.verbs.Gid;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbExistsException;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.LinkLayer;
import ib.driver.rxe.standalone.RxeHost;
import ib.driver.soft.standalone.SoftFabric;
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

  private final CmClient cm = CmClient.create();
  private StandaloneFabric fabric;

  @AfterEach
  void close() {
    assertEquals(List.of(), fabric.core().violations(), "the contract");
    fabric.close();
  }

  private IbDevice device(int index) {
    return fabric.device(fabric.names().get(index));
  }

  @Test
  @DisplayName("CM-46: a soft port that no protocol uses rejects a request with reason 8")
  void softRejects() throws InterruptedException {
    fabric = SoftFabric.open("soft0", "soft1");
    rejects();
  }

  @Test
  @DisplayName("CM-46: an rxe port that no protocol uses rejects a request with reason 8")
  void rxeRejects() throws InterruptedException {
    fabric = RxeHost.open("127.0.28.1", "127.0.28.2");
    rejects();
  }

  private void rejects() throws InterruptedException {
    ClientRegistration client = fabric.core().registerClient(cm);
    BlockingQueue<CmEvent> heard = new LinkedBlockingQueue<>();
    try (CmPort port = cm.open(fabric.names().getFirst(), 1)) {
      port.connect(
          0x1234, path(), CmEndpoint.of(5, 6), CmTerms.DEFAULT, NONE, (c, e) -> heard.add(e));
      CmEvent first = heard.poll(1, TimeUnit.MINUTES);
      assertNotNull(first, "no answer");
      assertEquals(8, assertInstanceOf(CmEvent.Ended.class, first).reason());
    }
    client.unregister();
  }

  private CmPath path() {
    IbDevice here = device(0);
    IbDevice there = device(1);
    return here.port(1).linkLayer() == LinkLayer.ETHERNET
        ? CmPath.roce(here, 1, here.findGid(1, ROCE.get(0)), ROCE.get(1))
        : CmPath.inSubnet(here, 1, there.port(1).lid(), there.gid(1, 0));
  }

  @Test
  @DisplayName("CM-6: where another client has the class, a share is refused, and says so")
  void taken() {
    fabric = SoftFabric.open("soft0");
    MadRegistration what =
        MadRegistration.gsi(MgmtClass.CM, CmMessage.CLASS_VERSION, MadMethod.SEND);
    try (MadAgent other = MadAgent.register(device(0), 1, what, MadHandler.NONE)) {
      ClientRegistration client = fabric.core().registerClient(cm);
      assertEquals(1, other.port());
      assertThrows(IbExistsException.class, () -> cm.open(fabric.names().getFirst(), 1));
      assertThrows(IbInvalidException.class, () -> cm.open("soft0", 2));
      client.unregister();
    }
  }
}
