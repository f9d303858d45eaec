package ib.kit;

import ib.core.verbs.Access;
import ib.core.verbs.Cap;
import ib.core.verbs.EventType;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.RecvWr;
import ib.core.verbs.SendWr;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WrOpcode;
import java.util.List;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assertions;

/** Requests that a responder refuses, and how both sides learn of it (IBA 9.9.3). */
final class RemoteErrorCases {
  static final List<WrOpcode> RDMA =
      List.of(WrOpcode.RDMA_WRITE, WrOpcode.RDMA_WRITE_WITH_IMM, WrOpcode.RDMA_READ);
  private static final List<WrOpcode> SENDS = List.of(WrOpcode.SEND, WrOpcode.SEND_WITH_IMM);

  /** Aims a request at something it may not touch. */
  @FunctionalInterface
  private interface Aim {
    void at(Trial t, Pair p, SendWr wr) throws Exception;
  }

  private RemoteErrorCases() {}

  static void add(Catalogue c) {
    // a refusal that is lost is not said again ("after an error: silence"): nothing may be lost
    Catalogue.Section s = c.section("ERR", 1, "errors: remote access", Cap.RC).lossless();
    access(s, "an unknown rkey", (t, p, wr) -> wr.rkey(~p.b.mr.rkey()));
    access(
        s,
        "a local key as rkey",
        (t, p, wr) -> {
          t.twoKeys(p.b.mr);
          wr.rkey(p.b.mr.lkey());
        });
    access(s, "one byte past the region", (t, p, wr) -> wr.remoteAddr(p.b.addr() + End.BYTES - 7));
    access(s, "one byte before the region", (t, p, wr) -> wr.remoteAddr(p.b.addr() - 1));
    access(s, "an address that wraps", (t, p, wr) -> wr.remoteAddr(-4L));
    access(s, "a region without the right", RemoteErrorCases::noRight);
    access(s, "a region of another domain", (t, p, wr) -> aim(wr, p.b.foreign(t)));
    access(s, "a deregistered region (I8, B23)", (t, p, wr) -> aim(wr, p.b.deregistered()));
    access(s, "a region whose arena is closed (D6)", (t, p, wr) -> aim(wr, p.b.unbacked(t)));
    noQpRight(c.section("ERR", 51, "errors: remote request", Cap.RC).lossless());
    receives(c.section("ERR", 61, "errors: the peer's receive", Cap.RC).lossless());
    silence(c.section("ERR", 81, "errors: no answer", Cap.RC));
  }

  static void aim(SendWr wr, MemoryRegion mr) {
    wr.rkey(mr.rkey()).remoteAddr(mr.iova());
  }

  private static void noRight(Trial t, Pair p, SendWr wr) {
    int rights = wr.opcode() == WrOpcode.RDMA_READ ? Access.REMOTE_WRITE : Access.REMOTE_READ;
    aim(wr, t.later(p.b.pd.allocMemory(64, 8, rights | Access.LOCAL_WRITE)));
  }

  private static void access(Catalogue.Section s, String what, Aim aim) {
    for (WrOpcode op : RDMA) {
      s.pair(
          "RC " + DataCases.words(op) + " at " + what + ": REM_ACCESS_ERR, QP_ACCESS_ERR",
          (t, p) -> {
            p.b.receive(50, 4096, 64);
            SendWr wr = p.a.wr(op, 2, 0, 8, p.b, 0);
            aim.at(t, p, wr);
            EventType event = t.raised(EventType.QP_ACCESS_ERR);
            Failure.remote(p, WcStatus.REM_ACCESS_ERR, event).of(wr);
            Await.status(p.b.recvCq, 50, WcStatus.WR_FLUSH_ERR);
          });
    }
  }

  private static void noQpRight(Catalogue.Section s) {
    for (WrOpcode op : RDMA) {
      s.add(
          "RC "
              + DataCases.words(op)
              + " that the peer's queue pair does not allow: REM_INV_REQ_ERR",
          t -> {
            boolean read = op == WrOpcode.RDMA_READ;
            Pair p = t.pair(Shape.of(QpType.RC));
            EventType event = t.raised(EventType.QP_REQ_ERR);
            Failure f = Failure.remote(p, WcStatus.REM_INV_REQ_ERR, event);
            if (!read) {
              notAllowed(p, op, event); // the good request before it would be refused, too
              return;
            }
            p.b.qp.modify(new QpAttr().state(QpState.RTS).accessFlags(Access.REMOTE_WRITE));
            f.of(p.a.wr(op, 2, 0, 8, p.b, 0));
          });
    }
    for (WrOpcode op : RDMA) {
      s.pair(
          "RC " + DataCases.words(op) + " 0 B needs no key (IBA 9.7.4.1.5)",
          (t, p) -> {
            p.b.receive(9, 0, 0);
            p.a.send(p.a.wr(op, 1, 0, 0, p.b, 0).rkey(~p.b.mr.rkey()).clearSges());
            Await.success(p.a.sendCq, 1);
          });
    }
  }

  private static void notAllowed(Pair p, WrOpcode op, @Nullable EventType event) {
    p.b.qp.modify(new QpAttr().state(QpState.RTS).accessFlags(Access.REMOTE_READ));
    p.b.receive(50, 4096, 64);
    p.a.send(p.a.wr(op, 1, 0, 8, p.b, 0).next(p.a.wr(WrOpcode.SEND, 2, 0, 8)));
    Await.status(p.a.sendCq, 1, WcStatus.REM_INV_REQ_ERR);
    Await.status(p.a.sendCq, 2, WcStatus.WR_FLUSH_ERR);
    if (event != null) {
      p.b.awaitEvent(event);
    }
    Await.status(p.b.recvCq, 50, WcStatus.WR_FLUSH_ERR);
  }

  private static void receives(Catalogue.Section s) {
    for (WrOpcode op : SENDS) {
      for (int size : new int[] {8, 5000}) {
        s.add(
            "RC "
                + DataCases.words(op)
                + " "
                + size
                + " B one byte too long: LOC_LEN_ERR, 61 (matrix)",
            t -> {
              Pair p = t.pair(Shape.of(QpType.RC));
              p.b.receive(50, 8192, size - 1);
              p.b.receive(51, 8192, 64);
              Failure.remote(p, WcStatus.REM_INV_REQ_ERR, null).of(p.a.wr(op, 2, 0, size));
              Await.status(p.b.recvCq, 50, WcStatus.LOC_LEN_ERR);
              Await.status(p.b.recvCq, 51, WcStatus.WR_FLUSH_ERR);
            });
      }
    }
    badReceive(s, "with an unknown lkey", (t, b) -> sge(~b.lkey(), b.addr()));
    badReceive(s, "one byte past its region", (t, b) -> sge(b.lkey(), b.addr() + End.BYTES - 63));
    badReceive(
        s,
        "into a region that may not be written",
        (t, b) -> into(t.later(b.pd.allocMemory(64, 8, Access.REMOTE_READ))));
    badReceive(s, "into a deregistered region", (t, b) -> into(b.deregistered()));
    badReceive(s, "into a region of another domain", (t, b) -> into(b.foreign(t)));
    badReceive(s, "into a region whose arena is closed", (t, b) -> into(b.unbacked(t)));
  }

  private static RecvWr sge(int lkey, long address) {
    return new RecvWr(1).wrId(50).addSge(lkey, address, 64);
  }

  private static RecvWr into(MemoryRegion mr) {
    return sge(mr.lkey(), mr.iova());
  }

  private static void badReceive(
      Catalogue.Section s, String what, BiFunction<Trial, End, RecvWr> maker) {
    s.pair(
        "RC send meets a receive " + what + ": LOC_PROT_ERR, REM_OP_ERR (63)",
        (t, p) -> {
          Assertions.assertEquals(0, p.b.qp.postReceive(maker.apply(t, p.b)));
          Failure.remote(p, WcStatus.REM_OP_ERR, null).of(p.a.wr(WrOpcode.SEND, 2, 0, 64));
          Await.status(p.b.recvCq, 50, WcStatus.LOC_PROT_ERR);
        });
  }

  private static void silence(Catalogue.Section s) {
    for (WrOpcode op :
        List.of(WrOpcode.SEND, WrOpcode.SEND_WITH_IMM, WrOpcode.RDMA_WRITE_WITH_IMM)) {
      s.add(
          "RC " + DataCases.words(op) + " without a receive: RNR_RETRY_EXC_ERR, the peer unharmed",
          t -> {
            Pair p = t.pair(Shape.of(QpType.RC).retries(7, 1));
            Failure.local(p, WcStatus.RNR_RETRY_EXC_ERR).of(p.a.wr(op, 2, 0, 8, p.b, 2048));
          });
      s.pair(
          "RC " + DataCases.words(op) + " waits for the receive (RNR retry 7)",
          (t, p) -> {
            p.a.send(p.a.wr(op, 2, 0, 8, p.b, 2048));
            p.b.receive(5, 0, 64);
            Await.success(p.b.recvCq, 5);
            Await.success(p.a.sendCq, 2);
          });
    }
    for (WrOpcode op : List.of(WrOpcode.SEND, WrOpcode.RDMA_WRITE, WrOpcode.RDMA_READ)) {
      for (QpState state : List.of(QpState.RESET, QpState.ERR)) {
        s.add(
            "RC " + DataCases.words(op) + " at a queue pair in " + state + ": RETRY_EXC_ERR",
            t -> {
              Pair p = t.pair(Shape.of(QpType.RC).retries(1, 1));
              p.b.qp.modify(new QpAttr().state(state));
              gone(p, op);
            });
      }
      s.add(
          "RC " + DataCases.words(op) + " at a queue pair that is closed: RETRY_EXC_ERR",
          t -> {
            Pair p = t.pair(Shape.of(QpType.RC).retries(1, 1));
            p.b.qp.close();
            gone(p, op);
          });
    }
  }

  private static void gone(Pair p, WrOpcode op) {
    p.a.send(p.a.wr(op, 1, 0, 8, p.b, 0).next(p.a.wr(WrOpcode.SEND, 2, 0, 8).flags(0)));
    Await.status(p.a.sendCq, 1, WcStatus.RETRY_EXC_ERR);
    Await.status(p.a.sendCq, 2, WcStatus.WR_FLUSH_ERR);
    Assertions.assertEquals(QpState.ERR, p.a.qp.state());
  }
}
