package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.spi.FaultRule;
import ib.core.spi.PacketCapture.Filter;
import ib.core.spi.PacketCapture.Session;
import ib.core.verbs.AddressHandle;
import ib.core.verbs.AhAttr;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.IbExistsException;
import ib.core.verbs.LinkLayer;
import ib.core.verbs.PhysState;
import ib.core.verbs.PortState;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WcStatus;
import ib.engine.capture.Capture;
import ib.engine.capture.CapturingWire;
import ib.engine.fault.Faults;
import ib.engine.fault.FaultyWire;
import ib.engine.qp.HcaConfig;
import ib.engine.time.NanoClock;
import ib.engine.time.VirtualClock;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.WritableByteChannel;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("issue 3, section 4: capture, each packet with our verdict")
class CaptureTest {
  private static final long MS = 1_000_000;

  private static void write(Rig rig, int length) {
    Rig.Side a = rig.a();
    a.qp.wrStart();
    a.qp.wrId(1).wrFlags(SendFlags.SIGNALED);
    a.qp.wrRdmaWrite(rig.b().mr.rkey(), rig.b().mr.iova());
    a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), length);
    assertEquals(0, a.qp.wrComplete());
  }

  @Test
  @DisplayName("both directions, packets of the path MTU only while it runs, statistics at the end")
  void both() {
    CaptureFile file = new CaptureFile();
    try (Rig rig = Rig.two().connect(QpType.RC)) {
      try (Session session = rig.a().capture.start(file.sink(), Filter.ALL)) {
        write(rig, 3000); // 3 packets of 1024 bytes at most
        assertEquals(WcStatus.SUCCESS, Rig.await(rig.a().sendCq).status());
        assertTrue(session.running());
        assertThrows(
            IbExistsException.class,
            () -> rig.a().capture.start(new CaptureFile().sink(), Filter.ALL));
      }
      write(rig, 3000);
      assertEquals(WcStatus.SUCCESS, Rig.await(rig.a().sendCq).status());
      assertTrue(rig.a().capture.running().isEmpty());
    }
    assertEquals(List.of("ICRC ok", "ICRC ok", "ICRC ok"), file.comments(false));
    assertEquals(List.of("ICRC ok"), file.comments(true));
    assertEquals(List.of(0x06, 0x07, 0x08, 0x11), file.opcodes().stream().sorted().toList());
  }

  @Test
  @DisplayName("F2: a capture shows retransmission n of PSN x")
  void retransmission() {
    VirtualClock clock = new VirtualClock();
    CaptureFile file = new CaptureFile();
    try (Rig rig = new Rig(clock, false, HcaConfig.of(0x10, 0x11), HcaConfig.of(0x20, 0x21))) {
      rig.connect(QpType.RC, 16, 8, 7, 7);
      AtomicInteger sent = new AtomicInteger();
      rig.wire.loses(p -> p.opcode == 0x0A && sent.incrementAndGet() <= 2);
      try (Session session = rig.a().capture.start(file.sink(), Filter.ALL)) {
        write(rig, 8);
        for (int i = 0; i < 100 && rig.a().sendCq.requestNotify(6) == 0; i++) {
          rig.settle();
          clock.advance(MS);
        }
        assertEquals(WcStatus.SUCCESS, Rig.next(rig.a().sendCq).status());
        assertEquals(0, session.dropped());
      }
    }
    assertEquals(
        List.of(
            "ICRC ok",
            "ICRC ok; retransmission 1 of PSN 0xfffffe",
            "ICRC ok; retransmission 2 of PSN 0xfffffe"),
        file.comments(false));
  }

  @Test
  @DisplayName("a packet that the port drops says why")
  void dropped() {
    CaptureFile file = new CaptureFile();
    VirtualClock clock = new VirtualClock();
    try (Rig rig = new Rig(clock, false, HcaConfig.of(0x10, 0x11), HcaConfig.of(0x20, 0x21))) {
      rig.connect(QpType.UC);
      rig.b().qp.close();
      try (Session session = rig.b().capture.start(file.sink(), Filter.ALL)) {
        write(rig, 8);
        assertEquals(0, session.dropped());
      }
    }
    assertEquals(List.of("ICRC ok; dropped: drop_no_qp"), file.comments(true));
  }

  @Test
  @DisplayName("a packet that the queue pair drops says why: Q_Key, P_Key, no receive")
  void droppedByQueuePair() {
    CaptureFile file = new CaptureFile();
    VirtualClock clock = new VirtualClock();
    try (Rig rig = new Rig(clock, false, HcaConfig.of(0x10, 0x11), HcaConfig.of(0x20, 0x21))) {
      rig.connect(QpType.UD);
      AddressHandle ah = rig.a().pd.createAh(AhAttr.ofLid(1, rig.b().lid(), 0));
      try (Session session = rig.b().capture.start(file.sink(), Filter.ALL)) {
        datagram(rig.a(), ah, rig.b().qp.qpn(), Rig.QKEY + 1);
        datagram(rig.a(), ah, rig.b().qp.qpn(), Rig.QKEY);
        rig.b().hca.port(1).pkey(0, 0x8001);
        datagram(rig.a(), ah, rig.b().qp.qpn(), Rig.QKEY);
        rig.settle();
        assertEquals(0, session.dropped());
      }
    }
    assertEquals(
        List.of(
            "ICRC ok; dropped: drop_qkey",
            "ICRC ok; dropped: drop_no_receive",
            "ICRC ok; dropped: drop_pkey"),
        file.comments(true));
  }

  private static void datagram(Rig.Side from, AddressHandle to, int qpn, int qkey) {
    from.qp.wrStart();
    from.qp.wrSend();
    from.qp.wrSetSge(from.mr.lkey(), from.mr.iova(), 8);
    from.qp.wrSetUdAddress(to, qpn, qkey);
    assertEquals(0, from.qp.wrComplete());
  }

  @Test
  @DisplayName("a filter: queue pair and opcode")
  void filtered() {
    CaptureFile file = new CaptureFile();
    try (Rig rig = Rig.two().connect(QpType.RC)) {
      Filter acks = new Filter(1, rig.a().qp.qpn(), 0x11);
      try (Session session = rig.a().capture.start(file.sink(), acks)) {
        write(rig, 5000);
        assertEquals(WcStatus.SUCCESS, Rig.await(rig.a().sendCq).status());
        assertTrue(session.running());
      }
      Filter other = new Filter(0, rig.a().qp.qpn() ^ rig.b().qp.qpn() ^ 0x800000 | 1, -1);
      Session none = rig.a().capture.start(new CaptureFile().sink(), other);
      write(rig, 8);
      assertEquals(WcStatus.SUCCESS, Rig.await(rig.a().sendCq).status());
      none.close();
      assertEquals(0, none.written());
    }
    Set<Integer> opcodes = file.opcodes().stream().collect(Collectors.toSet());
    assertEquals(Set.of(0x11), opcodes);
  }

  /** Takes nothing until it is closed. */
  private static final class Stuck implements WritableByteChannel {
    private final CountDownLatch closed = new CountDownLatch(1);

    @Override
    public int write(ByteBuffer from) throws ClosedChannelException {
      try {
        closed.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      throw new ClosedChannelException();
    }

    @Override
    public boolean isOpen() {
      return closed.getCount() > 0;
    }

    @Override
    public void close() {
      closed.countDown();
    }
  }

  @Test
  @DisplayName(
      "F-42: a reader that takes nothing loses packets, which are counted, and delays no sender")
  void slowReader() {
    try (Rig rig = Rig.two().connect(QpType.RC)) {
      Stuck sink = new Stuck();
      Session session = rig.a().capture.start(sink, Filter.ALL);
      for (int i = 0; i < 5_000; i++) {
        write(rig, 8);
        assertEquals(WcStatus.SUCCESS, Rig.await(rig.a().sendCq).status());
      }
      assertTrue(session.dropped() > 5_000, session.dropped() + " of 10,000 packets left out");
      assertEquals(session.dropped(), rig.a().hca.counters(1).get("capture_dropped"));
      session.close();
      assertFalse(sink.isOpen());
      assertTrue(rig.a().capture.running().isEmpty() || session.failure().isPresent());
    }
  }

  @Test
  @DisplayName("an injected fault is named on the packet that it hit")
  void fault() {
    CaptureFile file = new CaptureFile();
    Faults faults = new Faults("soft0", 1, 1);
    faults.add(FaultRule.of(FaultRule.Kind.LOSS));
    LoopWire medium = new LoopWire();
    NanoClock clock = NanoClock.SYSTEM;
    try (FaultyWire faulty = new FaultyWire(medium.end(), faults, 1, clock);
        Capture capture = new Capture("soft0", 1, LinkLayer.INFINIBAND, clock, b -> {})) {
      CapturingWire wire = new CapturingWire(faulty, capture, 1);
      SoftHca hca = new SoftHca(HcaConfig.of(0x10, 0x11), List.of(wire), (type, port) -> {});
      faulty.attach(hca);
      hca.port(1).lid(1, 0);
      hca.port(1).state(PortState.ACTIVE, PhysState.LINK_UP);
      TestDevice device = new TestDevice("soft0", hca);
      try (Session session = capture.start(file.sink(), Filter.ALL)) {
        datagram(device);
        assertEquals(0, session.dropped());
      }
      hca.shutdown();
    }
    assertEquals(List.of("ICRC ok; injected fault: loss"), file.comments(false));
  }

  private static void datagram(TestDevice device) {
    CompletionQueue cq = device.createCq(new CqInit(16));
    ProtectionDomain pd = device.allocPd();
    QueuePair qp = pd.createQp(new QpInit(QpType.UD, cq, new QpCap(4, 4, 1, 1, 64)));
    qp.modify(new QpAttr().state(QpState.INIT).pkeyIndex(0).port(1).qkey(Rig.QKEY));
    qp.modify(new QpAttr().state(QpState.RTR));
    qp.modify(new QpAttr().state(QpState.RTS).sqPsn(1));
    AddressHandle ah = pd.createAh(AhAttr.ofLid(1, 9, 0));
    qp.wrStart();
    qp.wrSend();
    qp.wrSetInline(MemorySegment.ofArray(new byte[8]), 0, 8);
    qp.wrSetUdAddress(ah, 77, Rig.QKEY);
    assertEquals(0, qp.wrComplete());
  }
}
