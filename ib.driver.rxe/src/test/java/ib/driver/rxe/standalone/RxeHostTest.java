package ib.driver.rxe.standalone;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.IbLeakException;
import ib.core.verbs.Access;
import ib.core.verbs.CqInit;
import ib.core.verbs.IbAgainException;
import ib.core.verbs.IbException;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.LinkLayer;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePairs;
import ib.core.verbs.SendWr;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("U19: RoCEv2 devices for a program without OSGi")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RxeHostTest {
  private static final String FIRST = "127.0.19.1";
  private static final String SECOND = "127.0.19.2";

  @Test
  @DisplayName("two addresses, two devices, connected in one call; a message goes across")
  void message() {
    QpCap cap = new QpCap(1, 1, 1, 1, 64);
    try (var host = RxeHost.open(FIRST, SECOND);
        var pd0 = host.device("rxe0").allocPd();
        var pd1 = host.device("rxe1").allocPd();
        var cq0 = host.device("rxe0").createCq(new CqInit(2));
        var cq1 = host.device("rxe1").createCq(new CqInit(2));
        var memory = pd1.allocMemory(64, 8, Access.LOCAL_WRITE);
        var sender = pd0.createQp(new QpInit(QpType.RC, cq0, cap));
        var receiver = pd1.createQp(new QpInit(QpType.RC, cq1, cap))) {
      assertEquals(LinkLayer.ETHERNET, host.device("rxe0").queryPort(1).linkLayer());
      QueuePairs.connect(sender, receiver);
      int posted = receiver.postReceive(1, memory.lkey(), memory.iova(), 64);
      assertEquals(PostStatus.OK, posted, () -> PostStatus.text(posted));
      SendWr wr = new SendWr(1).inline(MemorySegment.ofArray(new byte[] {'h', 'i', 0}), 0, 3);
      assertEquals(PostStatus.OK, sender.postSend(wr));
      WorkCompletion[] one = {new WorkCompletion()};
      while (cq1.poll(one, 1) == 0) {
        Thread.onSpinWait(); // the test has a limit
      }
      assertEquals(WcStatus.SUCCESS, one[0].status());
      assertEquals("hi", memory.segment().getString(0));
    }
  }

  @Test
  @DisplayName(
      "an address in use, a wrong key, an object left open: an exception each, and no device stays")
  void wrong() {
    try (RxeHost host = RxeHost.open(FIRST)) {
      assertEquals(1, host.devices().size());
      IbException e = assertThrows(IbAgainException.class, () -> RxeHost.open(SECOND, FIRST));
      assertTrue(e.getMessage().contains(FIRST), e.getMessage());
    }
    RxeHost.Options none = RxeHost.options().device("rxe0", Map.of("mtu", 1024));
    assertTrue(assertThrows(IbInvalidException.class, none::open).getMessage().contains("address"));
    RxeHost again = RxeHost.open(FIRST, SECOND); // both are free
    again.device("rxe1").allocPd();
    IbLeakException leak = assertThrows(IbLeakException.class, again::close);
    assertTrue(leak.getMessage().contains("of rxe1 was left open"), leak.getMessage());
  }
}
