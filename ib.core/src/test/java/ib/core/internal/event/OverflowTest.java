package ib.core.internal.event;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.core.verbs.EventType;
import ib.core.verbs.IbEvent;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("F22: losses of losses")
class OverflowTest {
  @Test
  @DisplayName(
      "S12, F22: a handler that loses the overflow of its device gets the number of events that it stood for")
  void overflowOfOverflow() {
    try (Rig rig = new Rig(2, 1)) {
      rig.open();
      CountDownLatch handling = new CountDownLatch(1);
      CountDownLatch asking = new CountDownLatch(1);
      Recorder slow = new Recorder(rig.client, e -> Rig.await(handling));
      rig.events.register(rig.client, slow);
      rig.dispatch(1);
      slow.await(1); // and does not return
      rig.dispatch(1); // fills its queue of one
      Rig.until(() -> rig.events.stats().dispatched() == 2);
      int asked = rig.device.faults().hits("queryPort");
      rig.device.faults().at("queryPort", () -> Rig.await(asking));
      rig.dispatch(1);
      Rig.until(() -> rig.device.faults().hits("queryPort") > asked);
      rig.dispatch(7); // two wait behind the dispatcher, which asks the driver; five are lost
      asking.countDown();
      Rig.until(() -> rig.events.stats().dispatched() == 6);
      assertEquals(5, rig.events.stats().lost());
      assertEquals(1, rig.events.stats().overflows());
      Rig.until(() -> rig.events.stats().handlerLost() >= 4);
      assertEquals(8, rig.events.stats().handlerLost());
      handling.countDown();
      IbEvent overflow = slow.await(3).heard().getLast();
      assertEquals(EventType.EVENT_OVERFLOW, overflow.type());
      assertEquals(8, overflow.port(), "three events, and the overflow that stood for five");
      assertEquals(6, overflow.sequence());
    }
  }
}
