package ib.kit;

import ib.core.verbs.Access;
import ib.core.verbs.AddressHandle;
import ib.core.verbs.Cap;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.Gid;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbEvent;
import ib.core.verbs.IbEventHandler;
import ib.core.verbs.IbObject;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.NotifyFlags;
import ib.core.verbs.PortState;
import ib.core.verbs.PostStatus;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpType;
import ib.core.verbs.SendWr;
import ib.core.verbs.WrOpcode;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Assertions;

/** The objects that the reentrancy cases put under two threads. */
final class Subjects {
  private Subjects() {}

  static List<Subject> all() {
    return List.of(
        new Subject(
            "device",
            names("queryPort", "caches", "allocPd", "createCq", "handlers"),
            "",
            Subjects::device),
        new Subject(
            "PD",
            names("registerMemory", "allocMemory", "createAh", "createQp", "users"),
            "",
            Subjects::pd,
            Cap.RC),
        new Subject(
            "CQ",
            names("poll", "requestNotify", "completion", "resize"),
            "",
            Subjects::cq,
            Cap.RC,
            Cap.CQ_RESIZE),
        new Subject(
            "RC QP",
            names("postSend", "builder", "postReceive", "postReceive list", "query", "modify"),
            "builder",
            QueueSubjects::qp,
            Cap.RC),
        new Subject(
            "UD QP",
            names("postSend", "multicast", "query", "modify"),
            "",
            QueueSubjects::ud,
            Cap.UD,
            Cap.MULTICAST),
        new Subject(
            "SRQ",
            names("postReceive", "postReceive list", "query", "modify"),
            "",
            QueueSubjects::srq,
            Cap.SRQ),
        new Subject(
            "MR", names("remote write", "remote read", "accessors"), "", Subjects::mr, Cap.RC),
        new Subject("AH", names("query", "modify", "send"), "", Subjects::ah, Cap.UD));
  }

  private static List<String> names(String... names) {
    return List.of(names);
  }

  /** On the data path: accepted, full, or the object is gone. */
  static int usual(int status) {
    Assertions.assertTrue(
        status == PostStatus.OK || status == PostStatus.QUEUE_FULL || status == PostStatus.GONE,
        () -> "status " + status);
    return status;
  }

  private static void made(Supplier<? extends IbObject> maker) {
    IbObject o = maker.get();
    Assertions.assertTrue(o.control().isLive());
    o.close();
  }

  private static Subject.Live device(Trial t) {
    IbDevice d = t.left();
    return new Subject.Live()
        .method(
            "queryPort",
            () -> Assertions.assertEquals(PortState.ACTIVE, d.queryPort(1).state(), "port state"))
        .method(
            "caches",
            () -> {
              Assertions.assertEquals(d.port(1).lid(), d.queryPort(1).lid());
              Assertions.assertNotEquals(Gid.ZERO, d.gid(1, 0));
              Assertions.assertNotEquals(0, d.pkey(1, 0));
            })
        .method("allocPd", () -> made(d::allocPd))
        .method("createCq", () -> made(() -> d.createCq(new CqInit(8))))
        .method(
            "handlers",
            () -> {
              IbEventHandler handler =
                  new IbEventHandler(d) {
                    @Override
                    public void handle(IbEvent event) {}
                  };
              d.registerEventHandler(handler);
              d.unregisterEventHandler(handler);
            });
  }

  private static Subject.Live pd(Trial t) {
    End e = t.end(t.left(), Shape.of(QpType.RC));
    ProtectionDomain pd = t.later(e.device.allocPd());
    MemorySegment memory = Arena.ofAuto().allocate(64);
    return new Subject.Live()
        .method("registerMemory", () -> made(() -> pd.registerMemory(memory, Shape.ALL)))
        .method("allocMemory", () -> made(() -> pd.allocMemory(64, 8, Shape.ALL)))
        .method("createAh", () -> made(() -> pd.createAh(e.self)))
        .method("createQp", () -> made(() -> pd.createQp(e.init())))
        .method(
            "users",
            () -> {
              int n = pd.useCount();
              Assertions.assertTrue(n >= 0 && n <= 2, "use count " + n);
              Assertions.assertTrue(pd.users().size() <= 2);
            })
        .finish(() -> Assertions.assertEquals(0, pd.useCount(), "references are given back"))
        .close(pd::close);
  }

  private static Subject.Live cq(Trial t) {
    End e = t.end(t.left(), Shape.of(QpType.RC));
    CompletionQueue cq = t.later(new Probe().cq(t.left()));
    Flood flood = new Flood(e, cq, 1, 1);
    t.later(flood);
    Account account = new Account();
    return new Subject.Live()
        .method("poll", () -> account.take(cq, Account.batch(3)))
        .method(
            "requestNotify",
            () -> {
              int n = cq.requestNotify(NotifyFlags.NEXT_COMP | NotifyFlags.REPORT_MISSED_EVENTS);
              Assertions.assertTrue(n == 0 || n == 1 || n == PostStatus.GONE, () -> "" + n);
            })
        .method(
            "completion",
            () -> {
              if (account.open() < 50) {
                usual(account.post(flood::tryOne));
              }
            })
        .method("resize", () -> cq.resize(End.CQ_ENTRIES + (int) (System.nanoTime() & 63)))
        .finish(() -> account.settle(cq).assertExact())
        .close(
            () -> {
              flood.close();
              cq.close();
            });
  }

  private static Subject.Live mr(Trial t) {
    Pair p = t.pair(Shape.of(QpType.RC).retries(7, 7));
    MemoryRegion mr = t.later(p.b.pd.allocMemory(64, 8, Shape.ALL));
    int lkey = mr.lkey();
    int rkey = mr.rkey();
    Account sends = new Account();
    Runnable take = () -> sends.take(p.a.sendCq, Account.batch(4));
    return new Subject.Live()
        .method(
            "remote write",
            () -> {
              aim(p, sends, WrOpcode.RDMA_WRITE, mr);
              take.run();
            })
        .method(
            "remote read",
            () -> {
              aim(p, sends, WrOpcode.RDMA_READ, mr);
              take.run();
            })
        .method(
            "accessors",
            () -> {
              Assertions.assertEquals(64, mr.length());
              Assertions.assertEquals(lkey, mr.lkey());
              Assertions.assertEquals(rkey, mr.rkey());
              Assertions.assertEquals(Shape.ALL, mr.access() & Shape.ALL | Access.LOCAL_WRITE);
            })
        .finish(() -> sends.settle(p.a.sendCq).assertExact())
        .close(mr::close);
  }

  private static void aim(Pair p, Account sends, WrOpcode op, MemoryRegion mr) {
    SendWr wr = p.a.wr(op, 0, 0, 64).rkey(mr.rkey()).remoteAddr(mr.iova());
    usual(sends.post(id -> p.a.qp.postSend(wr.wrId(id))));
  }

  private static Subject.Live ah(Trial t) {
    Pair p = t.pair(Shape.of(QpType.UD));
    AddressHandle ah = t.later(p.a.pd.createAh(p.a.self));
    Account sends = new Account();
    return new Subject.Live()
        .method("query", () -> Assertions.assertEquals(p.a.self, ah.query()))
        .method("modify", () -> ah.modify(p.a.self))
        .method(
            "send",
            () -> {
              SendWr wr = p.a.wr(WrOpcode.SEND, 0, 0, 8).ah(ah).remoteQpn(p.b.qp.qpn());
              int status = sends.post(id -> p.a.qp.postSend(wr.wrId(id).remoteQkey(End.QKEY)));
              Assertions.assertTrue(
                  status == PostStatus.INVALID || usual(status) == status,
                  "a closed one is INVALID");
              sends.take(p.a.sendCq, Account.batch(4));
            })
        .finish(() -> sends.settle(p.a.sendCq).assertExact())
        .close(ah::close);
  }
}
