package ib.core.internal.mad;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.mad.Mad;
import ib.core.mad.MadMethod;
import ib.core.mad.MadReceived;
import ib.core.mad.MadRegistration;
import ib.core.mad.MadSource;
import ib.core.mad.MgmtClass;
import ib.core.mad.RmppStatus;
import ib.core.mad.smp.Smp;
import ib.core.verbs.AhAttr;
import ib.core.verbs.Gid;
import ib.core.verbs.GlobalRoute;
import ib.core.wire.RmppHeader;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName(
    "Bad input: a port counts and reports what it refuses, with the source; RMPP has an end")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class MadRefusalsTest {
  private static final MadSource STRANGER = stranger(7);
  private static final int LINGER_MS = 10_000;
  private static final int RECEIVE_MS = 40_000;

  private final VirtualWorld world = new VirtualWorld();
  private final Net net = new Net(world, 1, 2);
  private final List<MadReceived> heard = new ArrayList<>();

  private static MadSource stranger(int lid) {
    return new MadSource(1, false, lid, 0, 33, 0, AhAttr.ofLid(1, lid, 0));
  }

  private void serve() {
    net.agent(2, MadRegistration.sa(MadMethod.GET_MULTI), (a, r) -> heard.add(r));
  }

  private void arrive(Mad mad, MadSource from) {
    net.ports.get(1).arrived(1, mad, from);
  }

  /** A segment of the request of a stranger's message. */
  private static Mad segment(long tid, int number, int flags) {
    Mad mad = Mad.request(MgmtClass.SUBN_ADM, 2, MadMethod.GET_MULTI, 0x35, 0);
    mad.header().transactionId(tid);
    return segment(mad, number, flags);
  }

  private static Mad segment(Mad mad, int number, int flags) {
    RmppHeader h = mad.rmpp();
    h.rmppVersion(RmppHeader.VERSION);
    h.rmppType(RmppHeader.TYPE_DATA);
    h.rmppFlags(RmppHeader.FLAG_ACTIVE | flags | (number == 1 ? RmppHeader.FLAG_FIRST : 0));
    h.segmentNumber(number);
    h.payloadLength(Rmpp.SEGMENT_PAYLOAD);
    return mad;
  }

  /** Sends the first segments of a message, whose end does not come. */
  private void begin(long tid, int count) {
    for (int i = 1; i <= count; i++) {
      arrive(segment(tid, i, 0), STRANGER);
      if (i % 1000 == 0 || i == count) {
        world.runMs(0);
      }
    }
  }

  private List<Mad> stops() {
    return net.sent.stream()
        .filter(m -> Rmpp.active(m) && m.rmpp().rmppType() == RmppHeader.TYPE_STOP)
        .toList();
  }

  /** Checks that a request of another port still gets a response. */
  private void assertServed() {
    int before = heard.size();
    Mad ask = Mad.request(MgmtClass.SUBN_ADM, 2, MadMethod.GET_MULTI, 0x35, 0);
    Agent client = net.agent(1, MadRegistration.sa(), (a, r) -> {});
    client.query(ask.withData(MemorySegment.ofArray(new byte[300])), Net.to(2), 10, 0);
    world.runMs(5);
    assertEquals(1, heard.size() - before);
  }

  static Stream<Arguments> bad() {
    Mad version = Mad.request(0x09, 1, MadMethod.GET, 1, 0);
    version.header().baseVersion(2);
    Mad passing = Mad.request(MgmtClass.SUBN_DIRECTED_ROUTE, 1, MadMethod.GET, 0x11, 0);
    Smp.HOP_COUNT.set(passing.bytes(), 2);
    Smp.HOP_POINTER.set(passing.bytes(), 1);
    Smp.initialPath(passing.bytes(), 1, 1);
    Mad rmpp = segment(1, 1, 0);
    rmpp.rmpp().rmppVersion(3);
    Mad type = segment(1, 1, 0);
    type.rmpp().rmppType(9);
    Mad window = segment(1, 1, 0);
    window.rmpp().rmppFlags(RmppHeader.FLAG_ACTIVE);
    return Stream.of(
        Arguments.of(1, version, Counter.MALFORMED, "a header that is no MAD's"),
        Arguments.of(
            0,
            Mad.request(0x09, 1, MadMethod.GET, 1, 0),
            Counter.MALFORMED,
            "a class of the other special queue pair"),
        Arguments.of(
            0, passing, Counter.UNROUTED, "a directed route that does not end at the port"),
        Arguments.of(1, rmpp, Counter.MALFORMED, "a version of RMPP that is not 1"),
        Arguments.of(1, type, Counter.MALFORMED, "a type of RMPP that there is not"),
        Arguments.of(1, window, Counter.MALFORMED, "a segment of RMPP outside of the window"));
  }

  @Test
  @DisplayName("a flood: a port queues so many datagrams, counts the rest, and serves afterwards")
  void floodOfThePort() {
    serve();
    Mad mad = Mad.request(0x09, 1, MadMethod.GET, 1, 0);
    int over = 100;
    for (int i = 0; i < SerialQueue.MAX_STRANGERS + over; i++) {
      arrive(mad, STRANGER); // nothing runs meanwhile
    }
    world.runMs(0);
    assertEquals(over, net.ports.get(1).counters.of(Counter.NO_ROOM));
    assertServed();
  }

  @Test
  @DisplayName("figure F4: what a port sends itself takes no place of the datagrams that arrive")
  void ownSends() {
    serve();
    Agent sender = net.agent(2, MadRegistration.sa(), (a, r) -> {});
    Mad mine = Mad.request(0x09, 1, MadMethod.GET, 1, 0);
    for (int i = 0; i < 2 * SerialQueue.MAX_STRANGERS; i++) {
      sender.send(mine, Net.to(1)); // nothing runs meanwhile
    }
    arrive(Mad.request(MgmtClass.SUBN_ADM, 2, MadMethod.GET_MULTI, 0x35, 0), STRANGER);
    world.runMs(0);
    assertEquals(0, net.ports.get(1).counters.of(Counter.NO_ROOM));
    assertEquals(1, heard.size());
  }

  @Test
  @DisplayName("a flood: an agent that is slow queues so many requests; the rest is counted")
  void floodOfAnAgent() {
    Agent slow = net.agent(2, MadRegistration.sa(MadMethod.GET_MULTI), (a, r) -> heard.add(r));
    Mad mad = Mad.request(MgmtClass.SUBN_ADM, 2, MadMethod.GET_MULTI, 0x35, 0);
    int over = 100;
    for (int i = 0; i < SerialQueue.MAX_STRANGERS + over; i++) {
      slow.deliver(new MadReceived(mad, STRANGER));
    }
    world.runMs(0);
    assertEquals(SerialQueue.MAX_STRANGERS, heard.size());
    assertEquals(over, net.ports.get(1).counters.of(Counter.NO_ROOM));
    assertServed();
  }

  @ParameterizedTest
  @MethodSource("bad")
  @DisplayName(
      "a bad datagram is counted, and reported once with reason and source; nothing is thrown")
  void told(int qpn, Mad mad, Counter counter, String reason) {
    serve();
    for (int i = 0; i < 3; i++) {
      net.ports.get(1).arrived(qpn, mad.copy(), STRANGER);
    }
    world.runMs(1);
    assertEquals(3, net.count(2, counter));
    assertEquals(
        List.of(
            "management datagrams refused: " + reason + ", from LID 7, queue pair 33, at net2/1"),
        net.lines);
  }

  @Test
  @DisplayName("the source of a bad datagram with a global route is its GID")
  void global() {
    Gid gid = Gid.parse("fe80::7");
    Mad bad = Mad.request(0x09, 1, MadMethod.GET, 1, 0);
    bad.header().baseVersion(2);
    AhAttr back = AhAttr.ofGid(1, GlobalRoute.to(gid, 0));
    arrive(bad, new MadSource(1, false, 0, 0, 33, 0, back));
    world.runMs(1);
    assertEquals(
        List.of(
            "management datagrams refused: a header that is no MAD's, from "
                + gid
                + ", queue pair 33, at net2/1"),
        net.lines);
  }

  @Test
  @DisplayName("as many messages are received at once as the bound allows, the next gets STOP 1")
  void messages() {
    serve();
    for (int i = 0; i < 2 * Receives.MAX_MESSAGES; i++) {
      begin(i, 1);
    }
    assertEquals(Receives.MAX_MESSAGES, net.count(2, Counter.RMPP_NO_ROOM));
    assertEquals(Receives.MAX_MESSAGES, stops().size());
    assertEquals(RmppStatus.RESOURCES_EXHAUSTED.value(), stops().getFirst().rmpp().rmppStatus());
    assertEquals(
        List.of(
            "management datagrams refused: a message by RMPP that there is no room for,"
                + " from LID 7, queue pair 33, at net2/1"),
        net.lines);
    world.runMs(RECEIVE_MS);
    assertServed();
  }

  @Test
  @DisplayName("messages that have arrived and are remembered make room for new ones")
  void remembered() {
    serve();
    int count = 3 * Receives.MAX_MESSAGES;
    for (int i = 0; i < count; i++) {
      arrive(segment(i, 1, RmppHeader.FLAG_LAST), STRANGER);
      world.runMs(0);
    }
    assertEquals(count, heard.size());
    assertEquals(0, net.count(2, Counter.RMPP_NO_ROOM));
    arrive(segment(0, 1, RmppHeader.FLAG_LAST), STRANGER);
    arrive(segment(count - 1, 1, RmppHeader.FLAG_LAST), STRANGER);
    world.runMs(1);
    assertEquals(1, net.count(2, Counter.RMPP_DUPLICATES), "the newest is remembered");
    assertEquals(count + 1, heard.size(), "the oldest is not");
    world.runMs(LINGER_MS);
    assertTrue(world.idle());
  }

  @Test
  @DisplayName("all messages together keep as many segments as the bound says, and give them back")
  void segments() {
    serve();
    begin(1, 1);
    for (int message = 1; message <= 3; message++) {
      begin(message, Rmpp.MAX_SEGMENTS - 1);
    }
    assertEquals(1, net.count(2, Counter.RMPP_NO_ROOM), "of the third, which is given up");
    assertEquals(1, stops().size());
    assertServed();
    world.runMs(RECEIVE_MS);
    begin(4, Rmpp.MAX_SEGMENTS - 1);
    begin(5, Rmpp.MAX_SEGMENTS - 1);
    assertEquals(1, net.count(2, Counter.RMPP_NO_ROOM), "the first two have given theirs back");
  }

  private static Mad ack(long tid, int number) {
    Mad mad = Rmpp.control(segment(tid, 1, 0), false, RmppHeader.TYPE_ACK, RmppStatus.NORMAL, 0, 9);
    mad.rmpp().segmentNumber(number);
    return mad;
  }

  @Test
  @DisplayName("what fits no message is late: a segment from its middle, an ACK of its data")
  void late() {
    serve();
    arrive(segment(1, 2, 0), STRANGER);
    world.runMs(0);
    assertEquals(1, net.count(2, Counter.LATE));
    assertTrue(world.idle(), "no message has begun");
    begin(2, 1);
    arrive(ack(2, 3), STRANGER);
    world.runMs(0);
    assertEquals(2, net.count(2, Counter.LATE));
    arrive(ack(2, 0), STRANGER);
    world.runMs(0);
    assertEquals(2, net.count(2, Counter.LATE), "the sender waits for the answer");
    assertEquals(0, net.count(2, Counter.MALFORMED));
  }

  @Test
  @DisplayName("a message that was forgotten is one more when it comes again")
  void forgotten() {
    serve();
    for (int i = 1; i <= 2; i++) {
      arrive(segment(1, 1, RmppHeader.FLAG_LAST), STRANGER);
      world.runMs(LINGER_MS);
      assertEquals(i, heard.size());
    }
  }

  @Test
  @DisplayName("an answer by RMPP that has begun has its own time, not that of its request")
  void slowAnswer() {
    Agent client = net.agent(1, MadRegistration.sa(), (a, r) -> {});
    Mad ask = Mad.request(MgmtClass.SUBN_ADM, 2, MadMethod.GET_TABLE, 0x35, 0);
    CompletableFuture<MadReceived> answer = client.query(ask, Net.to(7), 10, 0);
    world.runMs(1);
    for (int i = 1; i <= 2; i++) {
      int last = i == 2 ? RmppHeader.FLAG_LAST : 0;
      Mad part = segment(net.sent.getFirst().response(0), i, last);
      net.ports.getFirst().arrived(1, part, STRANGER);
      world.runMs(100);
    }
    assertEquals(400, answer.join().mad().data().byteSize());
    assertEquals(0, net.count(1, Counter.TIMEOUTS));
  }
}
