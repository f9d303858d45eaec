package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.Access;
import ib.core.verbs.AhAttr;
import ib.core.verbs.AltPath;
import ib.core.verbs.Cap;
import ib.core.verbs.CqInit;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.IbNoMemoryException;
import ib.core.verbs.IbNotSupportedException;
import ib.core.verbs.Limit;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.MigState;
import ib.core.verbs.Mtu;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.RecvWr;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.SrqAttr;
import ib.core.verbs.SrqInit;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WrOpcode;
import ib.engine.qp.HcaConfig;
import ib.engine.ring.Race;
import ib.engine.time.NanoClock;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ControlPathTest {

  @Test
  @DisplayName(
      "IBA 11.4.1.1: what is wrong with a request is refused at the post, and nothing is posted")
  void immediateErrors() {
    try (Rig rig = Rig.two()) {
      Rig.Side a = rig.a();
      QueuePair qp = a.pd.createQp(Rig.init(a, QpType.RC, 4));
      assertEquals(PostStatus.INVALID, qp.postSend(new SendWr(1)), "RESET");
      rig.connect(QpType.RC, 4, 14, 7, 7);
      qp = a.qp;
      SendWr good = new SendWr(8);
      for (WrOpcode op :
          new WrOpcode[] {
            WrOpcode.RDMA_READ_WITH_INV,
            WrOpcode.MASKED_ATOMIC_CMP_AND_SWP,
            WrOpcode.MASKED_ATOMIC_FETCH_AND_ADD,
            WrOpcode.REG_MR_INTEGRITY,
            WrOpcode.LSO
          }) {
        SendWr bad = new SendWr(1).opcode(op);
        good.next(bad);
        assertEquals(PostStatus.NOT_SUPPORTED, qp.postSend(good), op.toString());
        assertSame(bad, good.badWr());
      }
      for (WrOpcode op : new WrOpcode[] {WrOpcode.BIND_MW, WrOpcode.REG_MR, WrOpcode.FLUSH}) {
        assertEquals(PostStatus.INVALID, qp.postSend(new SendWr(0).opcode(op)), op + " of nothing");
      }
      SendWr sges = new SendWr(5);
      for (int i = 0; i < 5; i++) {
        sges.addSge(0, 0, 0);
      }
      assertEquals(PostStatus.INVALID, qp.postSend(sges));
      assertEquals(PostStatus.INVALID, qp.postSend(new SendWr(1).flags(1 << 9)));
      byte[] large = new byte[200];
      assertEquals(
          PostStatus.INVALID,
          qp.postSend(new SendWr(1).inline(MemorySegment.ofArray(large), 0, 129)));
      MemorySegment closed;
      try (Arena arena = Arena.ofConfined()) {
        closed = arena.allocate(8);
      }
      assertEquals(PostStatus.INVALID, qp.postSend(new SendWr(1).inline(closed, 0, 8)));
      assertEquals(
          PostStatus.INVALID,
          qp.postSend(
              new SendWr(1)
                  .opcode(WrOpcode.RDMA_READ)
                  .flags(SendFlags.INLINE | SendFlags.SIGNALED)));
      Rig.assertEmpty(a.sendCq);
    }
  }

  @Test
  @DisplayName(
      "S6, S7: a full queue is QUEUE_FULL, a list is posted whole or not at all; builder likewise")
  void full() {
    try (Rig rig = Rig.two().connect(QpType.RC, 4, 14, 7, 7)) {
      Rig.Side a = rig.a();
      SendWr list = null;
      for (int i = 4; i >= 0; i--) {
        list = new SendWr(1).wrId(i).next(list);
      }
      assertEquals(PostStatus.QUEUE_FULL, a.qp.postSend(list));
      assertEquals(4, list.badWr().wrId());
      a.qp.wrStart();
      for (int i = 0; i < 5; i++) {
        a.qp.wrSend();
      }
      assertEquals(PostStatus.QUEUE_FULL, a.qp.wrComplete());
      a.qp.wrStart();
      a.qp.wrSetSge(1, 2, 3);
      assertEquals(PostStatus.INVALID, a.qp.wrComplete(), "an element of no request");
      a.qp.wrStart();
      a.qp.wrSend();
      a.qp.wrAbort();
      assertEquals(PostStatus.OK, a.qp.wrComplete(), "nothing to post");
      rig.wire.loses(p -> true);
      SendWr three = new SendWr(1).next(new SendWr(1).next(new SendWr(1)));
      assertEquals(PostStatus.OK, a.qp.postSend(three));
      assertEquals(PostStatus.QUEUE_FULL, a.qp.postSend(three));
      assertSame(three.next(), three.badWr(), "room for one");
      RecvWr many = null;
      for (int i = 4; i >= 0; i--) {
        many = new RecvWr(1).wrId(i).next(many);
      }
      assertEquals(PostStatus.QUEUE_FULL, a.qp.postReceive(many));
      assertEquals(4, many.badWr().wrId());
      assertEquals(0L, (long) a.qp.query().cap().maxRecvWr() - 4);
    }
  }

  @Test
  @DisplayName("IBA 11.2.5.2: modify checks values first and changes nothing when it refuses")
  void modifyRefuses() {
    try (Rig rig = Rig.two()) {
      Rig.Side a = rig.a();
      QueuePair qp = a.pd.createQp(Rig.init(a, QpType.RC, 4));
      QpAttr init = new QpAttr().state(QpState.INIT).pkeyIndex(0).port(1).accessFlags(0);
      assertThrows(IbInvalidException.class, () -> qp.modify(init.copy().port(2)));
      assertThrows(IbInvalidException.class, () -> qp.modify(init.copy().pkeyIndex(4000)));
      assertEquals(QpState.RESET, qp.state());
      qp.modify(init);
      a.hca.port(1).update(b -> b.activeMtu(Mtu.MTU_2048));
      QpAttr rtr =
          new QpAttr()
              .state(QpState.RTR)
              .av(AhAttr.ofLid(1, 2, 0))
              .pathMtu(Mtu.MTU_2048)
              .destQpn(5)
              .rqPsn(77)
              .maxDestRdAtomic(4)
              .minRnrTimer(1);
      assertThrows(IbInvalidException.class, () -> qp.modify(rtr.copy().pathMtu(Mtu.MTU_4096)));
      assertThrows(IbInvalidException.class, () -> qp.modify(rtr.copy().maxDestRdAtomic(200)));
      assertThrows(IbInvalidException.class, () -> qp.modify(rtr.copy().av(AhAttr.ofLid(2, 2, 0))));
      assertEquals(QpState.INIT, qp.state());
      qp.modify(rtr);
      QpAttr known = qp.query();
      assertEquals(QpState.RTR, known.state());
      assertEquals(77, known.rqPsn());
      assertEquals(5, known.destQpn());
      assertEquals(Mtu.MTU_2048, known.pathMtu());
    }
  }

  @Test
  @DisplayName("S48: device limits are refused with the limit's name; closing makes room")
  void limits() {
    HcaConfig small =
        HcaConfig.of(1, 2)
            .withLimits(
                Map.of(Limit.MAX_QP, 1L, Limit.MAX_CQ, 3L, Limit.MAX_MR, 2L, Limit.MAX_PD, 2L));
    try (Rig rig = new Rig(NanoClock.SYSTEM, true, small)) {
      Rig.Side a = rig.a();
      QueuePair one = a.pd.createQp(Rig.init(a, QpType.RC, 1));
      IbNoMemoryException e =
          assertThrows(IbNoMemoryException.class, () -> a.pd.createQp(Rig.init(a, QpType.RC, 1)));
      assertTrue(e.getMessage().contains("max_qp is 1"), e.getMessage());
      one.close();
      a.pd.createQp(Rig.init(a, QpType.RC, 1)).close();
      a.device.createCq(new CqInit(1));
      assertThrows(IbNoMemoryException.class, () -> a.device.createCq(new CqInit(1)));
      a.pd.allocMemory(8, 8, 0);
      assertThrows(IbNoMemoryException.class, () -> a.pd.allocMemory(8, 8, 0));
      a.device.allocPd();
      assertThrows(IbNoMemoryException.class, () -> a.device.allocPd());
    }
  }

  @Test
  @DisplayName("APM: not offered, and says so; an alternate path and a migration state are kept")
  void alternatePath() {
    try (Rig rig = Rig.two().connect(QpType.RC)) {
      Rig.Side a = rig.a();
      assertFalse(a.device.has(Cap.AUTO_PATH_MIG));
      QpAttr alt = new QpAttr().state(QpState.RTS).altPath(AhAttr.ofLid(1, 9, 0), 0, 1, 12);
      a.qp.modify(alt.pathMigState(MigState.REARM));
      assertEquals(new AltPath(AhAttr.ofLid(1, 9, 0), 0, 1, 12), a.qp.query().altPath());
      assertEquals(MigState.REARM, a.qp.query().pathMigState());
      QpAttr bad = new QpAttr().state(QpState.RTS).altPath(AhAttr.ofLid(2, 9, 0), 0, 2, 12);
      assertThrows(IbInvalidException.class, () -> a.qp.modify(bad), "no such port");
      assertEquals(1, Objects.requireNonNull(a.qp.query().altPath()).port());
    }
  }

  @Test
  @DisplayName("capabilities that are absent are refused by name")
  void absent() {
    try (Rig rig = Rig.two()) {
      Rig.Side a = rig.a();
      for (Cap c : new Cap[] {Cap.FLUSH_PERSISTENT, Cap.MEM_WINDOW_TYPE_2A, Cap.XRC}) {
        assertFalse(a.device.has(c));
      }
      assertThrows(
          IbNotSupportedException.class,
          () -> a.pd.allocMemory(8, 8, Access.LOCAL_WRITE | Access.FLUSH_PERSISTENT));
      assertThrows(
          IbNotSupportedException.class, () -> a.pd.createQp(Rig.init(a, QpType.XRC_INI, 1)));
      var srq = a.pd.createSrq(new SrqInit(new SrqAttr(4, 1, 0), null, null));
      assertThrows(IbNotSupportedException.class, () -> srq.modify(new SrqAttr(8, 0, 0)));
    }
  }

  @Test
  @DisplayName(
      "D9: queue pair numbers, keys and addresses are not sequential, spread, and not soon reused")
  void numbers() {
    try (Rig rig = Rig.two()) {
      Rig.Side a = rig.a();
      int n = 2_000;
      Set<Integer> qpns = new HashSet<>();
      Set<Integer> keys = new HashSet<>();
      Set<Long> iovas = new HashSet<>();
      int[] bits = new int[32];
      int steps = 0;
      int before = 0;
      QpInit init = new QpInit(QpType.UD, a.sendCq, new QpCap(1, 1, 1, 1, 0));
      for (int i = 0; i < n; i++) {
        QueuePair qp = a.pd.createQp(init);
        MemoryRegion mr = a.pd.registerMemory(a.mr.segment(), Access.LOCAL_WRITE);
        assertTrue(qpns.add(qp.qpn()), "reused at once");
        assertTrue(qp.qpn() > 1 && qp.qpn() < 0xffffff);
        assertTrue(keys.add(mr.lkey()) && keys.add(mr.rkey()), "reused at once");
        assertTrue(iovas.add(mr.iova()));
        assertNotEquals(mr.segment().address(), mr.iova());
        assertEquals(mr.segment().address() & 4095, mr.iova() & 4095);
        for (int b = 0; b < 32; b++) {
          bits[b] += mr.rkey() >>> b & 1;
        }
        steps += Math.abs(qp.qpn() - before) < 1000 ? 1 : 0;
        before = qp.qpn();
        qp.close();
        mr.close();
      }
      assertTrue(steps < 10, steps + " neighbours"); // about 0.2 expected
      for (int b = 0; b < 32; b++) {
        assertTrue(Math.abs(bits[b] - n / 2) < n / 10, "bit " + b + ": " + Arrays.toString(bits));
      }
    }
  }

  @Test
  @DisplayName(
      "REREG_MR: keys change, the old ones open nothing, memory and rights are the new ones")
  void reregister() {
    try (Rig rig = Rig.two().connect(QpType.RC)) {
      Rig.Side a = rig.a();
      Rig.Side b = rig.b();
      MemoryRegion mr = b.pd.allocMemory(64, 8, Access.LOCAL_WRITE);
      int old = mr.rkey();
      mr.reregister(null, Rig.ALL_ACCESS);
      assertNotEquals(old, mr.rkey());
      SendWr write =
          new SendWr(1)
              .opcode(WrOpcode.RDMA_WRITE)
              .flags(SendFlags.SIGNALED)
              .rkey(mr.rkey())
              .remoteAddr(mr.iova())
              .addSge(a.mr.lkey(), a.mr.iova(), 8);
      assertEquals(PostStatus.OK, a.qp.postSend(write));
      assertEquals(WcStatus.SUCCESS, Rig.await(a.sendCq).status());
      assertEquals(PostStatus.OK, a.qp.postSend(write.rkey(old)));
      assertEquals(WcStatus.REM_ACCESS_ERR, Rig.await(a.sendCq).status());
    }
  }

  @Test
  @DisplayName("I8, B23: when close of a region has returned, no write reaches its memory any more")
  void fence() throws InterruptedException {
    try (Rig rig = Rig.two()) {
      for (int i = 0; i < 60; i++) {
        rig.connect(QpType.RC, 16, 14, 7, 7);
        fenced(rig);
        rig.a().qp.close();
        rig.b().qp.close();
        while (rig.a().sendCq.startPoll()) {
          rig.a().sendCq.endPoll();
        }
      }
    }
  }

  private static void fenced(Rig rig) throws InterruptedException {
    Rig.Side a = rig.a();
    Rig.Side b = rig.b();
    int size = 1 << 16;
    MemorySegment memory = Arena.ofAuto().allocate(size, 8);
    MemoryRegion mr = b.pd.registerMemory(memory, Rig.ALL_ACCESS);
    a.mr.segment().fill((byte) 1);
    AtomicBoolean closed = new AtomicBoolean();
    Throwable failure =
        Race.run(
            2,
            Race.HANG_S,
            (me, race) -> {
              if (me == 0) {
                SendWr write =
                    new SendWr(1)
                        .opcode(WrOpcode.RDMA_WRITE)
                        .rkey(mr.rkey())
                        .remoteAddr(mr.iova())
                        .addSge(a.mr.lkey(), a.mr.iova(), size);
                while (!closed.get()) {
                  a.qp.postSend(write);
                }
              } else {
                while (memory.get(ValueLayout.JAVA_BYTE, 0) == 0) {
                  race.pause();
                }
                mr.close();
                memory.fill((byte) 2);
                for (int i = 0; i < 50; i++) {
                  race.pause();
                  for (int k = 0; k < size; k += 64) {
                    if (memory.get(ValueLayout.JAVA_BYTE, k) != 2) {
                      closed.set(true);
                      throw new AssertionError("written after close");
                    }
                  }
                }
                closed.set(true);
              }
            });
    assertNull(failure);
  }
}
