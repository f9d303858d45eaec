package ib.ulp.ipoib.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import ib.cm.CmConnection;
import ib.cm.CmEndpoint;
import ib.cm.CmEvent;
import ib.cm.CmPath;
import ib.cm.CmPort;
import ib.cm.CmTerms;
import ib.core.verbs.Access;
import ib.core.verbs.AhAttr;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.IbDevice;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.Mtu;
import ib.core.verbs.PostStatus;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import ib.ulp.ipoib.testing.Lab;
import ib.ulp.ipoib.wire.Connected;
import ib.ulp.ipoib.wire.Encapsulation;
import ib.ulp.ipoib.wire.LinkAddress;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The peer is played by hand: it has the numbers of an exchange between two Linux hosts. */
@DisplayName(
    "A4, RG-23: the starting PSN of a REQ or a REP is what its receiver begins to send with")
class StartingPsnTest extends Stations {
  private static final int MAD = 20; // behind BTH and DETH
  private static final int DATA = MAD + 24;
  private static final int PSN = 9;
  private static final int LENGTH = 3000;
  private static final int AREA = 4096;

  /** An event of the peer's side. */
  private record Heard(CmConnection connection, CmEvent event) {}

  private final BlockingQueue<Heard> heard = new LinkedBlockingQueue<>();
  private int requestPsn; // starting PSNs of the recorded messages
  private int replyPsn;
  private int activePsn;
  private int passivePsn;
  private Station ours;
  private LinkAddress theirs;
  private IbDevice device;
  private CmPort peer;
  private ProtectionDomain pd;
  private CompletionQueue cq;
  private MemoryRegion memory;
  private QueuePair qp;

  @BeforeEach
  void open() throws IOException {
    List<byte[]> frames;
    try (InputStream in = StartingPsnTest.class.getResourceAsStream("rping.hex")) {
      frames =
          new String(in.readAllBytes(), StandardCharsets.US_ASCII)
              .lines()
              .filter(line -> !line.startsWith("#"))
              .map(HexFormat.of()::parseHex)
              .toList();
    }
    requestPsn = u24(frames.get(0), DATA + 44);
    replyPsn = u24(frames.get(1), DATA + 20);
    activePsn = u24(frames.get(2), PSN);
    passivePsn = u24(frames.get(3), PSN);
    ours = station(LinkConfig.DEFAULT.withConnected(true));
    station();
    device = leases.getLast().device();
    theirs = new LinkAddress(LinkAddress.RC, 0xfffffe, device.gid(1, 0)); // C3: ours yields
    peer = cm.open("soft1", 1);
    long service = Connected.linuxServiceId(theirs.qpn());
    peer.listen(service, 4, (c, event) -> heard.add(new Heard(c, event)));
    pd = device.allocPd();
    cq = device.createCq(new CqInit(8, (q, context) -> {}, null));
    memory = pd.allocMemory(2 * AREA, AREA, Access.LOCAL_WRITE);
    qp = pd.createQp(new QpInit(QpType.RC, cq, new QpCap(4, 4, 1, 1, 0)).withRecvCq(cq));
  }

  @AfterEach
  void closePeer() {
    qp.close();
    memory.close();
    cq.close();
    pd.close();
    peer.close();
  }

  private static int u24(byte[] frame, int at) {
    return (frame[at] & 0xff) << 16 | (frame[at + 1] & 0xff) << 8 | frame[at + 2] & 0xff;
  }

  private void until(BooleanSupplier condition, String what) {
    Lab.await(
        () -> {
          settle();
          return condition.getAsBoolean();
        },
        what);
  }

  /** As Linux does it: expects what it put into its own message, begins with what ours says. */
  private void ready(Mtu mtu, int peerQpn, int expected, int first) {
    AhAttr way = AhAttr.ofLid(1, ourLid(), 0);
    qp.modify(new QpAttr().state(QpState.INIT).pkeyIndex(0).port(1).accessFlags(0));
    qp.postReceive(1, memory.lkey(), memory.iova(), AREA);
    qp.modify(
        new QpAttr()
            .state(QpState.RTR)
            .av(way)
            .pathMtu(mtu)
            .destQpn(peerQpn)
            .rqPsn(expected)
            .maxDestRdAtomic(1)
            .minRnrTimer(12));
    qp.modify(
        new QpAttr()
            .state(QpState.RTS)
            .sqPsn(first)
            .timeout(18)
            .retryCount(0)
            .rnrRetry(0)
            .maxRdAtomic(1));
  }

  /** A packet each way arrives. */
  private void talk() {
    until(() -> ours.link.connections().toString().contains("ESTABLISHED"), "connection");
    Encapsulation.write(memory.segment(), AREA, Encapsulation.IPV4);
    qp.wrStart();
    qp.wrId(2).wrFlags(SendFlags.SIGNALED).wrSend();
    qp.wrSetSge(memory.lkey(), memory.iova() + AREA, LENGTH + Encapsulation.BYTES);
    assertEquals(PostStatus.OK, qp.wrComplete());
    completion(2, "they begin with what our message says");
    until(() -> ours.received.contains("CONNECTED of " + LENGTH), "their packet");
    Outgoing packet = new Outgoing().set(IP, MemorySegment.ofArray(new byte[LENGTH]), 0, LENGTH);
    ours.link.unicast(theirs, packet);
    WorkCompletion came = completion(1, "we begin with what their message says");
    assertEquals(LENGTH + Encapsulation.BYTES, came.byteLen());
    assertEquals(0, ours.link.statistics().of(Drop.TX_ERROR));
  }

  private WorkCompletion completion(long id, String what) {
    WorkCompletion[] one = {new WorkCompletion()};
    until(() -> cq.poll(one, 1) == 1, what);
    assertEquals(id, one[0].wrId(), one[0].status() + ": " + what);
    assertEquals(WcStatus.SUCCESS, one[0].status(), what);
    return one[0];
  }

  /** Waits for the next event of that kind, which the test has not looked at before. */
  private <T extends CmEvent> T hear(Class<T> kind, Consumer<CmConnection> of) {
    until(() -> !heard.isEmpty(), kind.getSimpleName());
    Heard next = heard.remove();
    of.accept(next.connection);
    return assertInstanceOf(kind, next.event);
  }

  @Test
  @DisplayName("as recorded: the passive side begins with the starting PSN 8c6e41 of the REQ")
  void recorded() {
    assertEquals(passivePsn, requestPsn);
    assertEquals(activePsn, replyPsn);
    assertEquals(0x8c6e41, passivePsn);
    assertEquals(0x2afe43, activePsn);
  }

  /** A datagram, and meanwhile ours asks for a connection. */
  private CmEvent.Requested asked(AtomicReference<CmConnection> connection) {
    Outgoing packet = new Outgoing().set(IP, MemorySegment.ofArray(new byte[100]), 0, 100);
    ours.link.unicast(theirs, packet);
    return hear(CmEvent.Requested.class, connection::set);
  }

  @Test
  @DisplayName("active side: packets pass both ways with the PSN of the recorded REP")
  void active() {
    AtomicReference<CmConnection> connection = new AtomicReference<>();
    CmEvent.Requested req = asked(connection);
    CmEndpoint us = req.peer();
    ready(req.path().mtu(), us.qpn(), activePsn, us.startingPsn());
    connection.get().accept(CmEndpoint.of(qp.qpn(), replyPsn), data());
    hear(CmEvent.Established.class, c -> assertEquals(connection.get(), c));
    talk();
  }

  @Test
  @DisplayName("passive side: packets pass both ways with the PSN of the recorded REQ")
  void passive() {
    AtomicReference<CmConnection> crossing = new AtomicReference<>();
    asked(crossing); // so that ours sends by their connection too
    LinkAddress us = ours.link.state().address();
    CmConnection theirOwn =
        peer.connect(
            Connected.linuxServiceId(us.qpn()),
            CmPath.inSubnet(device, 1, ourLid(), us.gid()),
            CmEndpoint.of(qp.qpn(), requestPsn),
            CmTerms.DEFAULT,
            data(),
            (c, event) -> heard.add(new Heard(c, event)));
    CmEndpoint end = hear(CmEvent.Replied.class, c -> assertEquals(theirOwn, c)).peer();
    ready(device.port(1).activeMtu(), end.qpn(), passivePsn, end.startingPsn());
    theirOwn.ready(new byte[0]);
    crossing.get().reject(CmConnection.CONSUMER_REJECT, new byte[0], data());
    talk();
  }

  private byte[] data() {
    return new Connected(theirs.qpn(), Connected.LINUX_RECEIVE_MTU).toBytes();
  }

  private int ourLid() {
    return leases.getFirst().device().queryPort(1).lid();
  }
}
