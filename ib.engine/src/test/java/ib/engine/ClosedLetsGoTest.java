package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.testing.HeapHistogram;
import ib.core.verbs.CqInit;
import ib.core.verbs.IbObject;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.RecvWr;
import ib.core.verbs.SendWr;
import ib.core.verbs.SharedReceiveQueue;
import ib.core.verbs.SrqAttr;
import ib.core.verbs.SrqInit;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("A13: who keeps a closed object keeps none of the memory that its size asked for")
class ClosedLetsGoTest {
  private static final QpCap LARGE = new QpCap(8_192, 8_192, 2, 2, 64);

  private enum Kind {
    COMPLETION_QUEUE(4_000_000, side -> side.device.createCq(new CqInit(65_536))),
    QUEUE_PAIR(1_000_000, side -> side.pd.createQp(new QpInit(QpType.RC, side.sendCq, LARGE))),
    SHARED_RECEIVE_QUEUE(
        400_000, side -> side.pd.createSrq(new SrqInit(new SrqAttr(8_192, 2, 0), null, null)));

    final long open;
    final Function<Rig.Side, IbObject> make;

    Kind(long open, Function<Rig.Side, IbObject> make) {
      this.open = open;
      this.make = make;
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void keepsNothing(Kind kind) {
    try (Rig rig = Rig.two()) {
      IntFunction<Object> closed =
          i -> {
            IbObject made = kind.make.apply(rig.a());
            if (i >= 0) {
              made.close();
            }
            return made;
          };
      long bytes = HeapHistogram.added(8, closed).sum(name -> name.startsWith("[")).bytes();
      assertTrue(bytes < 8 * kind.open / 100, bytes + " B for eight closed ones");
      long open = HeapHistogram.added(1, i -> closed.apply(-1)).sum(n -> n.startsWith("[")).bytes();
      assertTrue(open > kind.open, open + " B for an open one: this is what is counted");
    }
  }

  @Test
  @DisplayName("posts to a closed one are refused as before, and its size is what it was")
  void refuses() {
    try (Rig rig = Rig.two()) {
      rig.connect(QpType.RC);
      QueuePair qp = rig.a().qp;
      QpCap cap = qp.cap();
      qp.close();
      assertEquals(cap, qp.cap());
      assertEquals(PostStatus.GONE, qp.postSend(new SendWr(1)));
      assertEquals(PostStatus.GONE, qp.postReceive(new RecvWr(1)));
      assertEquals(PostStatus.GONE, qp.postReceive(1, 0, 0, 0));
      qp.wrStart();
      qp.wrSend();
      assertEquals(PostStatus.GONE, qp.wrComplete());
      SharedReceiveQueue srq = rig.a().pd.createSrq(new SrqInit(new SrqAttr(16, 2, 0), null, null));
      srq.close();
      assertEquals(PostStatus.GONE, srq.postReceive(new RecvWr(1)));
      assertEquals(PostStatus.GONE, srq.postReceive(1, 0, 0, 0));
    }
  }
}
