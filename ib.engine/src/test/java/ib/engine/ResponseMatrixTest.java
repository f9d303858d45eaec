package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.PostStatus;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import ib.core.verbs.WrOpcode;
import ib.core.wire.BthOpcode;
import ib.engine.qp.HcaConfig;
import ib.engine.time.VirtualClock;
import ib.engine.wire.Packet;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The reaction of a requester to a response. A response that completes no request must not change
 * any state: the true response, which arrives afterwards, completes the request, with its data.
 */
@DisplayName("issue 3, section 1: the reaction of a requester to responses")
class ResponseMatrixTest {
  private static final int PSN = 0xfffffe;
  private static final long OLD = 0x1111111111111111L;

  private final VirtualClock clock = new VirtualClock();
  private final Rig rig = new Rig(clock, false, HcaConfig.of(0x10, 0x11), HcaConfig.of(0x20, 0x21));
  private Forge forge;

  @AfterEach
  void close() {
    rig.close();
  }

  /**
   * One row: the request, what is answered, and its status or, when null, the counter that moves.
   */
  private record Row(
      WrOpcode request,
      String text,
      @Nullable WcStatus status,
      @Nullable String counter,
      Consumer<ResponseMatrixTest> answer) {
    @Override
    public String toString() {
      return request + ": " + text;
    }
  }

  private static Row fails(WrOpcode op, int nak, WcStatus status) {
    String text = "NAK %02x is %s".formatted(nak, status);
    return new Row(op, text, status, null, t -> t.ack(0, nak));
  }

  private static Row nothing(
      WrOpcode op, String text, String counter, Consumer<ResponseMatrixTest> answer) {
    return new Row(op, text + " completes nothing", null, counter, answer);
  }

  private static Stream<Row> rows() {
    return Stream.of(naks(), ghosts(), wrongKind(), badData()).flatMap(List::stream);
  }

  private static List<Row> naks() {
    return Stream.of(
            WrOpcode.SEND, WrOpcode.RDMA_WRITE, WrOpcode.RDMA_READ, WrOpcode.ATOMIC_FETCH_AND_ADD)
        .flatMap(
            op ->
                Stream.of(
                    fails(op, 0x61, WcStatus.REM_INV_REQ_ERR),
                    fails(op, 0x62, WcStatus.REM_ACCESS_ERR),
                    fails(op, 0x63, WcStatus.REM_OP_ERR),
                    fails(op, 0x64, WcStatus.REM_OP_ERR),
                    nothing(op, "reserved syndrome 40", "drop_syndrome", t -> t.ack(0, 0x40)),
                    nothing(op, "reserved syndrome 5f", "drop_syndrome", t -> t.ack(0, 0x5f)),
                    nothing(op, "reserved syndrome 9f", "drop_syndrome", t -> t.ack(0, 0x9f))))
        .toList();
  }

  private static List<Row> ghosts() {
    return Stream.of(WrOpcode.SEND, WrOpcode.RDMA_READ, WrOpcode.ATOMIC_FETCH_AND_ADD)
        .flatMap(
            op ->
                Stream.of(
                    nothing(op, "ghost ACK, PSN + 50", "drop_ack_psn", t -> t.ack(50, 0x1f)),
                    nothing(op, "ghost ACK, the next PSN", "drop_ack_psn", t -> t.ack(1, 0x1f)),
                    nothing(op, "ghost NAK, PSN + 50", "drop_ack_psn", t -> t.ack(50, 0x62)),
                    nothing(op, "ghost RNR NAK", "drop_ack_psn", t -> t.ack(2, 0x21)),
                    nothing(op, "old ACK", "drop_ack_psn", t -> t.ack(-1, 0x1f)),
                    nothing(op, "old NAK", "drop_ack_psn", t -> t.ack(-1, 0x62))))
        .toList();
  }

  private static List<Row> wrongKind() {
    return List.of(
        nothing(WrOpcode.RDMA_READ, "plain ACK at its PSN", null, t -> t.ack(0, 0x1f)),
        nothing(WrOpcode.ATOMIC_FETCH_AND_ADD, "plain ACK at its PSN", null, t -> t.ack(0, 0x1f)),
        nothing(WrOpcode.ATOMIC_WRITE, "plain ACK at its PSN", null, t -> t.ack(0, 0x1f)),
        nothing(
            WrOpcode.RDMA_READ,
            "ATOMIC ACK at its PSN",
            "drop_response",
            t -> t.answer(BthOpcode.RC_ATOMIC_ACKNOWLEDGE, 0)),
        nothing(
            WrOpcode.ATOMIC_FETCH_AND_ADD,
            "READ RESPONSE at its PSN",
            "drop_response",
            t -> t.answer(BthOpcode.RC_RDMA_READ_RESPONSE_ONLY, 8)),
        nothing(
            WrOpcode.SEND,
            "READ RESPONSE at its PSN",
            "drop_response",
            t -> t.answer(BthOpcode.RC_RDMA_READ_RESPONSE_ONLY, 8)),
        nothing(
            WrOpcode.RDMA_WRITE,
            "ATOMIC ACK at its PSN",
            "drop_response",
            t -> t.answer(BthOpcode.RC_ATOMIC_ACKNOWLEDGE, 0)));
  }

  private static List<Row> badData() {
    return List.of(
        bad("more data than asked for", BthOpcode.RC_RDMA_READ_RESPONSE_ONLY, 9),
        bad("less data than asked for", BthOpcode.RC_RDMA_READ_RESPONSE_ONLY, 7),
        bad("no data", BthOpcode.RC_RDMA_READ_RESPONSE_ONLY, 0),
        bad("FIRST, though one packet is all", BthOpcode.RC_RDMA_READ_RESPONSE_FIRST, 1024),
        new Row(
            WrOpcode.ATOMIC_WRITE,
            "an answer with data is BAD_RESP_ERR",
            WcStatus.BAD_RESP_ERR,
            null,
            t -> t.answer(BthOpcode.RC_RDMA_READ_RESPONSE_ONLY, 8)));
  }

  private static Row bad(String what, BthOpcode opcode, int bytes) {
    String text = what + " is BAD_RESP_ERR";
    return new Row(
        WrOpcode.RDMA_READ, text, WcStatus.BAD_RESP_ERR, null, t -> t.answer(opcode, bytes));
  }

  private void ack(int offset, int syndrome) {
    Packet p = forge.packet(BthOpcode.RC_ACKNOWLEDGE, PSN + offset, 0);
    p.syndrome = syndrome;
    forge.arrive(p);
  }

  private void answer(BthOpcode opcode, int bytes) {
    Packet p = forge.packet(opcode, PSN, bytes);
    p.syndrome = 0x1f;
    p.swapAdd = 0;
    forge.arrive(p);
  }

  private void truth(WrOpcode request) {
    switch (request) {
      case RDMA_READ -> answer(BthOpcode.RC_RDMA_READ_RESPONSE_ONLY, 8);
      case ATOMIC_WRITE -> answer(BthOpcode.RC_RDMA_READ_RESPONSE_ONLY, 0);
      case ATOMIC_FETCH_AND_ADD -> answer(BthOpcode.RC_ATOMIC_ACKNOWLEDGE, 0);
      default -> ack(0, 0x1f);
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("rows")
  @DisplayName("row by row")
  void answered(Row row) {
    rig.connect(QpType.RC, 16, 14, 7, 7);
    Rig.Side a = rig.a();
    forge = new Forge(rig, a, rig.b());
    a.mr.segment().set(ValueLayout.JAVA_LONG, 0, OLD);
    a.mr.segment().set(ValueLayout.JAVA_LONG, 8, OLD);
    SendWr wr = new SendWr(1).wrId(1).opcode(row.request).flags(SendFlags.SIGNALED);
    wr.rkey(rig.b().mr.rkey()).remoteAddr(rig.b().mr.iova());
    if (row.request != WrOpcode.ATOMIC_WRITE) {
      wr.addSge(a.mr.lkey(), a.mr.iova(), 8);
    }
    assertEquals(PostStatus.OK, a.qp.postSend(wr));
    row.answer.accept(this);
    if (row.status == null) {
      String counter = row.counter;
      if (counter != null) {
        assertTrue(a.hca.counters(1).get(counter) >= 1, () -> counter + a.hca.counters(1));
      }
      Rig.assertEmpty(a.sendCq);
      assertEquals(QpState.RTS, a.qp.state());
      assertEquals(OLD, a.mr.segment().get(ValueLayout.JAVA_LONG, 0));
      truth(row.request);
    }
    WorkCompletion wc = Rig.next(a.sendCq);
    assertEquals(row.status == null ? WcStatus.SUCCESS : row.status, wc.status());
    assertEquals(1, wc.wrId());
    boolean fetched =
        wc.status() == WcStatus.SUCCESS
            && (row.request == WrOpcode.RDMA_READ || row.request == WrOpcode.ATOMIC_FETCH_AND_ADD);
    assertEquals(fetched ? 0 : OLD, a.mr.segment().get(ValueLayout.JAVA_LONG, 0), "the data");
    assertEquals(OLD, a.mr.segment().get(ValueLayout.JAVA_LONG, 8));
    assertEquals(row.status == null ? QpState.RTS : QpState.ERR, a.qp.state());
    Rig.assertEmpty(a.sendCq);
  }

  @Test
  @DisplayName("what was acknowledged while the requester waited to send again is not sent again")
  void acknowledgedMeanwhile() {
    rig.connect(QpType.RC, 16, 14, 7, 7);
    Rig.Side a = rig.a();
    forge = new Forge(rig, a, rig.b());
    SendWr wr = new SendWr(1).wrId(1).opcode(WrOpcode.RDMA_WRITE).flags(SendFlags.SIGNALED);
    wr.rkey(rig.b().mr.rkey()).remoteAddr(rig.b().mr.iova());
    assertEquals(PostStatus.OK, a.qp.postSend(wr.addSge(a.mr.lkey(), a.mr.iova(), 4 * 1024)));
    assertEquals(4, forge.answers.size());
    forge.answers.clear();
    ack(0, 0x21); // send again, after 0.01 ms
    ack(1, 0x1f); // of the first time: two of the four have arrived
    assertEquals(0, forge.answers.size());
    clock.advance(20_000);
    rig.settle();
    List<Integer> again = forge.answers.stream().map(Forge.Answer::psn).toList();
    assertEquals(List.of(PSN + 2 & 0xffffff, PSN + 3 & 0xffffff), again);
    ack(3, 0x1f);
    assertEquals(WcStatus.SUCCESS, Rig.next(a.sendCq).status());
  }

  /** A packet is refused for want of a receive, and the one behind it for its number. */
  @ParameterizedTest(name = "{0}")
  @ValueSource(booleans = {false, true})
  @DisplayName("Linux says what is missing behind each RNR NAK, which is no loss")
  void sequenceErrorBehindNotReady(boolean late) {
    rig.connect(QpType.RC, 16, 14, 1, 7); // one retry, and as many RNR retries as it takes
    Rig.Side a = rig.a();
    forge = new Forge(rig, a, rig.b());
    for (int i = 0; i < 3; i++) {
      SendWr wr = new SendWr(1).wrId(i).opcode(WrOpcode.SEND).flags(SendFlags.SIGNALED);
      assertEquals(PostStatus.OK, a.qp.postSend(wr.addSge(a.mr.lkey(), a.mr.iova(), 8)));
    }
    rig.settle();
    for (int round = 1; round <= 20; round++) {
      ack(0, 0x21); // send again, after 0.01 ms
      forge.answers.clear();
      if (late) {
        clock.advance(20_000);
        rig.settle();
      }
      ack(0, 0x60); // the second of the time before
      Rig.assertEmpty(a.sendCq);
      if (!late) {
        assertEquals(0, forge.answers.size(), "sent before it was time");
        clock.advance(20_000);
        rig.settle();
        assertEquals(3, forge.answers.size());
      }
    }
    assertEquals(20L, a.hca.counters(1).get("rcvd_rnr_err"));
    assertEquals(20L, a.hca.counters(1).get("rcvd_seq_err"));
    assertEquals(late ? 40L : 20L, a.hca.counters(1).get("completer_retry_err"));
    ack(2, 0x1f);
    for (int i = 0; i < 3; i++) {
      assertEquals(WcStatus.SUCCESS, Rig.next(a.sendCq).status());
    }
  }
}
