package ib.driver.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.Gid;
import ib.core.verbs.Mtu;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.wire.BthOpcode;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("IBA 9.7.5.1.2, G8: which requests ask for an acknowledgement")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class AckRequestTest {
  private static final int PEER_QPN = 0x123456;
  private static final Gid HERE = Gid.parse("::ffff:127.0.0.1");
  private static final int ACK = 0x1f;
  private static final int INVALIDATED = 77;

  private RxeLab lab;
  private WirePeer peer;
  private RxeSide side;

  @BeforeEach
  void setUp() throws IOException {
    lab = new RxeLab();
    peer = new WirePeer("127.0.0.2");
    lab.configure("rxe0", "address", "127.0.0.1", "source_ports", 0);
    side = lab.side("rxe0");
  }

  @AfterEach
  void tearDown() throws IOException {
    lab.close();
    peer.close();
  }

  private void connect(int timeout, int retries) {
    side.timeout = timeout;
    side.retries = retries;
    side.open(QpType.RC);
    side.bringUp(peer.gid, PEER_QPN, Mtu.MTU_1024);
  }

  private void post(long wrId, boolean signaled) {
    post(wrId, signaled, 64);
  }

  private void post(long wrId, boolean signaled, int bytes) {
    side.qp.wrStart();
    side.qp.wrId(wrId).wrFlags(signaled ? SendFlags.SIGNALED : 0);
    side.qp.wrSend();
    side.qp.wrSetSge(side.mr.lkey(), side.mr.iova(), bytes);
    assertEquals(0, side.qp.wrComplete());
  }

  private boolean asked(int psn) throws IOException {
    peer.next();
    assertEquals(psn & 0xffffff, peer.psn);
    return peer.ackRequest;
  }

  @Test
  @DisplayName("a signaled request asks, unsignaled ones ask once in 16")
  void onceInSixteen() throws IOException {
    connect(0x1f, 7);
    for (int i = 0; i < 64; i++) {
      boolean signaled = i == 40;
      post(i, signaled);
      boolean boundary = (RxeSide.PSN + i & 31) == 0;
      boolean counted = i == 15 || i == 32 || i == 64;
      assertEquals(signaled || boundary || counted, asked(RxeSide.PSN + i), "request " + i);
    }
    peer.acknowledge(HERE, side.qp.qpn(), RxeSide.PSN + 40 & 0xffffff, ACK);
    side.next(40);
  }

  @Test
  @DisplayName("after the timeout an acknowledgement is requested, which counts as no retry")
  void late() throws IOException {
    connect(19, 0); // 2.1 s, so that a busy machine is no loss; no retries
    post(1, false);
    post(2, false);
    assertFalse(asked(RxeSide.PSN));
    assertFalse(asked(RxeSide.PSN + 1));
    assertTrue(asked(RxeSide.PSN + 1), "the last packet once more");
    peer.acknowledge(HERE, side.qp.qpn(), RxeSide.PSN + 1, ACK);
    post(3, true); // were it a retry, the queue pair would have failed
    assertTrue(asked(RxeSide.PSN + 2));
    peer.acknowledge(HERE, side.qp.qpn(), RxeSide.PSN + 2, ACK);
    side.next(3);
  }

  @Test
  @DisplayName("IBA 10.3.1.5: a draining send queue asks at once")
  void drains() throws IOException {
    connect(0x1f, 7);
    post(1, false);
    assertFalse(asked(RxeSide.PSN));
    side.qp.modify(new QpAttr().state(QpState.SQD));
    assertTrue(asked(RxeSide.PSN));
  }

  @Test
  @DisplayName("a request asks if a local invalidation completes only after it")
  void localWork() throws IOException {
    connect(0x1f, 7);
    int key = side.fast().rkey();
    post(1, false);
    assertFalse(asked(RxeSide.PSN));
    side.qp.wrStart();
    side.qp.wrId(INVALIDATED).wrFlags(SendFlags.SIGNALED);
    side.qp.wrLocalInv(key);
    assertEquals(0, side.qp.wrComplete());
    assertTrue(asked(RxeSide.PSN));
    peer.acknowledge(HERE, side.qp.qpn(), RxeSide.PSN, ACK);
    assertEquals(INVALIDATED, side.next().wrId());
  }

  @Test
  @DisplayName("without a timer every request asks")
  void withoutTimer() throws IOException {
    connect(0, 7);
    for (int i = 0; i < 4; i++) {
      post(i, false);
      assertTrue(asked(RxeSide.PSN + i));
    }
  }

  @Test
  @DisplayName(
      "annex A17.9.3: after a window reduction below the packets without AckReq, one more "
          + "packet asks")
  void congested() throws IOException {
    lab.configure("rxe1", "address", "127.0.0.3", "source_ports", 0, "window", 32);
    side = lab.side("rxe1");
    connect(0x1f, 7);
    for (int i = 0; i < 8; i++) {
      post(i, false, 2048);
      assertFalse(asked(RxeSide.PSN + 2 * i));
      assertFalse(asked(RxeSide.PSN + 2 * i + 1));
    }
    try (Forgery router = new Forgery("127.0.0.2", "127.0.0.3")) {
      router.send(router.packet(BthOpcode.CNP, side.qp.qpn(), 0));
      while (lab.running.get("rxe1").ops().counters(1).get("rp_cnp_handled") == 0) {
        Thread.onSpinWait();
      }
    }
    post(8, false);
    assertTrue(asked(RxeSide.PSN + 16), "one packet more than the window");
    post(9, true);
    peer.acknowledge(Gid.parse("::ffff:127.0.0.3"), side.qp.qpn(), RxeSide.PSN + 16, ACK);
    assertTrue(asked(RxeSide.PSN + 17));
  }
}
