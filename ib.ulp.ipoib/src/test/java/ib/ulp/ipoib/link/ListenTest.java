package ib.ulp.ipoib.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import ib.core.verbs.AhAttr;
import ib.core.verbs.Gid;
import ib.core.verbs.IbDevice;
import ib.core.verbs.Mtu;
import ib.ulp.ipoib.cm.CmMessage;
import ib.ulp.ipoib.cm.CmPort;
import ib.ulp.ipoib.cm.CmReject;
import ib.ulp.ipoib.cm.CmRequest;
import ib.ulp.ipoib.wire.Connected;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("the connection manager's agent of a port")
class ListenTest extends Stations {
  private static final int LISTENER = 0x1111;
  private static final int NOBODY = 0x2222;

  private final BlockingQueue<CmMessage> answers = new LinkedBlockingQueue<>();

  @Test
  @DisplayName(
      "C2: while no interface of a port listens yet, a request is left to come again; afterwards"
          + " one for somebody else is refused at once")
  void nobodyListens() throws InterruptedException {
    station();
    station();
    IbDevice here = leases.getFirst().device();
    IbDevice there = leases.getLast().device();
    try (CmPort asking = new CmPort(here, 1);
        CmPort asked = new CmPort(there, 1)) {
      int name = asking.name((tid, message, back) -> answers.add(message));
      request(asking, name, here, there, NOBODY);
      assertNull(answers.poll(200, TimeUnit.MILLISECONDS), "its queue pairs are being made");

      BlockingQueue<CmMessage> heard = new LinkedBlockingQueue<>();
      asked.listen(LISTENER, (tid, message, back) -> heard.add(message));
      request(asking, name, here, there, LISTENER);
      assertInstanceOf(CmRequest.class, heard.poll(1, TimeUnit.MINUTES));
      request(asking, name, here, there, NOBODY);
      CmMessage no = answers.poll(1, TimeUnit.MINUTES);
      assertNotNull(no);
      assertEquals(CmReject.INVALID_SERVICE, assertInstanceOf(CmReject.class, no).reason());
      assertEquals(0, heard.size());
    }
  }

  private static void request(CmPort by, int name, IbDevice from, IbDevice to, int service) {
    int lid = from.queryPort(1).lid();
    int remote = to.queryPort(1).lid();
    Gid gid = from.gid(1, 0);
    CmRequest.Path path =
        new CmRequest.Path(lid, remote, gid, to.gid(1, 0), 0, 0, 0, 0, 0, true, 18);
    CmRequest req =
        new CmRequest(
            name,
            Connected.linuxServiceId(service),
            from.nodeGuid(),
            7,
            0,
            0xffff,
            Mtu.MTU_2048,
            true,
            path,
            new Connected(7, Connected.LINUX_RECEIVE_MTU));
    by.send(by.transaction(name), req, AhAttr.ofLid(1, remote, 0), 0);
  }
}
