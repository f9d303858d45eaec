package ib.ulp.ipoib.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.ulp.ipoib.wire.LinkAddress;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("D8, D10: drops of a queue pair that is full, or in error")
class QueueDropTest extends Stations {
  private static void send(Station from, LinkAddress to) {
    from.link.unicast(to, Station.packet(IP, "x"));
  }

  @Test
  @DisplayName("TX_RING_FULL: a send queue that does not move: each packet is kept or counted")
  void full() {
    Station a = station();
    LinkAddress to = station().link.state().address();
    send(a, to);
    settle();
    long sent = a.link.statistics().of(Statistics.Count.TX_PACKETS);
    a.link.queue.qp.modify(new QpAttr().state(QpState.SQD));
    for (int i = 0; i < 200; i++) {
      send(a, to);
    }
    assertFalse(a.link.hasRoom());
    assertEquals(200 - 128, a.link.statistics().of(Drop.TX_RING_FULL));
    int told = a.writable;
    a.link.queue.qp.modify(new QpAttr().state(QpState.RTS));
    settle();
    assertEquals(sent + 128, a.link.statistics().of(Statistics.Count.TX_PACKETS));
    assertTrue(a.writable > told, "the host hears that there is room again");
  }

  @Test
  @DisplayName("TX_ERROR: sends that a queue pair in error flushes are counted")
  void error() {
    Station a = station();
    LinkAddress to = station().link.state().address();
    send(a, to);
    settle();
    a.link.queue.qp.modify(new QpAttr().state(QpState.ERR));
    send(a, to);
    settle();
    assertEquals(1, a.link.statistics().of(Drop.TX_ERROR));
    assertEquals(1, a.link.statistics().of(Statistics.Count.TX_ERRORS));
  }

  @Test
  @DisplayName("RX_ERROR: a receive that failed in the queue pair is counted")
  void receive() {
    Station a = station();
    a.link.traffic.receiveError();
    assertEquals(1, a.link.statistics().of(Drop.RX_ERROR));
    assertEquals(1, a.link.statistics().of(Statistics.Count.RX_DROPPED));
  }
}
