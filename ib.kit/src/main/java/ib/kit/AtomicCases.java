package ib.kit;

import ib.core.verbs.Access;
import ib.core.verbs.Cap;
import ib.core.verbs.EventType;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.WcOpcode;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import ib.core.verbs.WrOpcode;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assertions;

/** Atomics and atomic write of reliable connections (IBA 9.4.5, 10.7.2.1). */
final class AtomicCases {
  private static final List<WrOpcode> ATOMICS =
      List.of(WrOpcode.ATOMIC_CMP_AND_SWP, WrOpcode.ATOMIC_FETCH_AND_ADD);
  private static final int PLACE = 512;

  /** Aims a request at something it may not touch. */
  @FunctionalInterface
  private interface Aim {
    void at(Trial t, Pair p, SendWr wr);
  }

  private AtomicCases() {}

  static void add(Catalogue c) {
    Catalogue.Section s =
        c.section("ATOM", 1, "atomics", Cap.RC, Cap.ATOMICS).shaped(AtomicCases::open);
    for (Form form : Form.values()) {
      s.pair(
          "compare and swap that hits, and its old value, " + form,
          (t, p) -> {
            set(p, 7);
            Assertions.assertEquals(7, one(p, form, swap(p, 7, 11)));
            Assertions.assertEquals(11, get(p));
          });
      s.pair(
          "compare and swap that misses changes nothing and tells the value, " + form,
          (t, p) -> {
            set(p, 7);
            Assertions.assertEquals(7, one(p, form, swap(p, 8, 11)));
            Assertions.assertEquals(7, get(p));
          });
      s.pair(
          "fetch and add, through the wrap of 64 bits, " + form,
          (t, p) -> {
            set(p, -2);
            Assertions.assertEquals(-2, one(p, form, add(p, 5)));
            Assertions.assertEquals(3, one(p, form, add(p, -4)));
            Assertions.assertEquals(-1, get(p));
          });
    }
    s.pair(
        "500 fetch and adds each from two queue pairs at once: the sum is exact", AtomicCases::sum);
    s.pair("atomics, reads and writes complete in order", AtomicCases::order);
    s.pair(
        "an unsignaled atomic brings its value, silently",
        (t, p) -> {
          set(p, 40);
          p.a.send(add(p, 2).flags(0).next(p.a.wr(WrOpcode.RDMA_WRITE, 9, 0, 8, p.b, 0)));
          Await.success(p.a.sendCq, 9);
          Assertions.assertEquals(40, p.a.mr.segment().get(ValueLayout.JAVA_LONG, 64));
          Await.empty(p.a.sendCq, "silent");
        });
    s = c.section("ATOM", 31, "errors: atomics", Cap.RC, Cap.ATOMICS).lossless();
    refused(s.shaped(AtomicCases::open));
    s = c.section("ATOM", 61, "atomic write", Cap.RC, Cap.ATOMIC_WRITE);
    write(s.shaped(AtomicCases::open));
  }

  private static Shape open(Shape shape) {
    return shape.access(Shape.ALL | Access.REMOTE_ATOMIC);
  }

  private static void set(Pair p, long value) {
    p.b.mr.segment().set(ValueLayout.JAVA_LONG, PLACE, value);
  }

  private static long get(Pair p) {
    return p.b.mr.segment().get(ValueLayout.JAVA_LONG, PLACE);
  }

  private static SendWr wr(Pair p, WrOpcode op) {
    return p.a.wr(op, 1, 64, 8, p.b, PLACE);
  }

  private static SendWr swap(Pair p, long compare, long swap) {
    return wr(p, WrOpcode.ATOMIC_CMP_AND_SWP).compareAdd(compare).swap(swap);
  }

  private static SendWr add(Pair p, long value) {
    return wr(p, WrOpcode.ATOMIC_FETCH_AND_ADD).compareAdd(value);
  }

  /** Executes it; returns the old value. */
  private static long one(Pair p, Form form, SendWr wr) {
    Assertions.assertEquals(PostStatus.OK, form.post(p.a.qp, wr));
    WorkCompletion wc = Await.success(p.a.sendCq, 1);
    WcOpcode expected =
        wr.opcode() == WrOpcode.ATOMIC_CMP_AND_SWP ? WcOpcode.COMP_SWAP : WcOpcode.FETCH_ADD;
    Assertions.assertEquals(expected, wc.opcode(), wc::toString);
    Assertions.assertEquals(8, wc.byteLen(), wc::toString);
    return p.a.mr.segment().get(ValueLayout.JAVA_LONG, 64);
  }

  private static void sum(Trial t, Pair p) {
    Pair q = t.pair(p.a.shape);
    SendWr other = q.a.wr(WrOpcode.ATOMIC_FETCH_AND_ADD, 1, 64, 8, p.b, PLACE).compareAdd(1_000);
    End second = p.b.with(t.later(p.b.pd.createQp(p.b.init())));
    End from = q.a.with(t.later(q.a.pd.createQp(q.a.init())));
    new Pair(from, second).connect(t.bench); // the same memory, by another way
    int count = t.bench.lossless() ? 500 : 60;
    set(p, 0);
    Thread thread = Thread.ofPlatform().name("ib.kit adder").start(() -> adds(from, other, count));
    adds(p.a, add(p, 1), count);
    Await.end(thread);
    Assertions.assertEquals(count + count * 1_000L, get(p), "each is executed once");
  }

  private static void adds(End from, SendWr wr, int count) {
    for (int i = 0; i < count; i++) {
      from.send(wr.wrId(i));
      Await.success(from.sendCq, i);
    }
  }

  private static void order(Trial t, Pair p) {
    set(p, 0);
    SendWr read = p.a.wr(WrOpcode.RDMA_READ, 4, 128, 8, p.b, PLACE);
    SendWr add = add(p, 5).wrId(3).next(read);
    p.a.mr.segment().set(ValueLayout.JAVA_LONG, 0, 100);
    p.a.send(p.a.wr(WrOpcode.RDMA_WRITE, 2, 0, 8, p.b, PLACE).next(add));
    for (int id = 2; id <= 4; id++) {
      Await.success(p.a.sendCq, id);
    }
    Assertions.assertEquals(100, p.a.mr.segment().get(ValueLayout.JAVA_LONG, 64));
    Assertions.assertEquals(105, p.a.mr.segment().get(ValueLayout.JAVA_LONG, 128));
  }

  private static void refused(Catalogue.Section s) {
    for (WrOpcode op : ATOMICS) {
      access(s, op, "an unknown rkey", (t, p, wr) -> wr.rkey(~p.b.mr.rkey()));
      access(
          s,
          op,
          "8 bytes that end behind the region",
          (t, p, wr) -> wr.remoteAddr(p.b.addr() + End.BYTES));
      access(
          s,
          op,
          "a region without the right",
          (t, p, wr) -> RemoteErrorCases.aim(wr, t.later(p.b.region())));
      s.pair(
          op + " at an address that is no multiple of 8: REM_INV_REQ_ERR (C9-77)",
          (t, p) -> {
            SendWr bad = wr(p, op).remoteAddr(p.b.addr() + PLACE + 4);
            Failure.remote(p, WcStatus.REM_INV_REQ_ERR, t.raised(EventType.QP_REQ_ERR)).of(bad);
          });
      s.add(
          op + " that the peer's queue pair does not allow: REM_INV_REQ_ERR",
          t -> {
            Pair p = t.pair(Shape.of(QpType.RC)); // no REMOTE_ATOMIC
            Failure.remote(p, WcStatus.REM_INV_REQ_ERR, t.raised(EventType.QP_REQ_ERR))
                .of(wr(p, op));
          });
      s.pair(
          op + " inline: INVALID at the post",
          (t, p) -> {
            SendWr bad = wr(p, op).flags(SendFlags.SIGNALED | SendFlags.INLINE);
            Assertions.assertEquals(PostStatus.INVALID, p.a.qp.postSend(bad));
          });
    }
  }

  private static void access(Catalogue.Section s, WrOpcode op, String what, Aim aim) {
    s.pair(
        op + " at " + what + ": REM_ACCESS_ERR, QP_ACCESS_ERR",
        (t, p) -> {
          SendWr bad = wr(p, op);
          aim.at(t, p, bad);
          Failure.remote(p, WcStatus.REM_ACCESS_ERR, t.raised(EventType.QP_ACCESS_ERR)).of(bad);
        });
  }

  private static void write(Catalogue.Section s) {
    for (Form form : Form.values()) {
      s.pair(
          "writes 8 bytes at once, " + form,
          (t, p) -> {
            List<Long> values = new ArrayList<>(List.of(1L, -1L, 0x0123456789abcdefL));
            for (long value : values) {
              SendWr wr = wr(p, WrOpcode.ATOMIC_WRITE).clearSges().compareAdd(value);
              Assertions.assertEquals(PostStatus.OK, form.post(p.a.qp, wr));
              Await.success(p.a.sendCq, 1);
              Assertions.assertEquals(value, get(p));
            }
          });
    }
    s.lossless()
        .pair(
            "at an address that is no multiple of 8: REM_INV_REQ_ERR",
            (t, p) -> {
              SendWr bad = wr(p, WrOpcode.ATOMIC_WRITE).clearSges();
              bad.remoteAddr(p.b.addr() + PLACE + 1);
              Failure.remote(p, WcStatus.REM_INV_REQ_ERR, t.raised(EventType.QP_REQ_ERR)).of(bad);
            });
  }
}
