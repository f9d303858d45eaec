package ib.driver.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.mad.Mad;
import ib.core.mad.MadAddress;
import ib.core.mad.MadAgent;
import ib.core.mad.MadHandler;
import ib.core.mad.MadMethod;
import ib.core.mad.MadReceived;
import ib.core.mad.MadRegistration;
import ib.core.mad.MadStatus;
import ib.core.mad.MgmtClass;
import ib.core.sa.SaClient;
import ib.core.verbs.AhAttr;
import ib.core.verbs.Gid;
import ib.core.verbs.GlobalRoute;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbNotSupportedException;
import ib.core.verbs.QpType;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("issue 4, section 2: datagrams to QP1 of a RoCEv2 device")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RxeMadTest {
  private static final int ATTEMPT_MS = 5_000;
  private static final int GID_INDEX = 0; // the first address
  private static final int CM_VERSION = 2;
  private static final int REQ = 0x10;

  private static MadAddress to(IbDevice peer) {
    GlobalRoute route = GlobalRoute.to(peer.gid(1, GID_INDEX), GID_INDEX);
    return MadAddress.gsi(AhAttr.ofGid(1, route));
  }

  private static MadAgent asker(IbDevice device) {
    return MadAgent.register(device, 1, MadRegistration.sender(QpType.GSI), MadHandler.NONE);
  }

  @Test
  @DisplayName("M3, M4: a request reaches the agent of its class, a response reaches the requester")
  void agents() throws Exception {
    BlockingQueue<MadReceived> heard = new LinkedBlockingQueue<>();
    try (RxeLab lab = new RxeLab()) {
      lab.configure("rxe0", "address", "127.0.0.1").configure("rxe1", "address", "127.0.0.2");
      IbDevice a = lab.lease("rxe0");
      IbDevice b = lab.lease("rxe1");
      MadRegistration cm =
          new MadRegistration(
              QpType.GSI, MgmtClass.CM, CM_VERSION, Set.of(MadMethod.SEND), 0, false);
      try (MadAgent passive = MadAgent.register(b, 1, cm, (agent, r) -> heard.add(r));
          MadAgent active = MadAgent.register(a, 1, cm, (agent, r) -> heard.add(r))) {
        active.send(Mad.request(MgmtClass.CM, CM_VERSION, MadMethod.SEND, REQ, 0), to(b));
        MadReceived req = heard.poll(10, TimeUnit.MINUTES);
        assertNotNull(req, "a CM request");
        assertEquals(REQ, req.mad().header().attributeId());
        passive.reply(req, Mad.request(MgmtClass.CM, CM_VERSION, MadMethod.SEND, REQ + 1, 0));
        MadReceived back = heard.poll(10, TimeUnit.MINUTES);
        assertNotNull(back, "the way back, by the GRH of what came");
        assertEquals(REQ + 1, back.mad().header().attributeId());
        assertEquals(1, active.port());
      }
      assertEquals(List.of(), lab.midlayer.core().violations());
    }
  }

  @Test
  @DisplayName("a Get of an unregistered class is answered, everything else is dropped")
  void unknown() {
    try (RxeLab lab = new RxeLab()) {
      lab.configure("rxe0", "address", "127.0.0.1").configure("rxe1", "address", "127.0.0.2");
      IbDevice b = lab.lease("rxe1");
      try (MadAgent asker = asker(lab.lease("rxe0"))) {
        Mad get = Mad.request(MgmtClass.DEVICE_MGMT, 1, MadMethod.GET, 1, 0);
        int status = asker.query(get, to(b), ATTEMPT_MS, 3).join().mad().header().status();
        assertEquals(MadStatus.BAD_METHOD_ATTRIBUTE, status);
        long before = received(lab);
        asker.send(Mad.request(MgmtClass.CM, CM_VERSION, MadMethod.SEND, REQ, 0), to(b)).join();
        // what comes after it was handled after it
        asker.query(get.copy(), to(b), ATTEMPT_MS, 3).join();
        assertTrue(received(lab) >= before + 2);
      }
      assertEquals(List.of(), lab.midlayer.core().violations());
    }
  }

  private static long received(RxeLab lab) {
    return lab.midlayer.core().managementCounters("rxe1", 1).get("mad_received");
  }

  @Test
  @DisplayName("RoCE has no QP0 and no subnet administrator: calls throw instead of timing out")
  void noSubnet() {
    try (RxeLab lab = new RxeLab()) {
      lab.configure("rxe0", "address", "127.0.0.1");
      IbDevice a = lab.lease("rxe0");
      assertThrows(
          IbNotSupportedException.class,
          () ->
              MadAgent.register(a, 1, MadRegistration.sender(QpType.SMI), MadHandler.NONE).close());
      assertThrows(IbNotSupportedException.class, () -> SaClient.open(a, 1).close());
      assertTrue(!a.gid(1, GID_INDEX).equals(Gid.ZERO));
    }
  }
}
