package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.CqInit;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.QpCreateFlags;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SigType;
import ib.core.verbs.SrqAttr;
import ib.core.verbs.SrqInit;
import ib.core.verbs.WcStatus;
import ib.core.wire.BthOpcode;
import ib.engine.link.HcaCounter;
import ib.engine.qp.HcaConfig;
import ib.engine.qp.Invalidation;
import ib.engine.qp.QpCore;
import ib.engine.time.VirtualClock;
import ib.engine.verbs.Probe;
import ib.engine.wire.Opcode;
import java.util.List;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("what a queue pair was made for, its port, its peer, and the keys of its domain")
class QpRulesTest {
  private static final int DEPTH = 4;

  private final Rig rig =
      new Rig(new VirtualClock(), false, HcaConfig.of(0x10, 0x11), HcaConfig.of(0x20, 0x21));
  private final Rig.Side a = rig.a();
  private final Rig.Side b = rig.b();

  @AfterEach
  void close() {
    rig.close();
  }

  private static QpCore core(Rig.Side s, QueuePair qp) {
    return Objects.requireNonNull(s.hca.port(1).queuePair(qp.qpn()));
  }

  private static QpCore made(Rig.Side s, QpInit init) {
    return core(s, s.pd.createQp(init));
  }

  private static QpCore made(Rig.Side s, QpType type) {
    return made(s, Rig.init(s, type, DEPTH));
  }

  private void write() {
    a.qp.wrStart();
    a.qp.wrId(1);
    a.qp.wrRdmaWrite(b.mr.rkey(), b.mr.iova());
    a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), 8);
    assertEquals(0, a.qp.wrComplete());
    rig.settle();
  }

  @Test
  @DisplayName("packets of its own service are for it, and notices of congestion when connected")
  void takes() {
    QpCore connected = made(a, QpType.RC);
    QpCore datagrams = made(a, QpType.UD);
    int datagram = Opcode.UD | BthOpcode.RC_SEND_ONLY.value();

    assertTrue(connected.takes(BthOpcode.RC_SEND_ONLY.value()));
    assertFalse(connected.takes(datagram));
    assertTrue(connected.takes(Opcode.CNP));
    assertTrue(datagrams.takes(datagram));
    assertFalse(datagrams.takes(BthOpcode.RC_SEND_ONLY.value()));
    assertFalse(datagrams.takes(Opcode.CNP));
  }

  @Test
  @DisplayName("only a queue pair that was made so is given several segments as one datagram")
  void coalesces() {
    QpInit init = Rig.init(a, QpType.UD, DEPTH);

    assertFalse(made(a, init).coalesces());
    assertTrue(made(a, init.withCreateFlags(QpCreateFlags.COALESCED_RECEIVE)).coalesces());
  }

  @Test
  @DisplayName("IBA 10.2.9: a queue pair with a shared receive queue has no receives of its own")
  void shared() {
    assertEquals(DEPTH, made(a, QpType.RC).receives.capacity());
    a.srq = a.pd.createSrq(new SrqInit(new SrqAttr(16, 1, 0), null, null));
    assertEquals(0, made(a, QpType.RC).receives.capacity());
  }

  @Test
  @DisplayName("IBA 10.8.6: with ALL_WR a request that does not ask for it completes visibly, too")
  void signalsAll() {
    a.qp = a.pd.createQp(Rig.init(a, QpType.RC, DEPTH).withSigType(SigType.ALL_WR));
    b.qp = b.pd.createQp(Rig.init(b, QpType.RC, DEPTH));
    Rig.bringUp(a, a.qp, b.qp.qpn(), b.lid(), 1, 7, 7);
    Rig.bringUp(b, b.qp, a.qp.qpn(), a.lid(), 1, 7, 7);
    write();
    assertEquals(WcStatus.SUCCESS, Rig.next(a.sendCq).status());
  }

  @Test
  @DisplayName("what was counted stays with the port before")
  void portChanges() {
    LoopWire wire = new LoopWire();
    List<LoopWire.End> ends = List.of(wire.end(), wire.end());
    HcaConfig config = HcaConfig.of(0x30, 0x31, 0x32);
    RandomGenerator random = RandomGenerator.of("L64X128MixRandom");
    SoftHca hca = new SoftHca(config, List.copyOf(ends), (type, port) -> {}, rig.clock, random);
    try {
      TestDevice device = new TestDevice("two", hca);
      Rig.Side s = new Rig.Side();
      s.hca = hca;
      s.pd = device.allocPd();
      s.sendCq = device.createCq(new CqInit(DEPTH));
      s.recvCq = device.createCq(new CqInit(DEPTH));
      QpCore qp = made(s, QpType.RC);
      qp.count(HcaCounter.DROP_FAULT);

      qp.port(hca.port(1));
      assertEquals(1, qp.packets(HcaCounter.DROP_FAULT), "it was this port before");
      qp.port(hca.port(2));
      assertEquals(0, qp.packets(HcaCounter.DROP_FAULT));
      assertEquals(1, hca.counters(1).get(HcaCounter.DROP_FAULT.label()));
      assertEquals(0, hca.counters(2).get(HcaCounter.DROP_FAULT.label()));
      qp.count(HcaCounter.DROP_FAULT);
      assertEquals(1, hca.counters(1).get(HcaCounter.DROP_FAULT.label()));
      assertEquals(1, hca.counters(2).get(HcaCounter.DROP_FAULT.label()));
    } finally {
      hca.shutdown();
    }
  }

  @Test
  @DisplayName("D5: with a port it looks for its peer, also when the medium has changed meanwhile")
  void looks() {
    rig.connect(QpType.RC);
    QpCore qp = core(a, a.qp);
    write();
    assertEquals(qp.epoch.now(), qp.seenEpoch, "it has found it");

    qp.port(qp.port());
    assertNotEquals(qp.epoch.now(), qp.seenEpoch);
    qp.epoch.changed();
    assertNotEquals(qp.epoch.now(), qp.seenEpoch);
  }

  @Test
  @DisplayName("D4: a packet that comes while another thread holds the claim makes that thread run")
  void arrivesMeanwhile() {
    rig.connect(QpType.RC);
    QpCore qp = core(b, b.qp);
    Forge forge = new Forge(rig, b, a);
    Probe.hold(b.qp);
    assertTrue(qp.isQuiet());

    forge.arrive(forge.packet(BthOpcode.RC_RDMA_WRITE_ONLY, 0xfffffe, 8));
    assertFalse(qp.isQuiet(), "it has arrived");
    assertFalse(qp.release(), "there is work");
    Probe.letGo(b.qp);
    rig.settle();
    assertEquals(1, forge.answers.size());
  }

  @Test
  @DisplayName("a queue pair that is closed is buried, in ERR because it was removed")
  void closed() {
    rig.connect(QpType.RC);
    QpCore qp = core(a, a.qp);
    assertFalse(qp.buried());
    a.qp.close();
    assertTrue(qp.buried());
    assertFalse(qp.isQuiet());
    assertEquals("device or queue pair is removed", qp.history.cause());
  }

  @Test
  @DisplayName("D4: an exception while it has claimed its peer gives the peer back")
  void givesPeerBack() {
    rig.connect(QpType.RC);
    QpCore qp = core(a, a.qp);
    QpCore peer = core(b, b.qp);
    Probe.hold(a.qp);
    Probe.hold(b.qp);
    qp.directPeer = peer;
    qp.directClaimed = true;
    qp.history.caught(new IllegalStateException("a defect"));

    qp.history.begin(qp.runList);
    assertFalse(peer.claimed());
    assertEquals(QpState.ERR, qp.state);
    Probe.letGo(a.qp);
  }

  @Test
  @DisplayName("IBA 10.6.5: a key is invalidated by its number now, and in its protection domain")
  void otherKey() {
    QpCore qp = made(a, QpType.RC);
    int foreign = a.device.allocPd().allocFastRegistration(1).rkey();
    int own = a.pd.allocFastRegistration(1).rkey();
    assertFalse(Invalidation.local(qp, foreign));
    assertFalse(Invalidation.local(qp, MemoryRegion.nextKey(own)));
    assertTrue(Invalidation.local(qp, own));
    assertFalse(Invalidation.remote(qp, own), "it is not open");
  }
}
