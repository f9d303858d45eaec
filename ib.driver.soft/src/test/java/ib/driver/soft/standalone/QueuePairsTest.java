package ib.driver.soft.standalone;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.IbInvalidException;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.Mtu;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePairs;
import ib.core.verbs.SendFlags;
import java.lang.foreign.ValueLayout;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("U21: two queue pairs of one program are connected in one call")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class QueuePairsTest {
  private final SoftFabric fabric =
      SoftFabric.options()
          .device("soft0", Map.of("ports", 2))
          .device("soft1", Map.of("mtu", 512))
          .open();

  @AfterEach
  void close() {
    fabric.close();
  }

  @ParameterizedTest
  @EnumSource(names = {"RC", "UC"})
  @DisplayName("a message goes there and back; the path MTU is the smaller one")
  void connected(QpType type) {
    try (Pair pair = Pair.unconnected(fabric, type)) {
      QueuePairs.connect(pair.a().qp(), pair.b().qp());
      assertEquals(QpState.RTS, pair.a().qp().state());
      assertEquals(QpState.RTS, pair.b().qp().state());
      assertEquals(Mtu.MTU_512, pair.a().qp().query().pathMtu());
      assertArrayEquals(new int[] {1, 2}, pair.exchange(1, 2));
    }
  }

  @Test
  @DisplayName("by another port, and with itself")
  void ports() {
    try (Pair pair = Pair.unconnected(fabric, QpType.RC)) {
      QueuePairs.connect(pair.a().qp(), 2, pair.b().qp(), 1);
      assertEquals(2, pair.a().qp().port());
      assertArrayEquals(new int[] {3, 4}, pair.exchange(3, 4));
    }
    try (Pair.End end = Pair.End.open(fabric.device("soft1"), QpType.RC)) {
      QueuePairs.connect(end.qp(), end.qp());
      assertEquals(end.qp().qpn(), end.qp().remoteQpn());
      assertEquals(QpState.RTS, end.qp().state());
    }
  }

  @Test
  @DisplayName("the calls of the builder are one chain to its end, of two requests too")
  void chain() {
    try (Pair pair = Pair.unconnected(fabric, QpType.RC)) {
      QueuePairs.connect(pair.a().qp(), pair.b().qp());
      MemoryRegion from = pair.a().mr();
      MemoryRegion to = pair.b().mr();
      for (int i = 0; i < 2; i++) {
        from.segment().setAtIndex(ValueLayout.JAVA_INT, i, 7 + i);
        long place = to.iova() + 4L * i;
        assertEquals(PostStatus.OK, pair.b().qp().postReceive(i, to.lkey(), place, 4));
      }
      int posted =
          pair.a()
              .qp()
              .wrStart()
              .wrFlags(SendFlags.SIGNALED)
              .wrId(1)
              .wrSend()
              .wrSetSge(from.lkey(), from.iova(), 4)
              .wrId(2)
              .wrSendImm(5)
              .wrSetSge(from.lkey(), from.iova() + 4, 4)
              .wrComplete();
      assertEquals(PostStatus.OK, posted, () -> PostStatus.text(posted));
      for (int i = 0; i < 2; i++) {
        pair.b().completed();
        pair.a().completed();
        assertEquals(7 + i, to.segment().getAtIndex(ValueLayout.JAVA_INT, i));
      }
    }
  }

  private static void assertRefused(Pair.End a, Pair.End b, String why) {
    QpState before = b.qp().state();
    IbInvalidException e =
        assertThrows(IbInvalidException.class, () -> QueuePairs.connect(a.qp(), b.qp()));
    assertTrue(e.getMessage().contains(why), e.getMessage());
    assertTrue(!e.hint().isEmpty(), "what to try");
    assertEquals(QpState.RESET, a.qp().state());
    assertEquals(before, b.qp().state());
  }

  @Test
  @DisplayName("what cannot be connected is refused with what to try, and nothing has changed")
  void refused() {
    try (Pair ud = Pair.unconnected(fabric, QpType.UD);
        Pair rc = Pair.unconnected(fabric, QpType.RC);
        Pair uc = Pair.unconnected(fabric, QpType.UC)) {
      assertRefused(ud.a(), ud.b(), "address handles");
      assertRefused(uc.a(), rc.b(), "its type is UC, the other's is RC");
      QueuePairs.connect(rc.a().qp(), rc.b().qp());
      try (Pair.End third = Pair.End.open(fabric.device("soft0"), QpType.RC)) {
        assertRefused(third, rc.b(), "its state is RTS");
        fabric.set("soft0", "link", "down");
        assertRefused(third, third, "port 1 of soft0 is ");
      }
    }
  }

  @Test
  @DisplayName("a post that is refused has a text that says why")
  void text() {
    try (Pair pair = Pair.unconnected(fabric, QpType.RC)) {
      int status = pair.a().qp().postReceive(1, 0, 0, 8);
      assertEquals(PostStatus.INVALID, status);
      assertTrue(PostStatus.text(status).startsWith("INVALID (-22): the request or the state"));
    }
  }
}
