package ib.core.internal.mad;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.mad.Mad;
import ib.core.mad.MadMethod;
import ib.core.mad.MadReceived;
import ib.core.mad.MadRegistration;
import ib.core.mad.MgmtClass;
import ib.core.mad.RmppException;
import ib.core.mad.RmppStatus;
import ib.core.wire.RmppHeader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("M7 RMPP version 1 (IBA 13.6), in virtual time")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RmppTest {
  private static final int ROUNDS = Integer.getInteger("ib.rmpp.rounds", 400);

  private final VirtualWorld world = new VirtualWorld();

  private static Mad request(int method) {
    return Mad.request(MgmtClass.SUBN_ADM, 2, method, 0x35, 0);
  }

  private static byte[] data(Random random, int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  private static byte[] bytes(Mad mad) {
    return mad.data().toArray(ValueLayout.JAVA_BYTE);
  }

  private static void same(byte[] expected, Mad mad) {
    assertEquals(
        -1, MemorySegment.ofArray(expected).mismatch(mad.data()), expected.length + " bytes");
  }

  /** A server at LID 2 that answers GetTable with that, and GetMulti with what was asked, twice. */
  private static void serve(Net net, byte[] table) {
    net.agent(
        2,
        MadRegistration.sa(MadMethod.GET_TABLE, MadMethod.GET_MULTI),
        (agent, r) -> {
          byte[] answer = table;
          if (r.mad().header().method() == MadMethod.GET_MULTI) {
            byte[] asked = bytes(r.mad());
            answer = new byte[2 * asked.length];
            System.arraycopy(asked, 0, answer, 0, asked.length);
            System.arraycopy(asked, 0, answer, asked.length, asked.length);
          }
          agent.reply(r, r.mad().response(0).withData(MemorySegment.ofArray(answer)));
        });
  }

  private List<Mad> ofType(Net net, int type) {
    return net.sent.stream().filter(m -> Rmpp.active(m) && m.rmpp().rmppType() == type).toList();
  }

  @Test
  @DisplayName(
      "M7 every length of 0 to 1,000 bytes arrives as long as it was, in 200-byte segments")
  void lengths() {
    Random random = new Random(1);
    for (int length = 0; length <= 1000; length++) {
      Net net = new Net(world, length, 2);
      byte[] table = data(random, length);
      serve(net, table);
      Agent client = net.agent(1, MadRegistration.sa(), (a, r) -> {});
      CompletableFuture<MadReceived> answer =
          client.query(request(MadMethod.GET_TABLE), Net.to(2), 1000, 0);
      world.runMs(900);
      same(table, answer.join().mad());
      List<Mad> segments = ofType(net, RmppHeader.TYPE_DATA);
      assertEquals(Math.max(1, (length + 199) / 200), segments.size());
      RmppHeader first = segments.getFirst().rmpp();
      assertEquals(length + 20 * segments.size(), first.payloadLength(), "IBA 13.6.2.3");
      RmppHeader last = segments.getLast().rmpp();
      assertTrue((last.rmppFlags() & RmppHeader.FLAG_LAST) != 0);
      assertEquals(length - 200 * (segments.size() - 1) + 20, last.payloadLength());
    }
  }

  @Test
  @DisplayName("M7 nothing more is sent of a long request that is cancelled")
  void cancelled() {
    Net net = new Net(world, 1, 2);
    Agent client = net.agent(1, MadRegistration.sa(), (a, r) -> {});
    Mad ask = request(MadMethod.GET_MULTI).withData(MemorySegment.ofArray(new byte[1000]));
    CompletableFuture<MadReceived> answer = client.query(ask, Net.to(77), 100, 3);
    world.runMs(5);
    assertEquals(1, net.sent.size());
    answer.cancel(false);
    world.runMs(0);
    assertTrue(world.idle());
    assertEquals(1, net.sent.size());
  }

  @Test
  @DisplayName("M7 the check of what arrived notices one wrong byte")
  void canary() {
    Net net = new Net(world, 1, 2);
    byte[] table = data(new Random(1), 1000);
    serve(net, table);
    net.mixesUp = true;
    Agent client = net.agent(1, MadRegistration.sa(), (a, r) -> {});
    CompletableFuture<MadReceived> answer =
        client.query(request(MadMethod.GET_TABLE), Net.to(2), 1000, 0);
    world.runMs(900);
    assertThrows(AssertionError.class, () -> same(table, answer.join().mad()));
  }

  @Test
  @DisplayName("M7 IBA table 118: an unknown version or type is answered by ABORT 125 or 121, once")
  void notUnderstood() {
    Net net = new Net(world, 1, 2);
    serve(net, new byte[0]);
    Mad version = Rmpp.control(request(MadMethod.GET_MULTI), false, 1, RmppStatus.NORMAL, 1, 0);
    version.rmpp().rmppVersion(2);
    Mad type = Rmpp.control(request(MadMethod.GET_MULTI), false, 9, RmppStatus.NORMAL, 1, 0);
    Mad abort = Rmpp.control(version, false, 4, RmppStatus.NORMAL, 1, 0);
    abort.rmpp().rmppVersion(2);
    Mad stop = Rmpp.control(version, false, 3, RmppStatus.NORMAL, 1, 0);
    stop.rmpp().rmppVersion(2);
    for (Mad m : List.of(version, type, abort, stop)) {
      net.agent(1, MadRegistration.sender(ib.core.verbs.QpType.GSI), (a, r) -> {})
          .send(m, Net.to(2));
    }
    world.runMs(50);
    List<Integer> told =
        ofType(net, RmppHeader.TYPE_ABORT).stream()
            .filter(m -> m.header().response())
            .map(m -> m.rmpp().rmppStatus())
            .toList();
    assertEquals(List.of(125, 121), told);
  }

  @Test
  @DisplayName("M7 the window is 1 until the first acknowledgement, then 64 more than acknowledged")
  void window() {
    Net net = new Net(world, 7, 2);
    serve(net, new byte[200 * 150]);
    Agent client = net.agent(1, MadRegistration.sa(), (a, r) -> {});
    CompletableFuture<MadReceived> answer =
        client.query(request(MadMethod.GET_TABLE), Net.to(2), 1000, 0);
    world.runMs(100);
    assertEquals(200 * 150, answer.join().mad().data().byteSize());
    List<Integer> acked = new ArrayList<>();
    List<Integer> allowed = new ArrayList<>();
    for (Mad ack : ofType(net, RmppHeader.TYPE_ACK)) {
      acked.add(ack.rmpp().segmentNumber());
      allowed.add(ack.rmpp().newWindowLast());
    }
    assertEquals(List.of(1, 65, 129, 150), acked);
    assertEquals(List.of(65, 129, 193, 193), allowed);
    int most = 0;
    int window = 1;
    for (Mad m : net.sent) {
      if (Rmpp.active(m) && m.rmpp().rmppType() == RmppHeader.TYPE_DATA) {
        most = Math.max(most, m.rmpp().segmentNumber());
        assertTrue(most <= window, most + " sent, " + window + " allowed");
      } else if (Rmpp.active(m)) {
        window = m.rmpp().newWindowLast();
      }
    }
  }

  @Test
  @DisplayName(
      "M7 fuzz: loss, repetition and reordering up to 30 %: whole and right, or a typed failure")
  void fuzz() {
    int failures = 0;
    for (int round = 0; round < ROUNDS; round++) {
      Random random = new Random(round);
      Net net = new Net(world, round, 2);
      boolean multi = random.nextBoolean();
      byte[] asked = data(random, 1 + random.nextInt(20_000));
      byte[] table = data(random, random.nextInt(40_000));
      serve(net, table);
      Agent client = net.agent(1, MadRegistration.sa(), (a, r) -> {});
      net.loss = random.nextDouble() * 0.3;
      net.repeat = random.nextDouble() * 0.3;
      net.reorder = random.nextDouble() * 0.3;
      Mad request = request(multi ? MadMethod.GET_MULTI : MadMethod.GET_TABLE);
      CompletableFuture<MadReceived> answer =
          client.query(
              multi ? request.withData(MemorySegment.ofArray(asked)) : request, Net.to(2), 500, 20);
      world.runMs(200_000);
      assertTrue(answer.isDone(), "round " + round + " hangs");
      if (answer.isCompletedExceptionally()) {
        failures++;
        continue;
      }
      byte[] got = bytes(answer.join().mad());
      if (multi) {
        assertEquals(2 * asked.length, got.length, "round " + round);
        for (int i = 0; i < got.length; i++) {
          assertEquals(asked[i % asked.length], got[i], "round " + round);
        }
      } else {
        same(table, answer.join().mad());
      }
      assertTrue(world.idle(), "round " + round + ": a timer is left");
    }
    assertTrue(failures <= ROUNDS / 50, failures + " of " + ROUNDS + " were given up");
  }

  @Test
  @DisplayName("M7 double-sided: after the request the sender turns around with ACK of segment 0")
  void doubleSided() {
    Net net = new Net(world, 3, 2);
    serve(net, new byte[0]);
    Agent client = net.agent(1, MadRegistration.sa(), (a, r) -> {});
    Mad request = request(MadMethod.GET_MULTI).withData(MemorySegment.ofArray(new byte[5000]));
    CompletableFuture<MadReceived> answer = client.query(request, Net.to(2), 500, 3);
    world.runMs(100);
    assertEquals(10_000, answer.join().mad().data().byteSize());
    List<Mad> turns =
        ofType(net, RmppHeader.TYPE_ACK).stream()
            .filter(m -> m.rmpp().segmentNumber() == 0)
            .toList();
    assertEquals(1, turns.size());
    assertEquals(Rmpp.WINDOW, turns.getFirst().rmpp().newWindowLast());
  }

  @Test
  @DisplayName("M7 a peer that goes silent in the middle gets an ABORT with status 126")
  void silent() {
    Net net = new Net(world, 3, 2);
    List<Throwable> why = new ArrayList<>();
    net.agent(
        2,
        MadRegistration.sa(MadMethod.GET_TABLE),
        (agent, r) -> {
          net.loss = 1;
          agent
              .reply(r, r.mad().response(0).withData(MemorySegment.ofArray(new byte[1000])))
              .whenComplete((v, e) -> why.add(e));
        });
    Agent client = net.agent(1, MadRegistration.sa(), (a, r) -> {});
    client.query(request(MadMethod.GET_TABLE), Net.to(2), 100, 0);
    world.runMs(100_000);
    assertEquals(
        RmppStatus.TOO_MANY_RETRIES, ((RmppException) why.getFirst()).status(), why.toString());
    Mad abort = ofType(net, RmppHeader.TYPE_ABORT).getFirst();
    assertEquals(126, abort.rmpp().rmppStatus());
    assertTrue(world.idle());
  }

  @Test
  @DisplayName("M7 an ABORT of the peer ends the transfer with the peer's status")
  void aborted() {
    Net net = new Net(world, 3, 2);
    net.agent(
        2,
        MadRegistration.gsi(MgmtClass.SUBN_ADM, 2, MadMethod.GET_TABLE), // its own RMPP, by hand
        (agent, r) -> {
          Mad first = r.mad().response(0);
          RmppHeader h = first.rmpp();
          h.rmppVersion(1);
          h.rmppType(RmppHeader.TYPE_DATA);
          h.rmppFlags(RmppHeader.FLAG_ACTIVE | RmppHeader.FLAG_FIRST);
          h.segmentNumber(1);
          agent.send(first, Net.to(1));
          Mad abort =
              Rmpp.control(
                  first, false, RmppHeader.TYPE_ABORT, RmppStatus.TOTAL_TIME_TOO_LONG, 0, 0);
          agent.send(abort, Net.to(1));
        });
    Agent client = net.agent(1, MadRegistration.sa(), (a, r) -> {});
    CompletableFuture<MadReceived> answer =
        client.query(request(MadMethod.GET_TABLE), Net.to(2), 100, 0);
    world.runMs(50);
    CompletionException e = assertThrows(CompletionException.class, answer::join);
    assertEquals(RmppStatus.TOTAL_TIME_TOO_LONG, ((RmppException) e.getCause()).status());
  }

  @ParameterizedTest
  @CsvSource({
    "2, DATA, ACTIVE, UNSUPPORTED_VERSION",
    "1, 9, ACTIVE, BAD_TYPE",
    "2, ABORT, ACTIVE, UNSUPPORTED_VERSION",
    "1, ABORT, ACTIVE, TOTAL_TIME_TOO_LONG",
    "1, STOP, ACTIVE, TOTAL_TIME_TOO_LONG",
    "2, ABORT, 0, answer",
    "0, 9, 0, answer"
  })
  @DisplayName(
      "B7 an answer that is refused ends its request with that reason; without Active it is an answer")
  void refusedAnswer(int version, String type, String flags, String expected) {
    Net net = new Net(world, 3, 2);
    int[] asked = {0};
    net.agent(
        2,
        MadRegistration.gsi(MgmtClass.SUBN_ADM, 2, MadMethod.GET_TABLE), // its own RMPP, by hand
        (agent, r) -> {
          asked[0]++;
          Mad answer = r.mad().response(0);
          RmppHeader h = answer.rmpp();
          h.rmppVersion(version);
          h.rmppType(
              switch (type) {
                case "DATA" -> RmppHeader.TYPE_DATA;
                case "ABORT" -> RmppHeader.TYPE_ABORT;
                case "STOP" -> RmppHeader.TYPE_STOP;
                default -> Integer.parseInt(type);
              });
          h.rmppFlags(flags.equals("0") ? 0 : RmppHeader.FLAG_ACTIVE | RmppHeader.FLAG_FIRST);
          h.rmppStatus(RmppStatus.TOTAL_TIME_TOO_LONG.value());
          h.segmentNumber(1);
          agent.send(answer, Net.to(1));
        });
    Agent client = net.agent(1, MadRegistration.sa(), (a, r) -> {});
    CompletableFuture<MadReceived> answer =
        client.query(request(MadMethod.GET_TABLE), Net.to(2), 100, 3);
    world.runMs(1_000);
    assertEquals(1, asked[0], "it is not asked again");
    if (expected.equals("answer")) {
      assertEquals(0, answer.join().mad().header().status());
    } else {
      CompletionException e = assertThrows(CompletionException.class, answer::join);
      assertEquals(RmppStatus.valueOf(expected), ((RmppException) e.getCause()).status());
    }
    world.runMs(100_000);
    assertTrue(world.idle());
  }

  @Test
  @DisplayName("M7 the receiver gives up after 40 s, a lost last ACK is repeated for 10 s")
  void times() {
    Net net = new Net(world, 3, 2);
    serve(net, new byte[1000]);
    Agent client = net.agent(1, MadRegistration.sa(), (a, r) -> {});
    CompletableFuture<MadReceived> answer =
        client.query(request(MadMethod.GET_TABLE), Net.to(2), 100, 0);
    world.runMs(50);
    assertTrue(answer.isDone());
    Mad last = ofType(net, RmppHeader.TYPE_DATA).getLast();
    int acks = ofType(net, RmppHeader.TYPE_ACK).size();
    net.ports.getFirst().arrived(1, last.copy(), source());
    world.runMs(5_000);
    assertEquals(acks + 1, ofType(net, RmppHeader.TYPE_ACK).size());
    world.runMs(6_000);
    net.ports.getFirst().arrived(1, last.copy(), source());
    world.runMs(50);
    assertEquals(acks + 1, ofType(net, RmppHeader.TYPE_ACK).size(), "forgotten by now");
    assertEquals(1, net.count(1, Counter.LATE));
  }

  private static ib.core.mad.MadSource source() {
    return new ib.core.mad.MadSource(1, false, 2, 0, 1, 0, ib.core.verbs.AhAttr.ofLid(1, 2, 0));
  }
}
