package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.PostStatus;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WcStatus;
import ib.engine.qp.HcaConfig;
import ib.engine.time.VirtualClock;
import ib.engine.wire.Opcode;
import ib.engine.wire.Packet;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("IBA A17.9.3: the peer of a reliable queue pair is notified of marked requests")
class CongestionTest {
  private static final long INTERVAL_NS = 50_000; // at most one notification in this time

  private final VirtualClock clock = new VirtualClock();
  private final Rig rig = new Rig(clock, false, HcaConfig.of(0x10, 0x11), HcaConfig.of(0x20, 0x21));
  private final List<String> notices = new ArrayList<>();
  private boolean marksRequests;
  private boolean marksResponses;

  @AfterEach
  void close() {
    rig.close();
  }

  private void connect(QpType type) {
    rig.connect(type, 16, 8, 7, 7);
    rig.wire.loses(
        p -> {
          if (p.opcode == Opcode.CNP) {
            notices.add(text(p));
          }
          boolean toB = p.dlid == rig.b().lid();
          p.congested = toB ? marksRequests : marksResponses;
          return false;
        });
  }

  private String text(Packet p) {
    boolean toA = p.dlid == rig.a().lid() && p.destQpn == rig.a().qp.qpn();
    return (toA ? "to a" : "elsewhere") + " becn=" + p.becn + " bytes=" + p.payload.length();
  }

  private void write() {
    Rig.Side a = rig.a();
    a.qp.wrStart();
    a.qp.wrId(1).wrFlags(SendFlags.SIGNALED);
    a.qp.wrRdmaWrite(rig.b().mr.rkey(), rig.b().mr.iova());
    a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), 8);
    assertEquals(PostStatus.OK, a.qp.wrComplete());
    rig.settle();
    assertEquals(WcStatus.SUCCESS, Rig.next(a.sendCq).status());
  }

  private static long counter(Rig.Side side, String name) {
    return side.hca.counters(1).get(name);
  }

  @Test
  @DisplayName(
      "a marked write causes a CNP with BECN and 16 bytes, which the peer's requester heeds")
  void marked() {
    connect(QpType.RC);
    marksRequests = true;
    write();
    assertEquals(List.of("to a becn=true bytes=16"), notices);
    assertEquals(1, counter(rig.b(), "np_cnp_sent"));
    assertEquals(1, counter(rig.a(), "rp_cnp_handled"));
  }

  @Test
  @DisplayName("marked writes within 50 us cause one CNP, the first one after 50 us another")
  void interval() {
    connect(QpType.RC);
    marksRequests = true;
    write();
    write();
    clock.advance(INTERVAL_NS - 1);
    write();
    assertEquals(1, notices.size());
    clock.advance(1);
    write();
    assertEquals(2, notices.size());
    assertEquals(2, counter(rig.b(), "np_cnp_sent"));
  }

  @Test
  @DisplayName("no CNP for requests without a mark, nor for marked acknowledgements")
  void unmarked() {
    connect(QpType.RC);
    marksResponses = true;
    write();
    assertTrue(rig.wire.transmitted.get() >= 2, "a request and its acknowledgement");
    assertEquals(List.of(), notices);
  }

  @Test
  @DisplayName("no CNP for an unreliable queue pair, whose peer has no send window")
  void unreliable() {
    connect(QpType.UC);
    marksRequests = true;
    write();
    assertEquals(List.of(), notices);
    assertEquals(0, counter(rig.b(), "np_cnp_sent"));
  }

  @Test
  @DisplayName("the packet of a CNP carries no BECN when it is an acknowledgement again")
  void packetReused() {
    connect(QpType.RC);
    marksRequests = true;
    write();
    marksRequests = false;
    rig.wire.loses(
        p -> {
          assertFalse(p.becn, "BECN of opcode " + p.opcode);
          return false;
        });
    for (int i = 0; i < 2 * HcaConfig.of(0x10, 0x11).responsePackets(); i++) {
      write();
    }
  }
}
