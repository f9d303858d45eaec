package ib.ulp.ipoib.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.cm.CmPort;
import ib.core.verbs.AhAttr;
import ib.core.verbs.Gid;
import ib.core.verbs.IbDevice;
import ib.core.verbs.Mtu;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.WcStatus;
import ib.ulp.ipoib.cm.Connection;
import ib.ulp.ipoib.cm.Connections;
import ib.ulp.ipoib.cm.RcEnd;
import ib.ulp.ipoib.cm.Refusals;
import ib.ulp.ipoib.cm.Self;
import ib.ulp.ipoib.cm.Way;
import ib.ulp.ipoib.testing.Lab;
import ib.ulp.ipoib.wire.Connected;
import ib.ulp.ipoib.wire.LinkAddress;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("the queues of connected mode, polled by hand")
class RcQueueTest extends Stations {
  private static final int SENDS = 8;

  /** Fails each time. */
  private static final class Failing implements RcQueue.Receiver {
    int calls;

    @Override
    public void packet(Connection from, MemorySegment memory, long at, int length) {
      throw new AssertionError("nobody sends");
    }

    @Override
    public void sent(Connection to, int bytes, WcStatus status) {
      calls++;
      throw new IllegalStateException("planted");
    }
  }

  private record Owner(RcQueue queue) implements Connections.Owner {
    @Override
    public RcEnd open(Connection connection) {
      return queue.open(connection);
    }

    @Override
    public void up(Connection connection) {
      throw new AssertionError("nobody answers");
    }

    @Override
    public void down(Connection connection, String why) {
      // as it ends
    }
  }

  @Test
  @DisplayName("C2: all send buffers of a batch come back, whatever the receiver throws")
  void buffersComeBack() {
    Station a = station();
    IbDevice device = leases.getFirst().device();
    Refusals refusals = new Refusals();
    AhAttr way = AhAttr.ofLid(1, 77, 0);
    try (ProtectionDomain pd = device.allocPd();
        CmPort port = cm.open("soft0", 1);
        RcQueue queue = new RcQueue(pd, 1, 0, SENDS, SENDS, a.loop)) {
      Connections connections = new Connections(a.loop, port, 99, new Owner(queue), refusals);
      connections.start(
          new Self(
              new LinkAddress(0, 99, device.gid(1, 0)),
              0xffff,
              0,
              false,
              Connected.LINUX_RECEIVE_MTU,
              false));
      int lid = device.port(1).lid();
      LinkAddress peer = new LinkAddress(0, 7, Gid.parse("fe80::77"));
      connections.connect(peer, new Way(way, Mtu.MTU_2048, lid));
      Connection to = connections.all().getFirst();
      RcPair end = (RcPair) to.end();
      end.connect(way, Mtu.MTU_2048, 14, 7, 0);
      end.qp.modify(new QpAttr().state(QpState.ERR)); // sends are flushed at once
      for (int i = 0; i < 3; i++) {
        assertTrue(queue.send(to, Station.packet(IP, "x")));
      }
      assertEquals(SENDS - 3, queue.room());
      Failing failing = new Failing();
      Lab.await(
          () -> {
            try {
              queue.pollSends(failing);
            } catch (IllegalStateException e) {
              assertEquals("planted", e.getMessage());
            }
            return queue.room() == SENDS;
          },
          "all buffers");
      assertTrue(failing.calls > 0);
      connections.stop();
    }
  }
}
