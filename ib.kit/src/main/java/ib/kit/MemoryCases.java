package ib.kit;

import ib.core.verbs.Access;
import ib.core.verbs.Cap;
import ib.core.verbs.Flush;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.MemoryWindow;
import ib.core.verbs.MemoryWork;
import ib.core.verbs.MwType;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.WcFlags;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import ib.core.verbs.WrOpcode;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Assertions;

/** Fast registration, invalidation, windows, flush (IBA 10.6.4, 10.6.7, 10.7.2). */
final class MemoryCases {
  private static final int RIGHTS = Shape.ALL;

  private MemoryCases() {}

  static void add(Catalogue c) {
    Catalogue.Section s = c.section("MEM", 1, "fast registration", Cap.RC, Cap.MEM_MGT_EXTENSIONS);
    for (Form form : Form.values()) {
      s.add(
          "registered by a request, used by the peer, dead after LOCAL_INV, " + form,
          t -> fast(t, form));
      s.add(
          "SEND_WITH_INV: arrives, says which key, and the key is dead, " + form,
          t -> sendInvalidate(t, form));
    }
    s.pair(
        "LOCAL_INV of a key that is none: MW_BIND_ERR, the queue pair in ERR",
        (t, p) -> {
          p.b.send(new SendWr(0).wrId(1).opcode(WrOpcode.LOCAL_INV).invalidateRkey(0x1234_5678));
          Await.status(p.b.sendCq, 1, WcStatus.MW_BIND_ERR);
          Assertions.assertEquals(QpState.ERR, p.b.qp.state());
        });
    s.lossless()
        .pair(
            "SEND_WITH_INV of an ordinary region's key is refused, both in ERR (matrix)",
            (t, p) -> {
              p.b.receive(1, 4096, 64);
              SendWr wr = p.a.wr(WrOpcode.SEND_WITH_INV, 2, 0, 8).invalidateRkey(p.b.mr.rkey());
              p.a.send(wr);
              WcStatus status = Await.next(p.a.sendCq).status();
              Assertions.assertTrue(
                  status == WcStatus.REM_ACCESS_ERR || status == WcStatus.REM_OP_ERR, status::name);
              Await.until("the peer in ERR", () -> p.b.qp.state() == QpState.ERR);
            });
    s.pair(
        "mapped and registered in a completion handler, written by the peer (S10)",
        MemoryCases::inHandler);
    windows(c.section("MEM", 21, "memory windows", Cap.RC).lossless());
    s = c.section("MEM", 41, "flush", Cap.RC, Cap.FLUSH_GLOBAL);
    flush(s.shaped(x -> x.access(RIGHTS | Access.FLUSH_GLOBAL)));
  }

  private static void local(End e, Form form, SendWr wr) {
    wr.wrId(1).flags(SendFlags.SIGNALED);
    Assertions.assertEquals(PostStatus.OK, form.post(e.qp, wr));
    Await.success(e.sendCq, 1);
  }

  private static SendWr register(MemoryRegion region, int key) {
    MemoryWork work = new MemoryWork().register(region, key, RIGHTS);
    return new SendWr(0).opcode(WrOpcode.REG_MR).memory(work);
  }

  private static void write(Pair p, int rkey, long address, WcStatus status) {
    p.a.send(p.a.wr(WrOpcode.RDMA_WRITE, 2, 0, 8).rkey(rkey).remoteAddr(address));
    Await.status(p.a.sendCq, 2, status);
  }

  /** Ends a case: checks that the key gives access to no memory any more. */
  private static void dead(Trial t, Pair p, int rkey, long address) {
    if (t.bench.lossless()) {
      write(p, rkey, address, WcStatus.REM_ACCESS_ERR);
    }
  }

  private static void fast(Trial t, Form form) {
    Pair p = t.pair(Shape.of(QpType.RC));
    MemoryRegion mr = t.later(p.b.pd.allocFastRegistration(2));
    mr.map(p.b.mr.segment().asSlice(4096, 64), p.b.mr.segment().asSlice(8192, 64));
    int key = MemoryRegion.nextKey(mr.rkey());
    local(p.b, form, register(mr, key));
    Assertions.assertEquals(key, mr.rkey());
    p.a.mr.segment().set(ValueLayout.JAVA_LONG, 0, 0x77L);
    write(p, key, mr.iova() + 64, WcStatus.SUCCESS);
    Assertions.assertEquals(0x77L, p.b.mr.segment().get(ValueLayout.JAVA_LONG, 8192));
    local(p.b, form, new SendWr(0).opcode(WrOpcode.LOCAL_INV).invalidateRkey(key));
    dead(t, p, key, mr.iova());
  }

  private static void inHandler(Trial t, Pair p) {
    MemoryRegion mr = t.later(p.b.pd.allocFastRegistration(1));
    int key = MemoryRegion.nextKey(mr.rkey());
    SendWr register = register(mr, key).wrId(1).flags(SendFlags.SIGNALED);
    AtomicInteger status = new AtomicInteger(PostStatus.INVALID);
    Probe probe =
        new Probe(
            cq -> {
              mr.map(p.b.mr.segment().asSlice(4096, 64));
              status.set(p.b.qp.postSend(register));
            });
    Armed.of(t, probe).settle(0);
    Assertions.assertEquals(PostStatus.OK, status.get());
    Await.success(p.b.sendCq, 1);
    p.a.mr.segment().set(ValueLayout.JAVA_LONG, 0, 0x77L);
    write(p, key, mr.iova(), WcStatus.SUCCESS);
    Assertions.assertEquals(0x77L, p.b.mr.segment().get(ValueLayout.JAVA_LONG, 4096));
  }

  private static void sendInvalidate(Trial t, Form form) {
    Pair p = t.pair(Shape.of(QpType.RC));
    MemoryRegion mr = t.later(p.b.pd.allocFastRegistration(1));
    mr.map(p.b.mr.segment().asSlice(4096, 64));
    int key = MemoryRegion.nextKey(mr.rkey());
    local(p.b, form, register(mr, key));
    p.b.receive(5, 0, 64);
    SendWr wr = p.a.wr(WrOpcode.SEND_WITH_INV, 3, 0, 8).invalidateRkey(key);
    Assertions.assertEquals(PostStatus.OK, form.post(p.a.qp, wr));
    WorkCompletion wc = Await.success(p.b.recvCq, 5);
    Assertions.assertTrue((wc.wcFlags() & WcFlags.WITH_INVALIDATE) != 0, wc::toString);
    Assertions.assertEquals(key, wc.immData(), "the key that was invalidated");
    Await.success(p.a.sendCq, 3);
    dead(t, p, key, mr.iova());
  }

  private static void windows(Catalogue.Section s) {
    for (MwType type : MwType.values()) {
      Cap cap = type == MwType.TYPE_1 ? Cap.MEM_WINDOW : Cap.MEM_WINDOW_TYPE_2B;
      for (Form form : Form.values()) {
        s.pair(
            type + " bound: open where it is, closed beside it, " + form,
            (t, p) -> {
              MemoryRegion mr = bindable(t, p);
              MemoryWindow mw = t.later(p.b.pd.allocWindow(type));
              int key = bind(p, form, mw, mr, 64, 128);
              write(p, key, mr.iova() + 64, WcStatus.SUCCESS);
              write(p, key, mr.iova() + 64 + 120, WcStatus.SUCCESS);
              write(p, key, mr.iova() + 64 + 121, WcStatus.REM_ACCESS_ERR);
            },
            cap);
      }
      s.pair(
          type + " without the right to write is not written",
          (t, p) -> {
            MemoryRegion mr = bindable(t, p);
            MemoryWindow mw = t.later(p.b.pd.allocWindow(type));
            int key = MemoryRegion.nextKey(mw.rkey());
            MemoryWork work = new MemoryWork().bind(mw, key, mr, mr.iova(), 64, Access.REMOTE_READ);
            local(p.b, Form.LIST, new SendWr(0).opcode(WrOpcode.BIND_MW).memory(work));
            write(p, key, mr.iova(), WcStatus.REM_ACCESS_ERR);
          },
          cap);
      s.pair(
          type + " on a region without MW_BIND: MW_BIND_ERR",
          (t, p) -> {
            MemoryWindow mw = t.later(p.b.pd.allocWindow(type));
            int key = MemoryRegion.nextKey(mw.rkey());
            MemoryWork work = new MemoryWork().bind(mw, key, p.b.mr, p.b.addr(), 64, RIGHTS & ~1);
            p.b.send(new SendWr(0).wrId(1).opcode(WrOpcode.BIND_MW).memory(work));
            Await.status(p.b.sendCq, 1, WcStatus.MW_BIND_ERR);
            Assertions.assertEquals(QpState.ERR, p.b.qp.state());
          },
          cap);
    }
    windowsMore(s);
  }

  private static void windowsMore(Catalogue.Section s) {
    s.pair(
        "TYPE_1 bound again: the new key opens, the old one is dead",
        (t, p) -> {
          MemoryRegion mr = bindable(t, p);
          MemoryWindow mw = t.later(p.b.pd.allocWindow(MwType.TYPE_1));
          int first = bind(p, Form.LIST, mw, mr, 0, 64);
          int second = bind(p, Form.LIST, mw, mr, 64, 64);
          Assertions.assertEquals(second, mw.rkey());
          write(p, second, mr.iova() + 64, WcStatus.SUCCESS);
          write(p, first, mr.iova(), WcStatus.REM_ACCESS_ERR);
        },
        Cap.MEM_WINDOW);
    s.pair(
        "TYPE_2 invalidated: dead",
        (t, p) -> {
          MemoryRegion mr = bindable(t, p);
          MemoryWindow mw = t.later(p.b.pd.allocWindow(MwType.TYPE_2));
          int key = bind(p, Form.LIST, mw, mr, 0, 64);
          local(p.b, Form.LIST, new SendWr(0).opcode(WrOpcode.LOCAL_INV).invalidateRkey(key));
          write(p, key, mr.iova(), WcStatus.REM_ACCESS_ERR);
        },
        Cap.MEM_WINDOW_TYPE_2B,
        Cap.MEM_MGT_EXTENSIONS);
  }

  private static MemoryRegion bindable(Trial t, Pair p) {
    return t.later(p.b.pd.allocMemory(4096, 8, RIGHTS | Access.MW_BIND));
  }

  private static int bind(Pair p, Form form, MemoryWindow mw, MemoryRegion mr, int at, int bytes) {
    int key = MemoryRegion.nextKey(mw.rkey());
    int rights = Access.REMOTE_READ | Access.REMOTE_WRITE;
    MemoryWork work = new MemoryWork().bind(mw, key, mr, mr.iova() + at, bytes, rights);
    local(p.b, form, new SendWr(0).opcode(WrOpcode.BIND_MW).memory(work));
    return key;
  }

  private static void flush(Catalogue.Section s) {
    for (Form form : Form.values()) {
      s.pair(
          "completes after the write before it, " + form,
          (t, p) -> {
            p.a.mr.segment().set(ValueLayout.JAVA_LONG, 0, 99);
            p.a.send(p.a.wr(WrOpcode.RDMA_WRITE, 1, 0, 8, p.b, 64));
            Assertions.assertEquals(PostStatus.OK, form.post(p.a.qp, flush(p, Flush.RANGE)));
            Await.success(p.a.sendCq, 1);
            Await.success(p.a.sendCq, 2);
            Assertions.assertEquals(99, p.b.mr.segment().get(ValueLayout.JAVA_LONG, 64));
          });
    }
    s.pair(
        "of a whole region",
        (t, p) -> {
          p.a.send(flush(p, Flush.MR));
          Await.success(p.a.sendCq, 2);
        });
    s.lossless()
        .pair(
            "of a region without the right is refused",
            (t, p) -> {
              MemoryRegion mr = t.later(p.b.pd.allocMemory(64, 8, RIGHTS));
              SendWr wr = flush(p, Flush.RANGE).rkey(mr.rkey()).remoteAddr(mr.iova());
              p.a.send(wr);
              Await.status(p.a.sendCq, 2, WcStatus.REM_ACCESS_ERR);
            });
  }

  private static SendWr flush(Pair p, int level) {
    return new SendWr(0)
        .wrId(2)
        .flags(SendFlags.SIGNALED)
        .opcode(WrOpcode.FLUSH)
        .rkey(p.b.mr.rkey())
        .remoteAddr(p.b.addr() + 64)
        .memory(new MemoryWork().flush(8, Flush.GLOBAL, level));
  }
}
