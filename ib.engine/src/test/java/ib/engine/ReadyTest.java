package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.spi.PacketCapture.Filter;
import ib.core.spi.PacketCapture.Session;
import ib.core.verbs.Access;
import ib.core.verbs.Mtu;
import ib.core.verbs.PhysState;
import ib.core.verbs.PortState;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import ib.core.wire.BthOpcode;
import ib.engine.link.GuardLimits;
import ib.engine.port.HcaPort;
import ib.engine.qp.HcaConfig;
import ib.engine.time.VirtualClock;
import ib.engine.verbs.Probe;
import ib.engine.wire.Packet;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which of two requests goes without packets, when something changes between them (D5). */
class ReadyTest {
  private static final int SECOND = 1_000_000_000;
  private static final int NEXT_PSN = 0xffffff; // after the write of the set-up

  private final VirtualClock clock = new VirtualClock();
  private final Rig rig =
      new Rig(
          clock,
          false,
          HcaConfig.of(0x10, 0x11),
          HcaConfig.of(0x20, 0x21).withPace(1 << 20, 1 << 18, 16, 1, 128));
  private final Rig.Side a = rig.a();
  private final Rig.Side b = rig.b();

  @BeforeEach
  void connect() {
    rig.connect(QpType.RC);
    direct();
  }

  @AfterEach
  void close() {
    rig.close();
  }

  private void post() {
    a.qp.wrStart();
    a.qp.wrId(1).wrFlags(SendFlags.SIGNALED);
    a.qp.wrRdmaWrite(b.mr.rkey(), b.mr.iova());
    a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), 64);
    assertEquals(0, a.qp.wrComplete());
  }

  /** Posts a request, which goes as a packet or does not. */
  private void post(boolean packet) {
    long packets = Probe.packets(a.qp);
    long direct = Probe.direct(a.qp);
    post();
    assertEquals(packet, Probe.packets(a.qp) > packets, "sent as a packet");
    assertEquals(packet ? direct : direct + 1, Probe.direct(a.qp), "executed at the peer");
  }

  private void completes() {
    rig.settle();
    assertEquals(WcStatus.SUCCESS, Rig.next(a.sendCq).status());
  }

  private void direct() {
    post(false);
    completes();
  }

  private void packet() {
    post(true);
    completes();
  }

  private static boolean isAck(Packet p) {
    return p.opcode == 0x11;
  }

  @Test
  @DisplayName("a capture begins and ends, at either end")
  void capture() {
    for (Rig.Side s : List.of(a, b)) {
      Session session =
          s.capture.start(Channels.newChannel(OutputStream.nullOutputStream()), Filter.ALL);
      packet();
      session.close();
      direct();
    }
  }

  @Test
  @DisplayName("the medium disturbs packets for a while")
  void disturbed() {
    rig.wire.segments(true);
    packet();
    rig.wire.segments(false);
    direct();
    rig.wire.loses(p -> false);
    packet();
    rig.wire.loses(null);
    direct();
  }

  @ParameterizedTest
  @ValueSource(strings = {"down", "lid", "pkey", "pkeys"})
  @DisplayName("a port changes, at either end: its packets are lost until it is as before")
  void port(String what) {
    for (Rig.Side s : List.of(a, b)) {
      HcaPort port = s.hca.port(1);
      int lid = s.lid();
      switch (what) {
        case "down" -> port.state(PortState.DOWN, PhysState.POLLING);
        case "lid" -> port.lid(77, 0);
        case "pkey" -> port.pkey(0, 0x8123);
        default -> port.pkeys(0x8123);
      }
      long direct = Probe.direct(a.qp);
      post();
      rig.settle();
      Rig.assertEmpty(a.sendCq);
      assertEquals(direct, Probe.direct(a.qp));
      port.state(PortState.ACTIVE, PhysState.LINK_UP);
      port.lid(lid, 0);
      port.pkey(0, 0xffff);
      for (int i = 0; i < 4; i++) {
        clock.advance(SECOND);
        rig.settle();
      }
      completes();
      direct();
    }
  }

  @Test
  @DisplayName("a port mutes a source, and then no source any more")
  void muting() {
    HcaPort port = b.hca.port(1);
    port.guard(GuardLimits.STRICT);
    Forge stranger = new Forge(rig, b, a);
    open();
    direct();
    Packet p = stranger.packet(BthOpcode.RC_RDMA_WRITE_ONLY, 0, 0);
    p.slid = 99;
    for (int i = 0; i < 9; i++) {
      port.guard().violation(p);
    }
    assertTrue(port.mutes(0, 99));
    packet();
    port.guard(GuardLimits.OFF);
    direct();
  }

  @Test
  @DisplayName("the peer is modified and stays connected; then it is destroyed")
  void modified() {
    b.qp.modify(new QpAttr().state(QpState.SQD));
    direct();
    b.qp.modify(new QpAttr().state(QpState.RTS));
    direct();
    a.qp.modify(new QpAttr().state(QpState.SQD));
    a.qp.modify(new QpAttr().state(QpState.RTS));
    direct();
    b.qp.close();
    post(true);
    Rig.assertEmpty(a.sendCq);
  }

  @Test
  @DisplayName("the peer loses its right to write: a packet is refused")
  void right() {
    b.qp.modify(new QpAttr().state(QpState.RTS).accessFlags(Access.REMOTE_READ));
    post(true);
    rig.settle();
    WorkCompletion wc = Rig.next(a.sendCq);
    assertEquals(WcStatus.REM_INV_REQ_ERR, wc.status());
  }

  @Test
  @DisplayName("the peer loses its right to read: a packet is refused")
  void rightToRead() {
    b.qp.modify(new QpAttr().state(QpState.RTS).accessFlags(Access.REMOTE_WRITE));
    direct();
    long packets = Probe.packets(a.qp);
    a.qp.wrStart();
    a.qp.wrId(1).wrFlags(SendFlags.SIGNALED);
    a.qp.wrRdmaRead(b.mr.rkey(), b.mr.iova());
    a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), 64);
    assertEquals(0, a.qp.wrComplete());
    assertTrue(Probe.packets(a.qp) > packets, "sent as a packet");
    rig.settle();
    assertEquals(WcStatus.REM_INV_REQ_ERR, Rig.next(a.sendCq).status());
  }

  @Test
  @DisplayName("the first request to a peer in RTR is a packet, since COMM_EST is due")
  void silent() {
    a.qp.close();
    b.qp.close();
    a.qp = a.pd.createQp(Rig.init(a, QpType.RC, 16));
    b.qp = b.pd.createQp(Rig.init(b, QpType.RC, 16));
    Rig.bringUp(a, a.qp, b.qp.qpn(), b.lid(), 1, 7, 7);
    Rig.toRtr(b.qp, a.qp.qpn(), a.lid(), Mtu.MTU_1024);
    packet();
    direct();
  }

  @Test
  @DisplayName("no request overtakes one that is under way, when the medium opens meanwhile")
  void underWay() {
    rig.wire.holds(ReadyTest::isAck);
    post(true);
    rig.wire.holds(null);
    post(true);
    rig.wire.deliverHeld(ReadyTest::isAck, b.hca.newRunContext());
    completes();
    completes();
    direct();
  }

  private static void forge(Forge forge, BthOpcode opcode, int psn, int bytes) {
    forge.arrive(forge.packet(opcode, psn, bytes));
  }

  private void open() {
    rig.wire.loses(null);
    rig.wire.holds(null);
    rig.wire.segments(false);
  }

  @Test
  @DisplayName("after a NAK the peer waits for a packet")
  void quiet() {
    forge(new Forge(rig, b, a), BthOpcode.RC_RDMA_WRITE_ONLY, NEXT_PSN + 5, 64);
    open();
    assertTrue(Probe.inMiddle(b.qp));
    packet();
    assertFalse(Probe.inMiddle(b.qp));
    direct();
  }

  @Test
  @DisplayName("an acknowledgement is due that the peer has no packet for")
  void due() {
    Forge forge = new Forge(rig, b, a);
    rig.wire.loses(null);
    rig.wire.holds(ReadyTest::isAck);
    forge(forge, BthOpcode.RC_RDMA_WRITE_ONLY, NEXT_PSN - 1, 64);
    assertFalse(Probe.inMiddle(b.qp), "its only packet is on the way");
    forge(forge, BthOpcode.RC_RDMA_WRITE_ONLY, NEXT_PSN - 1, 64);
    open();
    assertTrue(Probe.inMiddle(b.qp));
    post(true);
    rig.wire.deliverHeld(ReadyTest::isAck, b.hca.newRunContext());
    completes();
    direct();
  }

  @Test
  @DisplayName("a message has begun, until the queue pair is reset")
  void begun() {
    b.qp.postReceive(1, b.mr.lkey(), b.mr.iova(), 4096);
    forge(new Forge(rig, b, a), BthOpcode.RC_SEND_FIRST, NEXT_PSN, 1024);
    open();
    assertTrue(Probe.inMiddle(b.qp));
    post(true);
    b.qp.modify(new QpAttr().state(QpState.RESET));
    assertFalse(Probe.inMiddle(b.qp));
  }
}
