package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.testing.Wait;
import ib.core.verbs.AhAttr;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.MemoryWork;
import ib.core.verbs.Mtu;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.RecvWr;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.SrqAttr;
import ib.core.verbs.SrqInit;
import ib.core.verbs.WorkCompletion;
import ib.core.verbs.WrOpcode;
import java.lang.foreign.Arena;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("B9: each refusal of a post has words of its own, which name the cause")
class RefusalTextTest {
  private final Rig rig = Rig.two();
  private final Rig.Side a = rig.a();
  private final Map<String, String> seen = new HashMap<>();

  @AfterEach
  void close() {
    rig.close();
  }

  /** The words are of this cause alone. */
  private void said(String text, int status, String name, String cause) {
    assertTrue(text.startsWith(name + " (" + status + "): "), text);
    assertTrue(text.contains(cause), text + " does not say: " + cause);
    assertTrue(text.contains(". Try: "), text);
    assertEquals(null, seen.put(text, cause), text);
  }

  private void refused(QueuePair qp, SendWr wr, int expected, String name, String cause) {
    int status = qp.postSend(wr);
    assertEquals(expected, status, cause);
    said(PostStatus.text(status, qp, wr), status, name, cause);
  }

  private void invalid(QueuePair qp, SendWr wr, String cause) {
    refused(qp, wr, PostStatus.INVALID, "INVALID", cause);
  }

  private SendWr write() {
    SendWr wr = new SendWr(8).opcode(WrOpcode.RDMA_WRITE);
    return wr.rkey(rig.b().mr.rkey()).remoteAddr(rig.b().mr.iova());
  }

  private SendWr of(int elements) {
    SendWr wr = write();
    for (int i = 0; i < elements; i++) {
      wr.addSge(a.mr.lkey(), a.mr.iova(), 64);
    }
    return wr;
  }

  @Test
  @DisplayName("a send before RTS names the state")
  void states() {
    QueuePair qp = a.pd.createQp(Rig.init(a, QpType.RC, 8));
    invalid(qp, of(1), "is in RESET");
    SendWr worse = of(1).flags(0x40);
    String text = PostStatus.text(qp.postSend(worse), qp, worse);
    assertTrue(text.contains("is in RESET"), "the first cause of several: " + text);
  }

  @Test
  @DisplayName("a send in RTR names the state, by the builder too")
  void ready() {
    QueuePair qp = a.pd.createQp(Rig.init(a, QpType.RC, 8));
    Rig.toRtr(qp, 1, rig.b().lid(), Mtu.MTU_256);
    invalid(qp, of(1), "is in RTR");
    qp.wrStart();
    qp.wrSend();
    int status = qp.wrComplete();
    assertEquals(PostStatus.INVALID, status);
    assertTrue(PostStatus.text(status, qp).contains("is in RTR"), PostStatus.text(status, qp));
  }

  @Test
  @DisplayName("a send in RTS names what is wrong with the request")
  void requests() {
    rig.connect(QpType.RC, 4, 14, 7, 7);
    invalid(a.qp, of(5), "5 elements, where QpCap.maxSendSge is 4");
    invalid(a.qp, of(1).flags(0x41), "0x40 is no flag");
    invalid(a.qp, of(3).flags(SendFlags.INLINE), "192 bytes of inline data, where");
    SendWr read = of(1).opcode(WrOpcode.RDMA_READ);
    invalid(a.qp, read.flags(SendFlags.INLINE), "RDMA_READ has no inline data");
    SendWr closed = write();
    try (Arena arena = Arena.ofConfined()) {
      closed.inline(arena.allocate(8), 0, 8);
    }
    invalid(a.qp, closed.flags(SendFlags.INLINE), "the inline data cannot be read");
    SendWr bind = new SendWr(1).opcode(WrOpcode.BIND_MW).memory(new MemoryWork());
    invalid(a.qp, bind, "the arguments of BIND_MW");
    refused(
        a.qp,
        of(1).opcode(WrOpcode.LSO),
        PostStatus.NOT_SUPPORTED,
        "NOT_SUPPORTED",
        "RC has no LSO");
    SendWr list = of(1);
    for (int i = 0; i < 4; i++) {
      list = of(1).flags(SendFlags.SIGNALED).next(list);
    }
    refused(a.qp, list, PostStatus.QUEUE_FULL, "QUEUE_FULL", "all 4 slots of the send queue");
    a.qp.wrStart();
    a.qp.wrFlags(0x40);
    a.qp.wrSend();
    int status = a.qp.wrComplete();
    said(PostStatus.text(status, a.qp), status, "INVALID", "is in RTS, so it is the request");
  }

  @Test
  @DisplayName("a datagram without an address of its domain")
  void datagrams() {
    rig.connect(QpType.UD);
    invalid(a.qp, of(1).opcode(WrOpcode.SEND), "no address handle");
    SendWr other = of(1).opcode(WrOpcode.SEND);
    try (var pd = a.device.allocPd();
        var ah = pd.createAh(AhAttr.ofLid(1, rig.b().lid(), 0))) {
      invalid(a.qp, other.ah(ah), "is not of this domain");
    }
  }

  private void refused(QueuePair qp, RecvWr wr, int expected, String name, String cause) {
    int status = qp.postReceive(wr);
    assertEquals(expected, status, cause);
    said(PostStatus.text(status, qp, wr), status, name, cause);
  }

  @Test
  @DisplayName("receives: state, elements, a full queue, an SRQ")
  void receives() {
    QueuePair qp = a.pd.createQp(Rig.init(a, QpType.RC, 2));
    refused(qp, new RecvWr(1), PostStatus.INVALID, "INVALID", "is in RESET");
    Rig.toRtr(qp, 1, rig.b().lid(), Mtu.MTU_256);
    RecvWr five = new RecvWr(5);
    for (int i = 0; i < 5; i++) {
      five.addSge(a.mr.lkey(), a.mr.iova(), 8);
    }
    refused(qp, five, PostStatus.INVALID, "INVALID", "5 elements, where QpCap.maxRecvSge is 4");
    RecvWr three = new RecvWr(1).next(new RecvWr(1).next(new RecvWr(1)));
    refused(qp, three, PostStatus.QUEUE_FULL, "QUEUE_FULL", "all 2 slots of the receive queue");
    var srq = a.pd.createSrq(new SrqInit(new SrqAttr(4, 1, 0), null, null));
    QueuePair shared = a.pd.createQp(Rig.init(a, QpType.RC, 2).withSrq(srq));
    refused(shared, new RecvWr(1), PostStatus.INVALID, "INVALID", "from an SRQ");
  }

  @Test
  @DisplayName("what is gone says so, with and without the request")
  void gone() {
    rig.connect(QpType.RC);
    a.qp.close();
    SendWr wr = of(1);
    int status = a.qp.postSend(wr);
    assertEquals(PostStatus.text(PostStatus.GONE), PostStatus.text(status, a.qp, wr));
    assertEquals(PostStatus.text(PostStatus.GONE), PostStatus.text(status, a.qp));
  }

  @Test
  @DisplayName("B9 the first cause stays: a queue that overran by the flush is not blamed")
  void overrunByFlush() {
    a.recvCq = a.device.createCq(new CqInit(1));
    rig.connect(QpType.RC);
    for (int i = 0; i < 8; i++) {
      assertEquals(PostStatus.OK, a.qp.postReceive(i, a.mr.lkey(), a.mr.iova(), 8));
    }
    a.qp.modify(new QpAttr().state(QpState.ERR));
    Wait.until(() -> a.recvCq.poll(new WorkCompletion[] {new WorkCompletion()}, 1) < 0);
    String why = a.hca.diagnosis("soft0").diagnose(a.qp.qpn()).orElseThrow().toString();
    assertTrue(why.contains("a call of modify moved it to ERR"), why);
  }

  @Test
  @DisplayName("B9 a queue that overran is named by ib:why, with what to try")
  void overrun() {
    CompletionQueue small = a.device.createCq(new CqInit(1));
    a.sendCq = small;
    rig.connect(QpType.RC);
    for (int i = 0; i < 8; i++) {
      a.qp.postSend(of(1).flags(SendFlags.SIGNALED));
    }
    Wait.until(() -> a.qp.state() == QpState.ERR);
    String why = a.hca.diagnosis("soft0").diagnose(a.qp.qpn()).orElseThrow().toString();
    assertTrue(why.contains(small + " has overrun: more than 1 completions"), why);
    assertTrue(why.contains("fewer signaled requests"), why);
    a.qp.modify(new QpAttr().state(QpState.RESET));
  }
}
