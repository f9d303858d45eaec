package ib.kit;

import ib.core.verbs.Access;
import ib.core.verbs.AddressHandle;
import ib.core.verbs.Cap;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.RecvWr;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WrOpcode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.Assertions;

/** Requests that fail at the requester: in the completion, or at the post already. */
final class LocalErrorCases {

  /** Gives a request data it may not touch. */
  @FunctionalInterface
  private interface Data {
    void of(Trial t, End a, SendWr wr);
  }

  private LocalErrorCases() {}

  static void add(Catalogue c) {
    Catalogue.Section s = c.section("ERR", 101, "errors: local protection", Cap.RC);
    protection(s, "an unknown lkey", (t, a, wr) -> wr.addSge(~a.lkey(), a.addr(), 8));
    protection(
        s,
        "an rkey as lkey",
        (t, a, wr) -> {
          t.twoKeys(a.mr);
          wr.addSge(a.mr.rkey(), a.addr(), 8);
        });
    protection(
        s,
        "data one byte past its region",
        (t, a, wr) -> wr.addSge(a.lkey(), a.addr() + End.BYTES - 7, 8));
    protection(
        s, "data one byte before its region", (t, a, wr) -> wr.addSge(a.lkey(), a.addr() - 1, 8));
    protection(s, "data of another domain", (t, a, wr) -> add(wr, a.foreign(t)));
    protection(s, "data of a deregistered region", (t, a, wr) -> add(wr, a.deregistered()));
    protection(s, "data whose arena is closed (D6)", (t, a, wr) -> add(wr, a.unbacked(t)));
    s.pair(
        "RC read into a region that may not be written: LOC_PROT_ERR",
        (t, p) -> {
          SendWr wr = p.a.wr(WrOpcode.RDMA_READ, 2, 0, 8, p.b, 0).clearSges();
          add(wr, t.later(p.a.pd.allocMemory(64, 8, Access.REMOTE_READ)));
          Failure.local(p, WcStatus.LOC_PROT_ERR).of(wr);
        });
    unreliable(c.section("ERR", 151, "errors: local, UC and UD").lossless());
    posts(c.section("POST", 1, "errors: refused at the post"));
    states(c.section("POST", 51, "errors: posts and states"));
  }

  private static void add(SendWr wr, MemoryRegion mr) {
    wr.addSge(mr.lkey(), mr.iova(), 8);
  }

  private static void protection(Catalogue.Section s, String what, Data data) {
    for (WrOpcode op : DataCases.RC_OPS) {
      s.pair(
          "RC " + DataCases.words(op) + " with " + what + ": LOC_PROT_ERR, the peer hears nothing",
          (t, p) -> {
            p.b.receive(50, 4096, 64);
            SendWr wr = p.a.wr(op, 2, 0, 8, p.b, 0).clearSges();
            data.of(t, p.a, wr);
            Failure f = Failure.local(p, WcStatus.LOC_PROT_ERR);
            (op == WrOpcode.RDMA_READ ? f.late() : f).of(wr);
            if (op != WrOpcode.RDMA_READ) {
              Await.empty(p.b.recvCq, "the peer hears nothing");
            }
          });
    }
  }

  private static void unreliable(Catalogue.Section s) {
    for (QpType type : List.of(QpType.UC, QpType.UD)) {
      s.pair(
          type + " send with an unknown lkey: LOC_PROT_ERR, SQE, and RTS again (IBA 10.3.1.6)",
          (t, p) -> {
            SendWr bad = p.a.wr(WrOpcode.SEND, 1, 0, 8).clearSges();
            p.a.send(p.aim(bad.addSge(~p.a.lkey(), p.a.addr(), 8), t));
            Await.status(p.a.sendCq, 1, WcStatus.LOC_PROT_ERR);
            Assertions.assertEquals(QpState.SQE, p.a.qp.state());
            p.a.send(p.aim(p.a.wr(WrOpcode.SEND, 2, 0, 8), t));
            Await.status(p.a.sendCq, 2, WcStatus.WR_FLUSH_ERR);
            p.a.qp.modify(new QpAttr().state(QpState.RTS));
            p.ping(t);
          },
          DataOptionCases.cap(type));
    }
    for (WrOpcode op : List.of(WrOpcode.RDMA_WRITE, WrOpcode.RDMA_WRITE_WITH_IMM)) {
      s.pair(
          "UC " + DataCases.words(op) + " at an unknown rkey is dropped, the next message arrives",
          (t, p) -> {
            p.a.send(p.a.wr(op, 1, 0, 8, p.b, 0).rkey(~p.b.mr.rkey()));
            Await.success(p.a.sendCq, 1);
            p.ping(t);
            Assertions.assertEquals(QpState.RTS, p.b.qp.state());
          },
          Cap.UC);
    }
    s.pair(
        "UC send without a receive is dropped, the next message arrives",
        (t, p) -> {
          p.a.send(p.a.wr(WrOpcode.SEND, 1, 0, 3000));
          Await.success(p.a.sendCq, 1);
          p.a.mr.segment().set(ValueLayout.JAVA_LONG, 0, 0x7e57);
          p.a.send(p.a.wr(WrOpcode.RDMA_WRITE, 2, 0, 8, p.b, 4096)); // after it on any medium
          Await.success(p.a.sendCq, 2);
          Await.until(
              "the write behind it",
              () -> p.b.mr.segment().get(ValueLayout.JAVA_LONG, 4096) == 0x7e57);
          p.ping(t);
        },
        Cap.UC);
  }

  private static void refused(End a, int status, SendWr wr) {
    for (Form form : Form.values()) {
      Assertions.assertEquals(status, form.post(a.qp, wr), form.name());
    }
    Await.empty(a.sendCq, "nothing was posted");
  }

  private static void posts(Catalogue.Section s) {
    for (QpType type : List.of(QpType.RC, QpType.UC, QpType.UD)) {
      s.add(
          type + " more pieces than maxSendSge: INVALID, nothing is posted (IBA 11.4.1.1)",
          t -> {
            Pair p = t.pair(Shape.of(type).cap(new QpCap(8, 8, 2, 2, 16)));
            SendWr wr = p.a.wr(WrOpcode.SEND, 1, 0, 1);
            wr.addSge(p.a.lkey(), p.a.addr(), 1).addSge(p.a.lkey(), p.a.addr(), 1);
            refused(p.a, PostStatus.INVALID, p.aim(wr, t));
          },
          DataOptionCases.cap(type));
      s.pair(
          type + " one byte more than maxInlineData: INVALID",
          (t, p) -> {
            int most = p.a.qp.cap().maxInlineData();
            SendWr wr =
                new SendWr(1).inline(MemorySegment.ofArray(new byte[most + 1]), 0, most + 1);
            refused(p.a, PostStatus.INVALID, p.aim(wr, t));
          },
          DataOptionCases.cap(type));
      s.add(
          type + " full send queue: QUEUE_FULL, badWr, and a list is posted whole or not at all",
          t -> full(t, type),
          DataOptionCases.cap(type));
      s.add(
          type + " full receive queue: QUEUE_FULL; more pieces than maxRecvSge: INVALID",
          t -> fullReceives(t, type),
          DataOptionCases.cap(type));
    }
    s.pair("RC inline read: INVALID", LocalErrorCases::inlineRead, Cap.RC);
    s.pair(
        "UC read: NOT_SUPPORTED",
        (t, p) ->
            refused(p.a, PostStatus.NOT_SUPPORTED, p.a.wr(WrOpcode.RDMA_READ, 1, 0, 8, p.b, 0)),
        Cap.UC);
    for (WrOpcode op : RemoteErrorCases.RDMA) {
      s.pair(
          "UD " + DataCases.words(op) + ": NOT_SUPPORTED",
          (t, p) -> refused(p.a, PostStatus.NOT_SUPPORTED, p.aim(p.a.wr(op, 1, 0, 8, p.b, 0), t)),
          Cap.UD);
    }
    s.pair(
        "UD send without an address: INVALID",
        (t, p) -> refused(p.a, PostStatus.INVALID, p.a.wr(WrOpcode.SEND, 1, 0, 8)),
        Cap.UD);
    s.pair(
        "UD send with an address of another domain: INVALID", LocalErrorCases::foreignAh, Cap.UD);
  }

  private static void inlineRead(Trial t, Pair p) {
    SendWr wr = p.a.wr(WrOpcode.RDMA_READ, 1, 0, 8, p.b, 0);
    wr.flags(SendFlags.SIGNALED | SendFlags.INLINE);
    Assertions.assertEquals(PostStatus.INVALID, p.a.qp.postSend(wr));
    Assertions.assertSame(wr, wr.badWr());
  }

  private static void foreignAh(Trial t, Pair p) {
    var pd = t.later(p.a.device.allocPd());
    AddressHandle ah = t.later(pd.createAh(t.bench.path(p.a.device, p.b.device)));
    SendWr wr = p.a.wr(WrOpcode.SEND, 1, 0, 8).ah(ah).remoteQpn(p.b.qp.qpn());
    refused(p.a, PostStatus.INVALID, wr.remoteQkey(End.QKEY));
  }

  private static void full(Trial t, QpType type) {
    Pair p = t.pair(Shape.of(type).cap(new QpCap(8, 8, 2, 2, 16)));
    int room = p.a.qp.cap().maxSendWr();
    SendWr last = p.aim(p.a.wr(WrOpcode.SEND, room, 0, 1), t);
    SendWr head = last;
    for (int i = room - 1; i >= 0; i--) {
      head = p.aim(p.a.wr(WrOpcode.SEND, i, 0, 1).next(head), t);
    }
    Assertions.assertEquals(PostStatus.QUEUE_FULL, p.a.qp.postSend(head));
    Assertions.assertSame(last, head.badWr(), "badWr is the one for which there is no room");
    Assertions.assertEquals(PostStatus.QUEUE_FULL, Form.BUILDER.post(p.a.qp, head));
    Await.empty(p.a.sendCq, "nothing was posted");
    p.ping(t);
  }

  private static void fullReceives(Trial t, QpType type) {
    Pair p = t.pair(Shape.of(type).cap(new QpCap(8, 8, 2, 2, 16)));
    RecvWr three = new RecvWr(3).addSge(0, 0, 1).addSge(0, 0, 1).addSge(0, 0, 1);
    Assertions.assertEquals(PostStatus.INVALID, p.b.qp.postReceive(three));
    Assertions.assertSame(three, three.badWr());
    int room = p.b.qp.cap().maxRecvWr();
    for (int i = 0; i < room; i++) {
      p.b.receive(i, 0, 64);
    }
    Assertions.assertEquals(
        PostStatus.QUEUE_FULL, p.b.qp.postReceive(99, p.b.lkey(), p.b.addr(), 64));
    p.b.error();
    for (int i = 0; i < room; i++) {
      Await.status(p.b.recvCq, i, WcStatus.WR_FLUSH_ERR);
    }
    Await.empty(p.b.recvCq, "what was refused does not complete");
  }

  private static void states(Catalogue.Section s) {
    for (QpType type : List.of(QpType.RC, QpType.UC, QpType.UD)) {
      s.add(
          type + " sends are refused in RESET, INIT and RTR, receives in RESET only (IBA 10.3.1)",
          t -> {
            Shape shape = Shape.of(type);
            Pair p = new Pair(t.end(t.left(), shape), t.end(t.right(), shape));
            SendWr wr = p.aim(p.a.wr(WrOpcode.SEND, 1, 0, 8), t);
            refused(p.a, PostStatus.INVALID, wr);
            Assertions.assertEquals(
                PostStatus.INVALID, p.a.qp.postReceive(1, p.a.lkey(), p.a.addr(), 64));
            p.a.init(Shape.ALL);
            refused(p.a, PostStatus.INVALID, wr);
            p.a.receive(1, 0, 64);
            p.a.rtr(t.bench.path(p.a.device, p.b.device), p.b.qp.qpn());
            refused(p.a, PostStatus.INVALID, wr);
            p.a.receive(2, 0, 64);
            p.a.error();
            Await.status(p.a.recvCq, 1, WcStatus.WR_FLUSH_ERR);
            Await.status(p.a.recvCq, 2, WcStatus.WR_FLUSH_ERR);
          },
          DataOptionCases.cap(type));
    }
  }
}
