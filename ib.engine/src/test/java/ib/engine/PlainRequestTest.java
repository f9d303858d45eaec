package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.core.testing.Wait;
import ib.core.verbs.Cqe;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SigType;
import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Most requests of a builder have nothing special, and go a shorter way through the checks and
 * through their success. What is special is still seen.
 */
class PlainRequestTest {
  private final Rig rig = Rig.two();
  private final Rig.Side a = rig.a();
  private final Rig.Side b = rig.b();

  @AfterEach
  void close() {
    rig.close();
  }

  private QueuePair begin(QpType type, int flags) {
    rig.connect(type);
    a.qp.wrStart();
    a.qp.wrFlags(flags);
    return a.qp;
  }

  private int withElement(QueuePair qp) {
    qp.wrSetSge(a.mr.lkey(), a.mr.iova(), 8);
    return qp.wrComplete();
  }

  @Test
  @DisplayName("the flags of any request are admitted")
  void flags() {
    int any = SendFlags.FENCE | SendFlags.SIGNALED | SendFlags.SOLICITED;
    QueuePair qp = begin(QpType.RC, any);
    qp.wrRdmaWrite(b.mr.rkey(), b.mr.iova());
    assertEquals(PostStatus.OK, withElement(qp));
    Rig.await(a.sendCq);
  }

  @ParameterizedTest
  @ValueSource(ints = {0x10, 0x20, 0x40, 0x80, 0x100, 0x40000000})
  @DisplayName("a flag that does not exist is refused")
  void unknownFlag(int flag) {
    QueuePair qp = begin(QpType.RC, flag);
    qp.wrRdmaWrite(b.mr.rkey(), b.mr.iova());
    assertEquals(PostStatus.INVALID, withElement(qp));
  }

  @Test
  @DisplayName("a READ has no inline data, by its flag or by itself")
  void inline() {
    QueuePair qp = begin(QpType.RC, SendFlags.INLINE);
    qp.wrRdmaRead(b.mr.rkey(), b.mr.iova());
    assertEquals(PostStatus.INVALID, withElement(qp));
    qp.wrStart();
    qp.wrRdmaRead(b.mr.rkey(), b.mr.iova());
    qp.wrSetInline(MemorySegment.ofArray(new byte[8]), 0, 8);
    assertEquals(PostStatus.INVALID, qp.wrComplete());
  }

  @Test
  @DisplayName("an opcode that the service has not is refused, a datagram without address too")
  void services() {
    QueuePair qp = begin(QpType.UC, 0);
    qp.wrRdmaRead(b.mr.rkey(), b.mr.iova());
    assertEquals(PostStatus.NOT_SUPPORTED, withElement(qp));
    qp = begin(QpType.UD, 0);
    qp.wrSend();
    assertEquals(PostStatus.INVALID, withElement(qp));
  }

  @Test
  @DisplayName("a queue pair that signals all completes what asks for no completion")
  void signalsAll() {
    rig.connect(QpType.RC);
    QueuePair first = a.qp;
    QueuePair qp = a.pd.createQp(Rig.init(a, QpType.RC, 8).withSigType(SigType.ALL_WR));
    first.close();
    QueuePair peer = b.pd.createQp(Rig.init(b, QpType.RC, 8));
    Rig.bringUp(a, qp, peer.qpn(), b.lid(), 1, 7, 7);
    Rig.bringUp(b, peer, qp.qpn(), a.lid(), 1, 7, 7);
    qp.wrStart();
    qp.wrId(7);
    qp.wrRdmaWrite(b.mr.rkey(), b.mr.iova());
    assertEquals(PostStatus.OK, withElement(qp));
    assertEquals(7, Rig.await(a.sendCq).wrId());
  }

  @Test
  @DisplayName("the callback of a request without completion is not kept")
  void callback() {
    QueuePair qp = begin(QpType.RC, 0);
    WeakReference<Cqe> callback = posted(qp);
    Wait.until(
        () -> {
          System.gc();
          return callback.refersTo(null);
        });
  }

  private WeakReference<Cqe> posted(QueuePair qp) {
    AtomicLong held = new AtomicLong();
    Cqe callback = (cq, wc) -> held.incrementAndGet();
    qp.wrCqe(callback);
    qp.wrRdmaWrite(b.mr.rkey(), b.mr.iova());
    assertEquals(PostStatus.OK, withElement(qp));
    qp.wrStart(); // the builder has no callback of its own any more
    return new WeakReference<>(callback);
  }
}
