package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.core.verbs.AhAttr;
import ib.core.verbs.CompletionNotifier;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.Mtu;
import ib.core.verbs.NotifyFlags;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import ib.core.verbs.WrOpcode;
import ib.engine.link.GuardLimits;
import ib.engine.port.HcaPort;
import ib.engine.qp.HcaConfig;
import ib.engine.time.VirtualClock;
import ib.engine.wire.Packet;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** D5: the routes that need no packet, and what a receive tells of them; packets tell the same. */
class DirectRoutesTest {
  private static final int PSN = 0xfffffe;
  private static final int STRANGER = 77;
  private static final int VIOLATIONS = 20;

  private final Rig rig =
      new Rig(new VirtualClock(), false, HcaConfig.of(0x10, 0x11), HcaConfig.of(0x20, 0x21));
  private final Rig.Side a = rig.a();
  private final Rig.Side b = rig.b();

  @AfterEach
  void close() {
    rig.close();
  }

  private void connect(AhAttr fromA, AhAttr fromB) {
    for (Rig.Side s : List.of(a, b)) {
      s.qp = s.pd.createQp(Rig.init(s, QpType.RC, 16));
    }
    bringUp(a, b, fromA);
    bringUp(b, a, fromB);
  }

  private static void bringUp(Rig.Side s, Rig.Side other, AhAttr way) {
    s.qp.modify(new QpAttr().state(QpState.INIT).pkeyIndex(0).port(1).accessFlags(Rig.ALL_ACCESS));
    s.qp.modify(
        new QpAttr()
            .state(QpState.RTR)
            .av(way)
            .pathMtu(Mtu.MTU_1024)
            .destQpn(other.qp.qpn())
            .rqPsn(PSN)
            .maxDestRdAtomic(4)
            .minRnrTimer(1));
    QpAttr rts = new QpAttr().state(QpState.RTS).sqPsn(PSN).timeout(14);
    s.qp.modify(rts.retryCount(7).rnrRetry(7).maxRdAtomic(4));
  }

  private void post(WrOpcode opcode, int flags) {
    SendWr wr = new SendWr(1).opcode(opcode).flags(SendFlags.SIGNALED | flags);
    wr.rkey(b.mr.rkey()).remoteAddr(b.mr.iova()).addSge(a.mr.lkey(), a.mr.iova(), 8);
    assertEquals(PostStatus.OK, a.qp.postSend(wr));
    rig.settle();
    assertEquals(WcStatus.SUCCESS, Rig.next(a.sendCq).status());
  }

  private WorkCompletion receive(int flags) {
    assertEquals(PostStatus.OK, b.qp.postReceive(1, b.mr.lkey(), b.mr.iova(), 8));
    post(WrOpcode.SEND, flags);
    return Rig.next(b.recvCq);
  }

  private void direct(boolean expected) {
    assertEquals(expected, rig.wire.transmitted.get() == 0, "without packets");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("IBA 11.4.2.1: a receive tells the service level and the sender's LID")
  void path(boolean packets) {
    a.hca.port(1).lid(8, 1);
    rig.wire.lmc = 1;
    rig.wire.segments(packets);
    connect(new AhAttr(b.lid(), 3, 1, 0, 1, null), AhAttr.ofLid(1, 9, 3));
    WorkCompletion wc = receive(0);
    assertEquals(3, wc.sl());
    assertEquals(9, wc.slid());
    direct(!packets);
  }

  @Test
  @DisplayName("data is counted by service level, both ways on one: else it takes packets")
  void serviceLevels() {
    connect(AhAttr.ofLid(1, b.lid(), 3), AhAttr.ofLid(1, a.lid(), 2));
    assertEquals(3, receive(0).sl());
    direct(false);
  }

  @Test
  @DisplayName("IBA 9.6.1.2: a peer that answers from another LID than it is reached at has no way")
  void answersFromElsewhere() {
    a.hca.port(1).lid(8, 1);
    b.hca.port(1).lid(4, 1);
    rig.wire.lmc = 1;
    connect(AhAttr.ofLid(1, 4, 0), new AhAttr(8, 0, 1, 0, 1, null));
    SendWr wr = new SendWr(1).opcode(WrOpcode.RDMA_WRITE).flags(SendFlags.SIGNALED);
    wr.rkey(b.mr.rkey()).remoteAddr(b.mr.iova()).addSge(a.mr.lkey(), a.mr.iova(), 8);
    assertEquals(PostStatus.OK, a.qp.postSend(wr));
    direct(false);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("F-9: while a port of the two mutes a source, each request takes packets")
  void muting(boolean senders) {
    rig.connect(QpType.RC);
    post(WrOpcode.RDMA_WRITE, 0);
    direct(true);
    HcaPort port = (senders ? a : b).hca.port(1);
    port.guard(GuardLimits.STRICT);
    for (int i = 0; i < VIOLATIONS; i++) {
      Packet p = new Packet(null);
      p.slid = STRANGER;
      port.guard().violation(p);
    }
    post(WrOpcode.RDMA_WRITE, 0);
    direct(false);
  }

  @Test
  @DisplayName("IBA 9.2: sequence numbers wrap at 24 bits without packets, too")
  void numbersWrap() {
    rig.connect(QpType.RC);
    for (int i = 0; i < 3; i++) {
      post(WrOpcode.RDMA_WRITE, 0);
    }
    direct(true);
    List<Integer> numbers = new ArrayList<>();
    rig.wire.loses(
        p -> {
          numbers.add(p.psn);
          return false;
        });
    post(WrOpcode.RDMA_WRITE, 0);
    assertEquals(List.of(1, 1), numbers, "of the request and of its answer");
  }

  /** Counts calls, and does something in each. */
  private record Counting(List<CompletionQueue> calls, Runnable what)
      implements CompletionNotifier {
    @Override
    public void notifyCompletion(CompletionQueue which) {
      calls.add(which);
      what.run();
    }

    @Override
    public int processDirect(CompletionQueue which, int budget) {
      return 0;
    }
  }

  @Test
  @DisplayName("IBA 11.4.2.2: a solicited message without packets wakes who waits for such")
  void solicited() {
    rig.connect(QpType.RC);
    List<CompletionQueue> calls = new ArrayList<>();
    b.recvCq.connect(new Counting(calls, () -> {}));
    b.recvCq.requestNotify(NotifyFlags.SOLICITED);
    receive(0);
    assertEquals(List.of(), calls);
    receive(SendFlags.SOLICITED);
    assertEquals(List.of(b.recvCq), calls);
    direct(true);
  }

  @Test
  @DisplayName("D5: what is posted at the peer while a request is executed there, goes out after")
  void postedMeanwhile() {
    rig.connect(QpType.RC);
    SendWr back = new SendWr(1).opcode(WrOpcode.RDMA_WRITE).flags(SendFlags.SIGNALED);
    back.rkey(a.mr.rkey()).remoteAddr(a.mr.iova()).addSge(b.mr.lkey(), b.mr.iova(), 8);
    List<Integer> posted = new ArrayList<>();
    b.recvCq.connect(new Counting(new ArrayList<>(), () -> posted.add(b.qp.postSend(back))));
    b.recvCq.requestNotify(NotifyFlags.NEXT_COMP);
    receive(0);
    assertEquals(List.of(PostStatus.OK), posted);
    assertEquals(WcStatus.SUCCESS, Rig.next(b.sendCq).status());
    direct(true);
  }
}
