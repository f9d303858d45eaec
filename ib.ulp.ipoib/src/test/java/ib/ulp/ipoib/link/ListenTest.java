package ib.ulp.ipoib.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import ib.core.verbs.AhAttr;
import ib.core.verbs.Gid;
import ib.core.verbs.IbDevice;
import ib.core.verbs.Mtu;
import ib.ulp.ipoib.cm.CmMessage;
import ib.ulp.ipoib.cm.CmParty;
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
  private static final int LATER = 0x3333;

  private final BlockingQueue<CmMessage> answers = new LinkedBlockingQueue<>();

  @Test
  @DisplayName(
      "B11, C2: a request for a name without a listener is refused at once; one for an interface"
          + " that is being made is left unanswered, and so it is while that does not listen")
  void nobodyListens() throws InterruptedException {
    station();
    station();
    IbDevice here = leases.getFirst().device();
    IbDevice there = leases.getLast().device();
    try (CmPort asking = new CmPort(here, 1);
        CmPort asked = new CmPort(there, 1, LATER)) {
      CmParty asker = (tid, message, back) -> answers.add(message);
      int name = asking.name(asker);
      int other = asking.name(asker);
      request(asking, other, here, there, LATER);
      request(asking, name, here, there, NOBODY);
      refused(name, "and not the other one");

      BlockingQueue<CmMessage> heard = new LinkedBlockingQueue<>();
      asked.listen(LISTENER, (tid, message, back) -> heard.add(message));
      request(asking, name, here, there, LISTENER);
      assertInstanceOf(CmRequest.class, heard.poll(1, TimeUnit.MINUTES));
      request(asking, name, here, there, NOBODY);
      refused(name, "beside somebody who listens");

      asked.listen(LATER, (tid, message, back) -> heard.add(message));
      request(asking, other, here, there, LATER);
      assertInstanceOf(CmRequest.class, heard.poll(1, TimeUnit.MINUTES));
      asked.unlisten(LATER);
      request(asking, other, here, there, LATER);
      request(asking, name, here, there, NOBODY);
      refused(name, "and not the other one: its interface may listen again");
      assertEquals(0, heard.size());
    }
  }

  /** The next answer is to this one. */
  private void refused(int name, String what) throws InterruptedException {
    CmReject no = assertInstanceOf(CmReject.class, answers.poll(1, TimeUnit.MINUTES), what);
    assertEquals(CmReject.INVALID_SERVICE, no.reason(), what);
    assertEquals(name, no.remoteId(), what);
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
