package ib.kit;

import ib.core.verbs.Cap;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.SigType;
import ib.core.verbs.WrOpcode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assertions;

/** Options of a request beside its opcode: scatter/gather entries, inline data, signals, fences. */
final class DataOptionCases {
  private static final List<QpType> TYPES = List.of(QpType.RC, QpType.UC, QpType.UD);
  private static final int PIECE = 100;

  private DataOptionCases() {}

  static void add(Catalogue c) {
    pieces(c.section("DATA", 301, "data: scatter and gather"));
    inline(c.section("DATA", 331, "data: inline"));
    signals(c.section("DATA", 351, "data: signals", Cap.RC));
    rest(c.section("DATA", 371, "data: fences, lists, edges", Cap.RC));
  }

  static Cap cap(QpType type) {
    return switch (type) {
      case RC -> Cap.RC;
      case UC -> Cap.UC;
      default -> Cap.UD;
    };
  }

  static List<WrOpcode> ops(QpType type) {
    return switch (type) {
      case RC -> DataCases.RC_OPS;
      case UC -> DataCases.UC_OPS;
      default -> DataCases.UD_OPS;
    };
  }

  private static void pieces(Catalogue.Section s) {
    for (QpType type : TYPES) {
      if (type != QpType.RC) {
        s.lossless();
      }
      for (WrOpcode op : ops(type)) {
        s.add(
            type + " " + DataCases.words(op) + " 700 B gathered from 2 pieces",
            t -> new Transfer(t, t.pair(Shape.of(type)), op, 700).sges(2, 1).run(),
            cap(type));
        s.add(
            type + " " + DataCases.words(op) + " 999 B in 4 uneven pieces on both sides, one empty",
            t -> new Transfer(t, t.pair(Shape.of(type)), op, 999).sges(4, 4).run(),
            cap(type));
      }
    }
  }

  private static void inline(Catalogue.Section s) {
    for (QpType type : TYPES) {
      if (type != QpType.RC) {
        s.lossless();
      }
      for (WrOpcode op : ops(type)) {
        if (op != WrOpcode.RDMA_READ) {
          s.pair(
              type + " " + DataCases.words(op) + " inline, 0, 1, 63 and 64 B: free at once",
              (t, pair) -> {
                for (int size : new int[] {0, 1, 63, Shape.INLINE}) {
                  new Transfer(t, pair, op, size).inline().run();
                }
              },
              cap(type));
        }
      }
    }
  }

  private static void signals(Catalogue.Section s) {
    for (WrOpcode op : DataCases.RC_OPS) {
      s.add(
          "RC unsignaled " + DataCases.words(op) + " completes silently (REQ_WR)",
          t -> unsignaled(t, SigType.REQ_WR, op));
      s.add(
          "RC " + DataCases.words(op) + " without the flag is signaled with ALL_WR (S51)",
          t -> unsignaled(t, SigType.ALL_WR, op));
    }
  }

  private static void unsignaled(Trial t, SigType sig, WrOpcode op) {
    Pair pair = t.pair(Shape.of(QpType.RC).sig(sig));
    for (int i = 0; i < 5; i++) {
      pair.b.receive(100 + i, 4096, 64);
      pair.a.send(pair.a.wr(op, i, 0, 64, pair.b, 0).flags(0));
      if (sig == SigType.ALL_WR) {
        Await.success(pair.a.sendCq, i);
      }
    }
    pair.a.send(pair.a.wr(WrOpcode.RDMA_WRITE, 99, 0, 8, pair.b, 0));
    Await.success(pair.a.sendCq, 99);
    Await.empty(pair.a.sendCq, "unsignaled requests complete silently");
  }

  private static void rest(Catalogue.Section s) {
    for (WrOpcode op : DataCases.RC_OPS) {
      s.add(
          "RC " + DataCases.words(op) + " 4 KiB + 1 up to the last byte of the region",
          t -> new Transfer(t, t.pair(Shape.of(QpType.RC)), op, 4097).atTheEnd().run());
    }
    for (Form form : Form.values()) {
      s.add(
          "RC fenced send after a read carries what the read brought (IBA 10.8.3.3), " + form,
          t -> fenced(t, form));
      s.add("RC one " + form + " of 32 requests completes in order", t -> batch(t, form, 32));
    }
    s.pair(
        "RC abandoned builder batch is forgotten, the next one is posted",
        DataOptionCases::abandoned);
    s.pair("RC request objects may be reused at once (SendWr)", DataOptionCases::reuse);
    s.add(
        "RC 1 MiB there by write and back by read",
        t -> {
          Pair p = t.pair(Shape.of(QpType.RC).mtu(4096));
          megabyte(t, p);
        });
    for (Form form : Form.values()) { // a driver may need several calls for 100
      s.add("RC one " + form + " of 100 requests completes in order", t -> batch(t, form, 100));
      s.add(
          "RC one " + form + " of 100 requests, the 91st an inline READ: none is posted",
          t -> badRequest(t, form));
    }
  }

  private static void fenced(Trial t, Form form) {
    Pair p = t.pair(Shape.of(QpType.RC));
    MemorySegment mine = p.a.mr.segment();
    for (int i = 1; i <= 20; i++) {
      mine.set(ValueLayout.JAVA_LONG, 0, -1);
      p.b.mr.segment().set(ValueLayout.JAVA_LONG, 0, i);
      p.b.receive(3, 512, 8);
      SendWr send = p.a.wr(WrOpcode.SEND, 2, 0, 8);
      send.flags(SendFlags.SIGNALED | SendFlags.FENCE);
      SendWr read = p.a.wr(WrOpcode.RDMA_READ, 1, 0, 8, p.b, 0).next(send);
      Assertions.assertEquals(0, form.post(p.a.qp, read));
      Await.success(p.b.recvCq, 3);
      Assertions.assertEquals(i, p.b.mr.segment().get(ValueLayout.JAVA_LONG, 512));
      Await.success(p.a.sendCq, 1);
      Await.success(p.a.sendCq, 2);
    }
  }

  private static void batch(Trial t, Form form, int requests) {
    Pair p = t.pair(Shape.of(QpType.RC).cap(new QpCap(requests, 1, 1, 1, 0)));
    Assertions.assertEquals(0, form.post(p.a.qp, writes(p, requests).getFirst()));
    for (int i = 0; i < requests; i++) {
      Await.success(p.a.sendCq, i);
    }
    MemorySegment mine = p.a.mr.segment().asSlice(0, (long) PIECE * requests);
    Assertions.assertEquals(-1, mine.mismatch(p.b.mr.segment().asSlice(0, mine.byteSize())));
  }

  /** Linked requests, each of which writes bytes that no other one has. */
  private static List<SendWr> writes(Pair p, int requests) {
    List<SendWr> all = new ArrayList<>();
    for (int i = 0; i < requests; i++) {
      long at = (long) PIECE * i;
      p.a.mr.segment().asSlice(at, PIECE).fill((byte) (i + 1));
      SendWr wr = p.a.wr(WrOpcode.RDMA_WRITE, i, at, PIECE, p.b, at);
      if (i > 0) {
        all.getLast().next(wr);
      }
      all.add(wr);
    }
    return all;
  }

  private static void badRequest(Trial t, Form form) {
    Pair p = t.pair(Shape.of(QpType.RC).cap(new QpCap(100, 1, 1, 1, 0)));
    List<SendWr> all = writes(p, 100);
    SendWr bad = all.get(90);
    bad.opcode(WrOpcode.RDMA_READ).flags(SendFlags.SIGNALED | SendFlags.INLINE);
    Assertions.assertEquals(PostStatus.INVALID, form.post(p.a.qp, all.getFirst()));
    if (form == Form.LIST) {
      Assertions.assertSame(bad, all.getFirst().badWr(), "badWr is the one that is refused");
    }
    p.ping(t);
    Await.empty(p.a.sendCq, "nothing was posted");
  }

  private static void abandoned(Trial t, Pair p) {
    p.a.qp.wrStart();
    p.a.qp.wrId(1).wrFlags(SendFlags.SIGNALED);
    p.a.qp.wrRdmaWrite(p.b.mr.rkey(), p.b.addr());
    p.a.qp.wrSetSge(p.a.lkey(), p.a.addr(), 8);
    p.a.qp.wrAbort();
    p.ping(t);
    p.a.qp.wrStart();
    p.a.qp.wrId(2);
    p.a.qp.wrSend();
    p.ping(t); // the list form does not disturb an open batch
    Assertions.assertEquals(
        0, Form.BUILDER.post(p.a.qp, p.a.wr(WrOpcode.RDMA_READ, 3, 0, 8, p.b, 0)));
    Await.success(p.a.sendCq, 3);
    Await.empty(p.a.sendCq, "an abandoned batch is not posted");
  }

  private static void reuse(Trial t, Pair p) {
    SendWr wr = p.a.wr(WrOpcode.RDMA_WRITE, 1, 0, 8, p.b, 0);
    p.a.mr.segment().set(ValueLayout.JAVA_LONG, 0, 41);
    p.a.mr.segment().set(ValueLayout.JAVA_LONG, 64, 42);
    p.a.send(wr);
    wr.wrId(2).clearSges().addSge(p.a.lkey(), p.a.addr() + 64, 8).remoteAddr(p.b.addr() + 64);
    p.a.send(wr);
    wr.wrId(77).opcode(WrOpcode.SEND).clearSges();
    Await.success(p.a.sendCq, 1);
    Await.success(p.a.sendCq, 2);
    Assertions.assertEquals(41, p.b.mr.segment().get(ValueLayout.JAVA_LONG, 0));
    Assertions.assertEquals(42, p.b.mr.segment().get(ValueLayout.JAVA_LONG, 64));
  }

  private static void megabyte(Trial t, Pair p) {
    int bytes = 1 << 20;
    var here = t.later(p.a.pd.allocMemory(2L * bytes, 4096, Shape.ALL));
    var there = t.later(p.b.pd.allocMemory(bytes, 4096, Shape.ALL));
    byte[] data = new byte[bytes];
    new java.util.Random(7).nextBytes(data);
    MemorySegment.copy(data, 0, here.segment(), ValueLayout.JAVA_BYTE, 0, bytes);
    SendWr wr = new SendWr(1).wrId(1).flags(SendFlags.SIGNALED).opcode(WrOpcode.RDMA_WRITE);
    wr.rkey(there.rkey()).remoteAddr(there.iova()).addSge(here.lkey(), here.iova(), bytes);
    p.a.send(wr);
    Await.success(p.a.sendCq, 1);
    wr.wrId(2).opcode(WrOpcode.RDMA_READ).clearSges();
    p.a.send(wr.addSge(here.lkey(), here.iova() + bytes, bytes));
    Await.success(p.a.sendCq, 2);
    Assertions.assertEquals(
        -1, here.segment().asSlice(0, bytes).mismatch(here.segment().asSlice(bytes, bytes)));
    Assertions.assertEquals(-1, here.segment().asSlice(0, bytes).mismatch(there.segment()));
  }
}
