package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.Cap;
import ib.core.verbs.CompletionNotifier;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.NotifyFlags;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WorkCompletion;
import ib.engine.qp.HcaConfig;
import ib.engine.time.VirtualClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("issue 3, section 1: CQ moderation, as ib_modify_cq; times are virtual")
class ModerationTest {
  private static final long US = 1_000;

  private final VirtualClock clock = new VirtualClock();
  private final Rig rig = new Rig(clock, false, HcaConfig.of(0x10, 0x11), HcaConfig.of(0x20, 0x21));
  private final CompletionQueue cq = rig.a().sendCq;
  private int calls;

  @BeforeEach
  void connect() {
    rig.connect(QpType.RC);
    cq.connect(
        new CompletionNotifier() {
          @Override
          public void notifyCompletion(CompletionQueue which) {
            calls++;
          }

          @Override
          public int processDirect(CompletionQueue which, int budget) {
            return 0;
          }
        });
  }

  @AfterEach
  void close() {
    rig.close();
  }

  private void complete(int n) {
    Rig.Side a = rig.a();
    for (int i = 0; i < n; i++) {
      a.qp.wrStart();
      a.qp.wrFlags(SendFlags.SIGNALED);
      a.qp.wrRdmaWrite(rig.b().mr.rkey(), rig.b().mr.iova());
      a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), 8);
      assertEquals(PostStatus.OK, a.qp.wrComplete());
    }
    rig.settle();
  }

  private void pass(long us) {
    clock.advance(us * US);
    rig.settle();
  }

  private void poll(int n) {
    for (int i = 0; i < n; i++) {
      Rig.next(cq);
    }
    Rig.assertEmpty(cq);
  }

  @Test
  @DisplayName("one call for so many completions; armed again, it counts anew")
  void count() {
    assertTrue(rig.a().device.has(Cap.CQ_MODERATION));
    cq.moderate(4, 60_000);
    for (int round = 1; round <= 3; round++) {
      cq.requestNotify(NotifyFlags.NEXT_COMP);
      complete(3);
      assertEquals(round - 1, calls);
      complete(1);
      assertEquals(round, calls);
      complete(2);
      assertEquals(round, calls, "not armed");
      poll(6);
    }
  }

  @Test
  @DisplayName("fewer completions notify the consumer a period after the first of them, not sooner")
  void period() {
    cq.moderate(100, 50);
    cq.requestNotify(NotifyFlags.NEXT_COMP);
    pass(500);
    assertEquals(0, calls, "nothing has come");
    complete(1);
    pass(30);
    complete(1);
    pass(19);
    assertEquals(0, calls);
    pass(1);
    assertEquals(1, calls);
    poll(2);
    pass(1000);
    assertEquals(1, calls);
    cq.requestNotify(NotifyFlags.NEXT_COMP);
    complete(1);
    pass(50);
    assertEquals(2, calls, "the same timer again");
  }

  @Test
  @DisplayName("one timer for a call, not for a completion; none is left when no consumer waits")
  void oneTimer() {
    cq.moderate(1000, 50);
    complete(10);
    assertEquals(Long.MAX_VALUE, rig.a().hca.earliestTimerNs(), "not armed: no timer");
    poll(10);
    cq.requestNotify(NotifyFlags.NEXT_COMP);
    complete(20);
    long due = rig.a().hca.earliestTimerNs();
    complete(20);
    assertEquals(due, rig.a().hca.earliestTimerNs());
    pass(50);
    assertEquals(1, calls);
    assertEquals(Long.MAX_VALUE, rig.a().hca.earliestTimerNs(), "one timer for 40 completions");
  }

  @Test
  @DisplayName("a failed completion notifies the consumer at once")
  void failed() {
    cq.moderate(100, 60_000);
    cq.requestNotify(NotifyFlags.NEXT_COMP);
    rig.wire.loses(p -> true);
    Rig.Side a = rig.a();
    a.qp.wrStart();
    a.qp.wrRdmaWrite(1, 1);
    a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), 8);
    assertEquals(PostStatus.OK, a.qp.wrComplete());
    a.qp.modify(new QpAttr().state(QpState.ERR));
    assertEquals(1, calls);
  }

  @Test
  @DisplayName("SOLICITED: only solicited completions count and start the time")
  void solicited() {
    CompletionQueue receives = rig.b().device.createCq(new CqInit(64));
    int[] heard = {0};
    receives.connect(
        new CompletionNotifier() {
          @Override
          public void notifyCompletion(CompletionQueue which) {
            heard[0]++;
          }

          @Override
          public int processDirect(CompletionQueue which, int budget) {
            return 0;
          }
        });
    rig.b().recvCq = receives;
    rig.connect(QpType.RC);
    receives.moderate(2, 50);
    receives.requestNotify(NotifyFlags.SOLICITED);
    for (int flags : new int[] {0, 0, SendFlags.SOLICITED, 0, SendFlags.SOLICITED}) {
      assertEquals(0, heard[0]);
      rig.b().qp.postReceive(1, rig.b().mr.lkey(), rig.b().mr.iova(), 8);
      Rig.Side a = rig.a();
      a.qp.wrStart();
      a.qp.wrFlags(flags);
      a.qp.wrSend();
      a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), 8);
      assertEquals(PostStatus.OK, a.qp.wrComplete());
      rig.settle();
    }
    assertEquals(1, heard[0]);
  }

  @Test
  @DisplayName(
      "turned off in the middle: the consumer is notified; a count of 1 or no period is off")
  void off() {
    cq.moderate(100, 60_000);
    cq.requestNotify(NotifyFlags.NEXT_COMP);
    complete(3);
    assertEquals(0, calls);
    cq.moderate(0, 0);
    assertEquals(1, calls);
    int expected = 1;
    for (int[] none : new int[][] {{1, 100}, {0, 100}, {100, 0}}) {
      cq.moderate(none[0], none[1]);
      poll(expected == 1 ? 3 : 1);
      cq.requestNotify(NotifyFlags.NEXT_COMP);
      complete(1);
      assertEquals(++expected, calls);
    }
    assertThrows(IbInvalidException.class, () -> cq.moderate(65_536, 1));
    assertThrows(IbInvalidException.class, () -> cq.moderate(1, 65_536));
    assertThrows(IbInvalidException.class, () -> cq.moderate(-1, 1));
  }

  @Test
  @DisplayName("no timer outlives its queue")
  void closed() {
    CompletionQueue other = rig.a().device.createCq(new CqInit(64));
    rig.a().sendCq = other;
    rig.connect(QpType.RC);
    other.moderate(100, 60_000);
    other.requestNotify(NotifyFlags.NEXT_COMP);
    complete(1);
    assertTrue(rig.a().hca.earliestTimerNs() < Long.MAX_VALUE);
    rig.a().qp.close();
    other.poll(new WorkCompletion[] {new WorkCompletion()}, 1);
    other.close();
    rig.settle();
    assertEquals(Long.MAX_VALUE, rig.a().hca.earliestTimerNs());
  }
}
