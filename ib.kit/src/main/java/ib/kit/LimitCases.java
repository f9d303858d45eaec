package ib.kit;

import ib.core.verbs.Access;
import ib.core.verbs.Cap;
import ib.core.verbs.CqInit;
import ib.core.verbs.Gid;
import ib.core.verbs.IbException;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.IbNoMemoryException;
import ib.core.verbs.IbObject;
import ib.core.verbs.Limit;
import ib.core.verbs.MwType;
import ib.core.verbs.PollContext;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpType;
import ib.core.verbs.SrqAttr;
import ib.core.verbs.SrqInit;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.function.Executable;

/** Every limit is reached: the error is typed and names it, and nothing leaks (F29). */
final class LimitCases {
  private static final long REACHABLE = 2_000;

  private LimitCases() {}

  static void add(Catalogue c) {
    counts(c.section("LIMIT", 1, "limits: how many", Cap.RC).limits());
    ranges(c.section("LIMIT", 31, "limits: how large", Cap.RC).limits());
    memory(c.section("LIMIT", 61, "limits: memory"));
  }

  private static void counts(Catalogue.Section s) {
    count(s, Limit.MAX_PD, e -> e.device.allocPd());
    count(s, Limit.MAX_CQ, e -> e.device.createCq(new CqInit(1)));
    count(s, Limit.MAX_QP, e -> e.pd.createQp(e.init()));
    count(s, Limit.MAX_MR, e -> e.pd.allocMemory(1, 1, 0));
    count(s, Limit.MAX_AH, e -> e.pd.createAh(e.self));
    count(s, Limit.MAX_SRQ, LifeCases::srq, Cap.SRQ);
    count(s, Limit.MAX_MW, e -> e.pd.allocWindow(MwType.TYPE_1), Cap.MEM_WINDOW);
    s.add(
        "MAX_MCAST_GRP is reached: IbNoMemoryException, and room again after a detach",
        t -> groups(t),
        Cap.UD,
        Cap.MULTICAST);
    s.add(
        "MAX_MCAST_QP_ATTACH is reached: IbNoMemoryException, and room again after a close",
        t -> members(t),
        Cap.UD,
        Cap.MULTICAST);
  }

  private static void count(
      Catalogue.Section s, Limit limit, Function<End, IbObject> maker, Cap... needs) {
    s.end(
        limit + " is reached: IbNoMemoryException names it; closing makes room; nothing leaks",
        (t, e) -> {
          long most = reachable(t, limit);
          int first = fill(e, limit, most, maker);
          Assertions.assertEquals(first, fill(e, limit, most, maker), "as many as the first time");
        },
        needs);
  }

  private static long reachable(Trial t, Limit limit) {
    long most = t.left().attrs().limit(limit);
    t.assume(
        most > 0 && most <= REACHABLE,
        limit + " is " + most + ", not to be reached (see DeviceContract.openSmall)");
    return most;
  }

  private static int fill(End e, Limit limit, long most, Function<End, IbObject> maker) {
    List<IbObject> made = new ArrayList<>();
    try {
      IbException full = null;
      while (full == null && made.size() <= most) {
        try {
          made.add(maker.apply(e));
        } catch (IbException refused) {
          full = refused;
        }
      }
      Assertions.assertInstanceOf(IbNoMemoryException.class, full, limit + " is not kept");
      String text = String.valueOf(full.getMessage());
      Assertions.assertTrue(text.contains(limit.label()), () -> limit.label() + " in: " + text);
      made.removeLast().close();
      made.add(maker.apply(e));
      Assertions.assertThrows(IbNoMemoryException.class, () -> maker.apply(e));
      return made.size();
    } finally {
      made.forEach(IbObject::close);
    }
  }

  private static Gid group(int n) {
    return new Gid(0xff12_401b_ffff_0000L, 0x77_0000L + n);
  }

  private static void groups(Trial t) {
    End e = t.end(t.left(), Shape.of(QpType.UD));
    int most = (int) reachable(t, Limit.MAX_MCAST_GRP);
    e.init(0);
    for (int i = 0; i < most; i++) {
      e.qp.attachMulticast(group(i), 0xc100 + i);
    }
    Executable more = () -> e.qp.attachMulticast(group(most), 0xc100 + most);
    Assertions.assertThrows(IbNoMemoryException.class, more);
    e.qp.detachMulticast(group(0), 0xc100);
    e.qp.attachMulticast(group(most), 0xc100 + most);
    for (int i = 1; i <= most; i++) {
      e.qp.detachMulticast(group(i), 0xc100 + i);
    }
  }

  private static void members(Trial t) {
    int most = (int) reachable(t, Limit.MAX_MCAST_QP_ATTACH);
    List<End> ends = new ArrayList<>();
    for (int i = 0; i <= most; i++) {
      ends.add(t.end(t.left(), Shape.of(QpType.UD)));
      ends.getLast().init(0);
    }
    for (int i = 0; i < most; i++) {
      ends.get(i).qp.attachMulticast(group(0), 0xc100);
    }
    Executable more = () -> ends.getLast().qp.attachMulticast(group(0), 0xc100);
    Assertions.assertThrows(IbNoMemoryException.class, more);
    ends.getFirst().qp.detachMulticast(group(0), 0xc100);
    ends.getLast().qp.attachMulticast(group(0), 0xc100);
    for (int i = 1; i <= most; i++) {
      ends.get(i).qp.detachMulticast(group(0), 0xc100);
    }
  }

  /** Makes something that is one larger than a limit. */
  @FunctionalInterface
  private interface TooLarge {
    void make(End e, int size);
  }

  private static void ranges(Catalogue.Section s) {
    range(s, "entries", Limit.MAX_CQE, (e, n) -> e.device.createCq(new CqInit(n)));
    range(s, "sends", Limit.MAX_QP_WR, (e, n) -> qp(e, new QpCap(n, 1, 1, 1, 0)));
    range(s, "receives", Limit.MAX_QP_WR, (e, n) -> qp(e, new QpCap(1, n, 1, 1, 0)));
    range(s, "pieces of a send", Limit.MAX_SGE, (e, n) -> qp(e, new QpCap(1, 1, n, 1, 0)));
    range(s, "pieces of a receive", Limit.MAX_SGE, (e, n) -> qp(e, new QpCap(1, 1, 1, n, 0)));
    range(s, "inline bytes", Limit.MAX_INLINE_DATA, (e, n) -> qp(e, new QpCap(1, 1, 1, 1, n)));
    range(
        s, "receives of an SRQ", Limit.MAX_SRQ_WR, (e, n) -> srq(e, new SrqAttr(n, 1, 0)), Cap.SRQ);
    range(
        s,
        "pieces of a receive of an SRQ",
        Limit.MAX_SRQ_SGE,
        (e, n) -> srq(e, new SrqAttr(1, n, 0)),
        Cap.SRQ);
    range(s, "entries by resize", Limit.MAX_CQE, (e, n) -> e.recvCq.resize(n), Cap.CQ_RESIZE);
    s.end(
        "a completion vector that does not exist is refused, raw and managed",
        (t, e) -> {
          int n = e.device.completionVectors();
          refused(() -> e.device.createCq(new CqInit(8, n, null, null, null, null)), n);
          refused(() -> e.device.allocCq(8, n, PollContext.WORKQUEUE), n);
        });
    s.add(
        "a completion queue of 0 entries is refused",
        t -> refused(() -> t.left().createCq(new CqInit(0)), 0));
    s.add(
        "ports 0 and n + 1 are refused by every query",
        t -> {
          for (int port : new int[] {0, t.left().portCount() + 1}) {
            refused(() -> t.left().queryPort(port), port);
            refused(() -> t.left().port(port), port);
            refused(() -> t.left().gid(port, 0), port);
            refused(() -> t.left().pkey(port, 0), port);
          }
        });
    s.end(
        "an SRQ limit above the capacity is refused",
        (t, e) -> refused(() -> srq(e, new SrqAttr(8, 1, 9)), 9),
        Cap.SRQ);
    s.pair(
        "a CQ is not resized below what waits in it, and keeps it",
        (t, p) -> {
          for (int i = 0; i < 20; i++) {
            p.a.receive(i, 0, 8);
          }
          p.a.error();
          Await.until("flush", () -> p.a.qp.state() == ib.core.verbs.QpState.ERR);
          Assertions.assertThrows(IbInvalidException.class, () -> p.a.recvCq.resize(4));
          p.a.recvCq.resize(100);
          for (int i = 0; i < 20; i++) {
            Assertions.assertEquals(i, Await.next(p.a.recvCq).wrId());
          }
        },
        Cap.CQ_RESIZE);
  }

  private static void qp(End e, QpCap cap) {
    e.pd.createQp(new QpInit(QpType.RC, e.sendCq, cap));
  }

  private static void srq(End e, SrqAttr attr) {
    e.pd.createSrq(new SrqInit(attr, null, null));
  }

  private static void range(
      Catalogue.Section s, String what, Limit limit, TooLarge maker, Cap... needs) {
    s.end(
        "more " + what + " than " + limit + " are refused and the largest number is named",
        (t, e) -> {
          long most = e.device.attrs().limit(limit);
          t.assume(most < Integer.MAX_VALUE, limit + " is more than an int");
          int used = e.pd.useCount();
          refused(() -> maker.make(e, (int) most + 1), most);
          Assertions.assertEquals(used, e.pd.useCount(), "references are given back");
        },
        needs);
  }

  private static void refused(Executable call, long named) {
    IbInvalidException e = Assertions.assertThrows(IbInvalidException.class, call);
    Assertions.assertTrue(
        String.valueOf(e.getMessage()).contains(String.valueOf(named)),
        () -> named + " in: " + e.getMessage());
    Assertions.assertFalse(e.hint().isEmpty(), "says what to try");
  }

  private static void memory(Catalogue.Section s) {
    s.add("heap memory is not registered", t -> memory(t, MemorySegment.ofArray(new byte[8]), 0));
    s.add("an empty segment is not registered", t -> memory(t, MemorySegment.ofAddress(4096), 0));
    s.add(
        "confined memory is not registered",
        t -> {
          try (Arena arena = Arena.ofConfined()) {
            memory(t, arena.allocate(8), 0);
          }
        });
    s.add(
        "REMOTE_WRITE and REMOTE_ATOMIC need LOCAL_WRITE (IBA 10.6.3)",
        t -> {
          try (Arena arena = Arena.ofShared()) {
            memory(t, arena.allocate(8), Access.REMOTE_WRITE);
            memory(t, arena.allocate(8), Access.REMOTE_ATOMIC);
          }
        });
  }

  private static void memory(Trial t, MemorySegment segment, int access) {
    try (var pd = t.left().allocPd()) {
      Assertions.assertThrows(
          IbInvalidException.class, () -> pd.registerMemory(segment, access).close());
    }
  }
}
