package ib.tools.guide;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.cm.CmClient;
import ib.cm.rdma.PortSpace;
import ib.cm.rdma.QpFactory;
import ib.cm.rdma.RdmaCm;
import ib.cm.rdma.RdmaConnection;
import ib.cm.rdma.RdmaHandler;
import ib.cm.rdma.RdmaOptions;
import ib.core.client.ClientRegistration;
import ib.core.client.IbClient;
import ib.core.sa.McMemberRecord;
import ib.core.sa.McMemberRecord.Field;
import ib.core.sa.SaClient;
import ib.core.sa.SaMembership;
import ib.core.spi.StandaloneFabric;
import ib.core.verbs.AhAttr;
import ib.core.verbs.CqInit;
import ib.core.verbs.EventType;
import ib.core.verbs.Gid;
import ib.core.verbs.GlobalRoute;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbEvent;
import ib.core.verbs.IbEventHandler;
import ib.core.verbs.NotifyFlags;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.QueuePairs;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.SrqAttr;
import ib.core.verbs.SrqInit;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WellKnown;
import ib.core.verbs.WorkCompletion;
import ib.driver.soft.standalone.SoftFabric;
import ib.kit.fabric.IbFabric;
import ib.tools.guide.Pair.End;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("U24: the recipes of docs/cookbook.md and docs/extensions.md")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CookbookTest {

  @Test
  @IbFabric(devices = 2)
  void send(IbDevice deviceA, IbDevice deviceB) {
    try (End a = End.of(deviceA, QpType.RC);
        End b = End.of(deviceB, QpType.RC)) {
      QueuePairs.connect(a.qp(), b.qp());
      b.qp().postReceive(7, b.memory().lkey(), b.memory().iova(), 4096);
      MemorySegment hello = MemorySegment.ofArray("hello".getBytes(StandardCharsets.UTF_8));
      a.qp().postSend(new SendWr(1).inline(hello, 0, 5).flags(SendFlags.SIGNALED));
      a.await();
      int length = b.await().byteLen(); // the bytes are in b.memory().segment()
      assertEquals(5, length);
    }
  }

  @Test
  @IbFabric(devices = 2)
  void read(IbDevice deviceA, IbDevice deviceB) {
    try (End a = End.of(deviceA, QpType.RC);
        End b = End.of(deviceB, QpType.RC)) {
      QueuePairs.connect(a.qp(), b.qp());
      b.memory().segment().setString(0, "what b has");
      a.qp()
          .wrStart()
          .wrId(1)
          .wrFlags(SendFlags.SIGNALED)
          .wrRdmaRead(b.memory().rkey(), b.memory().iova())
          .wrSetSge(a.memory().lkey(), a.memory().iova(), 64)
          .wrComplete();
      a.await();
      assertEquals("what b has", a.memory().segment().getString(0));
      a.qp()
          .wrStart()
          .wrFlags(SendFlags.SIGNALED)
          .wrAtomicFetchAdd(b.memory().rkey(), b.memory().iova() + 64, 5)
          .wrSetSge(a.memory().lkey(), a.memory().iova() + 64, 8)
          .wrComplete();
      a.await();
      assertEquals(0, Pair.number(a, 64), "what was there before");
      assertEquals(5, Pair.number(b, 64));
    }
  }

  /** Makes a queue pair of type UD ready. */
  private static void ready(QueuePair qp, int qkey) {
    qp.modify(new QpAttr().state(QpState.INIT).pkeyIndex(0).port(1).qkey(qkey));
    qp.modify(new QpAttr().state(QpState.RTR));
    qp.modify(new QpAttr().state(QpState.RTS).sqPsn(QueuePair.randomPsn()));
  }

  @Test
  @IbFabric(devices = 2)
  void datagram(IbDevice deviceA, IbDevice deviceB) {
    int qkey = 0x11111111;
    int lid = deviceB.queryPort(1).lid();
    try (End a = End.of(deviceA, QpType.UD);
        End b = End.of(deviceB, QpType.UD);
        var to = a.pd().createAh(AhAttr.ofLid(1, lid, 0))) {
      ready(a.qp(), qkey);
      ready(b.qp(), qkey);
      b.qp().postReceive(7, b.memory().lkey(), b.memory().iova(), 40 + 256);
      a.memory().segment().setString(0, "to b");
      a.qp()
          .wrStart()
          .wrFlags(SendFlags.SIGNALED)
          .wrSend()
          .wrSetUdAddress(to, b.qp().qpn(), qkey)
          .wrSetSge(a.memory().lkey(), a.memory().iova(), 5)
          .wrComplete();
      a.await(); // it was sent, no more
      WorkCompletion got = b.await();
      assertEquals(40 + 5, got.byteLen()); // the first 40 bytes are kept for a GRH
      assertEquals("to b", b.memory().segment().getString(40));
      assertEquals(a.qp().qpn(), got.srcQp()); // where an answer goes to
    }
  }

  @Test
  @IbFabric(devices = 2)
  void multicast(IbDevice deviceA, IbDevice deviceB) throws InterruptedException {
    Gid group = Gid.parse("ff12:401b:ffff::77");
    int qkey = 0x11111111;
    McMemberRecord wanted =
        new McMemberRecord()
            .set(Field.MGID, group)
            .set(Field.JOIN_STATE, 1)
            .set(Field.QKEY, qkey)
            .set(Field.PKEY, 0xffff)
            .set(Field.TCLASS, 0)
            .set(Field.FLOW_LABEL, 0)
            .set(Field.SL, 0);
    CountDownLatch joined = new CountDownLatch(1);
    try (End a = End.of(deviceA, QpType.UD);
        End b = End.of(deviceB, QpType.UD);
        SaClient sa = SaClient.open(deviceB, 1);
        SaMembership member = sa.multicast().join(wanted, (m, state, why) -> joined.countDown())) {
      ready(a.qp(), qkey);
      ready(b.qp(), qkey);
      assertTrue(joined.await(1, TimeUnit.MINUTES));
      int mlid = member.record().value(Field.MLID);
      b.qp().attachMulticast(group, mlid);
      b.qp().postReceive(7, b.memory().lkey(), b.memory().iova(), 4096);
      AhAttr way = AhAttr.ofLid(1, mlid, 0, GlobalRoute.to(group, 0));
      try (var to = a.pd().createAh(way)) {
        a.qp()
            .wrStart()
            .wrSend()
            .wrSetUdAddress(to, WellKnown.QPN_MULTICAST, qkey)
            .wrSetSge(a.memory().lkey(), a.memory().iova(), 16)
            .wrComplete();
        b.await();
      }
      b.qp().detachMulticast(group, mlid);
    }
  }

  @Test
  @IbFabric(devices = 2)
  void sharedReceiveQueue(IbDevice deviceA, IbDevice deviceB) {
    try (End a = End.of(deviceA, QpType.RC);
        var pd = deviceB.allocPd();
        var memory = pd.allocMemory(4096, 64, ib.core.verbs.Access.LOCAL_WRITE);
        var cq = deviceB.createCq(new CqInit(32));
        var srq = pd.createSrq(new SrqInit(new SrqAttr(16, 1, 0), null, null));
        var qp = pd.createQp(new QpInit(QpType.RC, cq, new QpCap(16, 0, 1, 0, 0)).withSrq(srq))) {
      QueuePairs.connect(a.qp(), qp);
      srq.postReceive(7, memory.lkey(), memory.iova(), 4096); // for any queue pair of the SRQ
      a.qp().postSend(new SendWr(1).inline(MemorySegment.ofArray(new byte[3]), 0, 3));
      WorkCompletion got = cq.await(Duration.ofMinutes(1)).check();
      assertEquals(7, got.wrId());
      assertEquals(qp.qpn(), got.qpn()); // which queue pair it came by
    }
  }

  @Test
  @IbFabric(devices = 2)
  void wait(IbDevice deviceA, IbDevice deviceB) throws InterruptedException {
    CountDownLatch woken = new CountDownLatch(1);
    try (End a = End.of(deviceA, QpType.RC);
        End b = End.of(deviceB, QpType.RC);
        var cq = deviceB.createCq(new CqInit(32, (queue, context) -> woken.countDown(), null));
        var pd = deviceB.allocPd();
        var qp = pd.createQp(new QpInit(QpType.RC, cq, new QpCap(1, 16, 1, 1, 0)))) {
      QueuePairs.connect(a.qp(), qp);
      cq.requestNotify(NotifyFlags.NEXT_COMP); // before the last poll that finds nothing
      assertEquals(0, cq.poll(new WorkCompletion[] {new WorkCompletion()}, 1));
      qp.postReceive(7, 0, 0, 0);
      a.qp().postSend(new SendWr(1).inline(MemorySegment.ofArray(new byte[0]), 0, 0));
      assertTrue(woken.await(1, TimeUnit.MINUTES));
      assertEquals(1, cq.poll(new WorkCompletion[] {new WorkCompletion()}, 1));
      b.qp().drain();
    }
  }

  @Test
  void event() throws InterruptedException {
    try (SoftFabric fabric = SoftFabric.open("soft0")) {
      IbDevice device = fabric.device("soft0");
      BlockingQueue<EventType> events = new LinkedBlockingQueue<>();
      IbEventHandler handler =
          new IbEventHandler(device) {
            @Override
            public void handle(IbEvent event) { // must not block
              events.add(event.type());
            }
          };
      device.registerEventHandler(handler);
      fabric.set("soft0", "link", "down");
      assertEquals(EventType.PORT_ERR, events.poll(1, TimeUnit.MINUTES));
      device.unregisterEventHandler(handler); // afterwards it does not run
    }
  }

  @Test
  @IbFabric(devices = 2)
  void why(IbDevice deviceA, IbDevice deviceB, StandaloneFabric fabric) {
    try (End a = End.of(deviceA, QpType.RC);
        End b = End.of(deviceB, QpType.RC)) {
      QueuePairs.connect(a.qp(), b.qp());
      a.qp()
          .wrStart()
          .wrFlags(SendFlags.SIGNALED)
          .wrRdmaRead(b.memory().rkey() + 1, b.memory().iova())
          .wrSetSge(a.memory().lkey(), a.memory().iova(), 64)
          .wrComplete();
      assertEquals(WcStatus.REM_ACCESS_ERR, a.cq().await(Duration.ofMinutes(1)).status());
      String reader = fabric.why(a.qp()).likely();
      assertEquals("the peer refused the rkey, the range or the right of a request", reader);
      String words = fabric.why(b.qp()).toString(); // as ib:why prints it, several lines
      assertTrue(words.contains("try: compare the rkey and the addresses"));
    }
  }

  @Test
  @IbFabric(devices = 2, faults = "loss rate=0.2", seed = 42)
  void survivesLoss(IbDevice deviceA, IbDevice deviceB) {
    try (End a = End.of(deviceA, QpType.RC);
        End b = End.of(deviceB, QpType.RC)) {
      QueuePairs.connect(a.qp(), b.qp());
      for (int i = 0; i < 10; i++) {
        b.qp().postReceive(i, b.memory().lkey(), b.memory().iova(), 4096);
        a.qp().postSend(new SendWr(1).inline(MemorySegment.ofArray(new byte[8]), 0, 8));
        assertEquals(i, b.await().wrId()); // each once, in order
      }
    }
  }

  /** A queue pair with a receive posted, for a connection. */
  private static final class Maker implements QpFactory {
    private @Nullable End end;

    @Override
    public QueuePair make(IbDevice device, int port) {
      End made = End.of(device, QpType.RC);
      end = made;
      return made.qp();
    }

    @Override
    public void initialized(QueuePair qp) { // the peer may send as soon as this returns
      End made = end();
      qp.postReceive(7, made.memory().lkey(), made.memory().iova(), 4096);
    }

    @Override
    public void destroyed(QueuePair qp) { // what the queue pair used; the connection closed it
      End made = end();
      made.memory().close();
      made.cq().close();
      made.pd().close();
    }

    End end() {
      return java.util.Objects.requireNonNull(end);
    }
  }

  @Test
  void connect() throws Exception {
    try (SoftFabric fabric = SoftFabric.open("soft0", "soft1")) {
      InetAddress addressOf0 = InetAddress.getByName("192.0.2.1");
      InetAddress addressOf1 = InetAddress.getByName("192.0.2.2");
      Map<InetAddress, Gid> book =
          Map.of(
              addressOf0, fabric.device("soft0").gid(1, 0),
              addressOf1, fabric.device("soft1").gid(1, 0));
      CmClient manager = CmClient.create();
      ClientRegistration registration = fabric.core().registerClient(manager);
      Maker ours = new Maker();
      Maker theirs = new Maker();
      List<RdmaConnection> accepted = new ArrayList<>();
      try (RdmaCm server = RdmaCm.open(fabric.core(), manager, "server", book);
          RdmaCm client = RdmaCm.open(fabric.core(), manager, "client", book);
          var listener =
              server.listen(
                  new InetSocketAddress(0),
                  PortSpace.TCP,
                  4,
                  r -> accepted.add(r.accept(RdmaOptions.rc(), theirs, RdmaHandler.NONE)))) {
        int port = listener.localAddress().getPort();
        RdmaOptions options = RdmaOptions.rc().from(new InetSocketAddress(addressOf0, 0));
        InetSocketAddress there = new InetSocketAddress(addressOf1, port);
        try (RdmaConnection connection = client.connect(there, options, ours)) {
          connection.qp().postSend(new SendWr(1).inline(MemorySegment.ofArray(new byte[4]), 0, 4));
          theirs.end().await();
          connection.disconnect();
        }
        accepted.forEach(RdmaConnection::close);
      }
      registration.unregister();
    }
  }

  /** A protocol: one thing for each device, while the device is there. */
  private static final class Protocol implements IbClient {
    final Map<String, End> ends = new java.util.concurrent.ConcurrentHashMap<>();

    @Override
    public String name() {
      return "protocol";
    }

    @Override
    public Object add(IbDevice device) { // may sleep; what it makes is this device's
      End end = End.of(device, QpType.RC);
      ends.put(device.name(), end);
      return end;
    }

    @Override
    public void remove(IbDevice device, @Nullable Object clientData) {
      ends.remove(device.name());
      if (clientData instanceof End end) {
        end.close(); // the device works until this method returns
      }
    }
  }

  @Test
  void protocol() {
    Protocol protocol = new Protocol();
    try (SoftFabric fabric = SoftFabric.open("soft0", "soft1")) {
      ClientRegistration registration = fabric.core().registerClient(protocol);
      assertEquals(2, protocol.ends.size());
      fabric.unplug("soft1");
      assertEquals(List.of("soft0"), List.copyOf(protocol.ends.keySet()));
      fabric.plug("soft1");
      assertNotNull(protocol.ends.get("soft1"));
      registration.unregister();
      assertTrue(protocol.ends.isEmpty());
      assertFalse(fabric.core().lastRemoval("soft1").isEmpty());
    }
  }
}
