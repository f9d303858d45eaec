package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.core.verbs.EventType;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.WcStatus;
import ib.core.wire.BthOpcode;
import ib.engine.Forge.Answer;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each row with the specification's answer: one NAK with the PSN expected and the MSN unchanged,
 * the error state, its event, the status of the receive in hand, no byte written; then silence.
 */
@DisplayName("issue 3, section 1: the responses of a responder to errors")
class AnswerMatrixTest {
  private static final int PSN = 0xfffffe;
  private static final int MTU = 1024;
  private static final int INVALID = 0x61;
  private static final int ACCESS = 0x62;
  private static final int OPERATION = 0x63;
  private static final long UNTOUCHED = 0x1111111111111111L;

  private final Rig rig =
      new Rig(new VirtualClock(), false, HcaConfig.of(0x10, 0x11), HcaConfig.of(0x20, 0x21));
  private Forge forge;
  private int good; // packets of the row that are in order, before the bad one

  @AfterEach
  void close() {
    rig.close();
  }

  /** One row: its text, the NAK, what becomes of the receive, the event, and the packets. */
  private record Row(
      String text,
      int nak,
      WcStatus receive,
      @Nullable EventType event,
      Consumer<AnswerMatrixTest> packets) {
    Row with(WcStatus status) {
      return new Row(text, nak, status, event, packets);
    }

    @Override
    public String toString() {
      return text;
    }
  }

  private static Row access(String text, Consumer<AnswerMatrixTest> packets) {
    return new Row(text, ACCESS, WcStatus.WR_FLUSH_ERR, EventType.QP_ACCESS_ERR, packets);
  }

  private static Row invalid(String text, Consumer<AnswerMatrixTest> packets) {
    return new Row(text, INVALID, WcStatus.WR_FLUSH_ERR, EventType.QP_REQ_ERR, packets);
  }

  private static Stream<Row> rows() {
    return Stream.of(memory(), rights(), order(), lengths(), receives()).flatMap(List::stream);
  }

  private static List<Row> memory() {
    return List.of(
        access("bad rkey, WRITE", t -> t.change(BthOpcode.RC_RDMA_WRITE_ONLY, 8, p -> p.rkey ^= 7)),
        access(
            "bad rkey, READ", t -> t.change(BthOpcode.RC_RDMA_READ_REQUEST, 0, p -> p.rkey ^= 7)),
        access("bad rkey, atomic", t -> t.change(BthOpcode.RC_FETCH_ADD, 0, p -> p.rkey ^= 7)),
        access(
            "bad rkey, ATOMIC WRITE",
            t -> t.change(BthOpcode.RC_ATOMIC_WRITE, 8, p -> p.rkey ^= 7)),
        access("bad rkey, FLUSH", t -> t.change(BthOpcode.RC_FLUSH, 0, p -> p.rkey ^= 7)),
        access(
            "out of bounds, WRITE: the last byte", t -> t.atEnd(BthOpcode.RC_RDMA_WRITE_ONLY, 8)),
        access(
            "out of bounds, READ: the last byte", t -> t.atEnd(BthOpcode.RC_RDMA_READ_REQUEST, 8)),
        access(
            "out of bounds, WRITE: one before",
            t -> t.change(BthOpcode.RC_RDMA_WRITE_ONLY, 8, p -> p.remoteAddress--)),
        access(
            "out of bounds, atomic",
            t -> t.change(BthOpcode.RC_COMPARE_SWAP, 0, p -> p.remoteAddress += 1 << 20)),
        access(
            "RETH.len 2^31, WRITE",
            t -> t.change(BthOpcode.RC_RDMA_WRITE_FIRST, MTU, p -> p.dmaLength = 0x80000000)),
        access(
            "RETH.len 2^31, READ",
            t -> t.change(BthOpcode.RC_RDMA_READ_REQUEST, 0, p -> p.dmaLength = 0x80000000)),
        access(
                "SEND_INV of an unknown rkey",
                t -> t.change(BthOpcode.RC_SEND_ONLY_INV, 8, p -> p.rkey ^= 0x700))
            .with(WcStatus.MW_BIND_ERR),
        access("SEND_INV of a normal region's rkey", t -> t.send(BthOpcode.RC_SEND_ONLY_INV, 8))
            .with(WcStatus.MW_BIND_ERR));
  }

  private static List<Row> rights() {
    return List.of(
        invalid(
            "no permission at the queue pair, WRITE",
            t -> t.forbidden(BthOpcode.RC_RDMA_WRITE_ONLY, 8)),
        invalid(
            "no permission at the queue pair, READ",
            t -> t.forbidden(BthOpcode.RC_RDMA_READ_REQUEST, 0)),
        invalid(
            "no permission at the queue pair, atomic", t -> t.forbidden(BthOpcode.RC_FETCH_ADD, 0)),
        invalid(
            "no permission at the queue pair, ATOMIC WRITE",
            t -> t.forbidden(BthOpcode.RC_ATOMIC_WRITE, 8)),
        invalid("no permission at the queue pair, FLUSH", t -> t.forbidden(BthOpcode.RC_FLUSH, 0)),
        invalid(
            "FLUSH to persistence, which is not offered",
            t -> t.change(BthOpcode.RC_FLUSH, 0, p -> p.feth = 2)),
        invalid(
            "READ when the responder has no resources for it",
            t -> {
              t.rig.b().qp.modify(new QpAttr().state(QpState.SQD));
              t.rig.b().qp.modify(new QpAttr().state(QpState.SQD).maxDestRdAtomic(0));
              t.send(BthOpcode.RC_RDMA_READ_REQUEST, 0);
            }));
  }

  private static List<Row> order() {
    return List.of(
        invalid("SEND MIDDLE without FIRST", t -> t.send(BthOpcode.RC_SEND_MIDDLE, MTU)),
        invalid("SEND LAST without FIRST", t -> t.send(BthOpcode.RC_SEND_LAST, 8)),
        invalid("WRITE MIDDLE without FIRST", t -> t.send(BthOpcode.RC_RDMA_WRITE_MIDDLE, MTU)),
        invalid("WRITE LAST without FIRST", t -> t.send(BthOpcode.RC_RDMA_WRITE_LAST, 8)),
        invalid(
            "SEND FIRST after SEND FIRST",
            t -> t.after(BthOpcode.RC_SEND_FIRST, BthOpcode.RC_SEND_FIRST, MTU)),
        invalid(
            "SEND ONLY after SEND FIRST",
            t -> t.after(BthOpcode.RC_SEND_FIRST, BthOpcode.RC_SEND_ONLY, 8)),
        invalid(
            "WRITE LAST after SEND FIRST",
            t -> t.after(BthOpcode.RC_SEND_FIRST, BthOpcode.RC_RDMA_WRITE_LAST, 8)),
        invalid(
            "READ after SEND FIRST",
            t -> t.after(BthOpcode.RC_SEND_FIRST, BthOpcode.RC_RDMA_READ_REQUEST, 0)),
        invalid(
            "atomic after SEND FIRST",
            t -> t.after(BthOpcode.RC_SEND_FIRST, BthOpcode.RC_FETCH_ADD, 0)),
        invalid(
            "misaligned CAS",
            t -> t.change(BthOpcode.RC_COMPARE_SWAP, 0, p -> p.remoteAddress += 4)),
        invalid("misaligned FAA", t -> t.change(BthOpcode.RC_FETCH_ADD, 0, p -> p.remoteAddress++)),
        invalid(
            "misaligned ATOMIC WRITE",
            t -> t.change(BthOpcode.RC_ATOMIC_WRITE, 8, p -> p.remoteAddress += 4)));
  }

  private static List<Row> lengths() {
    return List.of(
        invalid(
            "RETH len > payload, ONLY",
            t -> t.change(BthOpcode.RC_RDMA_WRITE_ONLY, 8, p -> p.dmaLength++)),
        invalid(
            "RETH len < payload, ONLY",
            t -> t.change(BthOpcode.RC_RDMA_WRITE_ONLY, 8, p -> p.dmaLength--)),
        invalid(
            "RETH len > payload, LAST",
            t -> t.write(2 * MTU + 9).send(BthOpcode.RC_RDMA_WRITE_LAST, 8)),
        invalid(
            "RETH len < payload, LAST",
            t -> t.write(MTU + 7).send(BthOpcode.RC_RDMA_WRITE_LAST, 8)),
        invalid(
            "RETH len < payload, MIDDLE",
            t -> t.write(MTU + 7).send(BthOpcode.RC_RDMA_WRITE_MIDDLE, MTU)),
        invalid("WRITE ONLY > PMTU", t -> t.send(BthOpcode.RC_RDMA_WRITE_ONLY, MTU + 1)),
        invalid(
            "WRITE FIRST < PMTU",
            t -> t.change(BthOpcode.RC_RDMA_WRITE_FIRST, 500, p -> p.dmaLength = 2 * MTU)),
        invalid(
            "WRITE FIRST > PMTU",
            t -> t.change(BthOpcode.RC_RDMA_WRITE_FIRST, MTU + 4, p -> p.dmaLength = 2 * MTU)),
        invalid("SEND FIRST < PMTU", t -> t.send(BthOpcode.RC_SEND_FIRST, 500)),
        invalid(
            "SEND MIDDLE < PMTU",
            t -> t.after(BthOpcode.RC_SEND_FIRST, BthOpcode.RC_SEND_MIDDLE, 500)),
        invalid(
            "SEND LAST > PMTU",
            t -> t.after(BthOpcode.RC_SEND_FIRST, BthOpcode.RC_SEND_LAST, MTU + 1)),
        invalid(
            "SEND LAST empty", t -> t.after(BthOpcode.RC_SEND_FIRST, BthOpcode.RC_SEND_LAST, 0)),
        invalid("SEND ONLY > PMTU", t -> t.send(BthOpcode.RC_SEND_ONLY, MTU + 1)),
        invalid(
            "RETH.len 2^31 + 1, WRITE",
            t -> t.change(BthOpcode.RC_RDMA_WRITE_FIRST, MTU, p -> p.dmaLength = 0x80000001)),
        invalid(
            "RETH.len 2^31 + 1, READ",
            t -> t.change(BthOpcode.RC_RDMA_READ_REQUEST, 0, p -> p.dmaLength = 0x80000001)));
  }

  private static List<Row> receives() {
    return List.of(
        new Row(
            "SEND longer than the buffer, in its only packet",
            INVALID,
            WcStatus.LOC_LEN_ERR,
            null,
            t -> t.receive(7).send(BthOpcode.RC_SEND_ONLY, 8)),
        new Row(
            "SEND longer than the buffer, in its last packet",
            INVALID,
            WcStatus.LOC_LEN_ERR,
            null,
            t -> t.receive(MTU + 7).after(BthOpcode.RC_SEND_FIRST, BthOpcode.RC_SEND_LAST, 8)),
        new Row(
            "bad lkey in a receive request",
            OPERATION,
            WcStatus.LOC_PROT_ERR,
            null,
            t -> {
              Rig.Side b = t.rig.b();
              b.qp.postReceive(5, b.mr.rkey(), b.mr.iova(), 64);
              t.send(BthOpcode.RC_SEND_ONLY, 8);
            }));
  }

  private AnswerMatrixTest receive(int bytes) {
    Rig.Side b = rig.b();
    assertEquals(PostStatus.OK, b.qp.postReceive(5, b.mr.lkey(), b.mr.iova() + 65536, bytes));
    return this;
  }

  private void send(BthOpcode opcode, int payload) {
    change(opcode, payload, p -> {});
  }

  private void change(BthOpcode opcode, int payload, Consumer<Packet> how) {
    Packet p = forge.packet(opcode, PSN + good, payload);
    p.feth = 1; // global visibility
    p.swapAdd = 1;
    if (opcode == BthOpcode.RC_RDMA_READ_REQUEST || opcode == BthOpcode.RC_FLUSH) {
      p.dmaLength = 8;
    }
    how.accept(p);
    forge.arrive(p);
  }

  private void atEnd(BthOpcode opcode, int bytes) {
    int payload = opcode == BthOpcode.RC_RDMA_WRITE_ONLY ? bytes : 0;
    change(opcode, payload, p -> p.remoteAddress += rig.b().mr.length() - bytes + 1);
  }

  private void forbidden(BthOpcode opcode, int payload) {
    rig.b().qp.modify(new QpAttr().state(QpState.RTS).accessFlags(0));
    send(opcode, payload);
  }

  /** After the first packet of a message, which is as it must be. */
  private void after(BthOpcode first, BthOpcode then, int payload) {
    send(first, MTU);
    assertEquals(1, forge.answers.size());
    forge.answers.clear();
    good++;
    send(then, payload);
  }

  /** The first packet of a write that announces so many bytes. */
  private AnswerMatrixTest write(int announced) {
    // outside of what the row's check looks at
    change(
        BthOpcode.RC_RDMA_WRITE_FIRST,
        MTU,
        p -> {
          p.dmaLength = announced;
          p.remoteAddress += 8192;
        });
    assertEquals(1, forge.answers.size());
    forge.answers.clear();
    good++;
    return this;
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("rows")
  @DisplayName("row by row")
  void answer(Row row) {
    rig.connect(QpType.RC, 16, 14, 1, 0);
    Rig.Side b = rig.b();
    forge = new Forge(rig, b, rig.a());
    for (int i = 0; i < 4096; i += 8) {
      b.mr.segment().set(ValueLayout.JAVA_LONG, i, UNTOUCHED);
    }
    if (row.receive == WcStatus.WR_FLUSH_ERR || row.receive == WcStatus.MW_BIND_ERR) {
      receive(4096);
    }
    row.packets.accept(this);
    int expected = PSN + good & 0xffffff;
    assertEquals(List.of(new Answer(0x11, row.nak, expected, 0)), forge.answers);
    assertEquals(QpState.ERR, b.qp.state());
    EventType event = row.event;
    List<EventType> heard =
        b.device.events().stream()
            .map(e -> e.type())
            .filter(e -> e.name().endsWith("_ERR"))
            .toList();
    assertEquals(event == null ? List.of() : List.of(event), heard);
    assertEquals(row.receive, Rig.next(b.recvCq).status());
    Rig.assertEmpty(b.recvCq);
    for (int i = 0; i < 4096; i += 8) {
      assertEquals(UNTOUCHED, b.mr.segment().get(ValueLayout.JAVA_LONG, i), "no byte is written");
    }
    forge.answers.clear();
    change(BthOpcode.RC_RDMA_WRITE_ONLY, 8, p -> {});
    good++;
    change(BthOpcode.RC_RDMA_WRITE_ONLY, 8, p -> {});
    assertEquals(List.of(), forge.answers, "after an error: silence");
    assertEquals(UNTOUCHED, b.mr.segment().get(ValueLayout.JAVA_LONG, 0));
  }
}
