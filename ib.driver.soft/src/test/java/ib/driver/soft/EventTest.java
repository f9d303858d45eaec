package ib.driver.soft;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.core.verbs.IbDevice;
import ib.core.verbs.IbEvent;
import ib.core.verbs.IbEventHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("D8 B13 live changes of a configuration, as a client hears them")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class EventTest {

  /** Writes down what it hears, and what the caches say at that moment. */
  private static final class Listener extends IbEventHandler {
    final LinkedBlockingQueue<String> heard = new LinkedBlockingQueue<>();
    final LinkedBlockingQueue<Long> sequence = new LinkedBlockingQueue<>();

    Listener(IbDevice device) {
      super(device);
    }

    @Override
    public void handle(IbEvent event) {
      int port = event.port();
      sequence.add(event.sequence());
      heard.add(
          event.type()
              + " "
              + device().port(port).state()
              + " "
              + device().port(port).lid()
              + " "
              + Integer.toHexString(device().pkey(port, 0)));
    }

    List<String> take(int count) throws InterruptedException {
      List<String> taken = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        taken.add(String.valueOf(heard.poll(10, TimeUnit.MINUTES)));
      }
      return taken;
    }
  }

  @Test
  @DisplayName(
      "S34 D8 B13 cable and P_Keys: the right events in order, fresh caches, without a gap")
  void liveChanges() throws Exception {
    try (Lab lab = new Lab()) {
      lab.configure("soft0", "link", "down");
      IbDevice device = lab.lease("soft0");
      Listener listener = new Listener(device);
      device.registerEventHandler(listener);
      lab.configure("soft0", "link", "up");
      assertEquals(
          List.of(
              "LID_CHANGE ACTIVE 1 ffff", "SM_CHANGE ACTIVE 1 ffff", "PORT_ACTIVE ACTIVE 1 ffff"),
          List.of(newest(listener.take(1)), newest(listener.take(1)), listener.take(1).getFirst()));
      lab.configure("soft0", "link", "up", "pkeys", "8001,ffff");
      assertEquals(List.of("PKEY_CHANGE ACTIVE 1 8001"), listener.take(1));
      lab.configure("soft0", "link", "down", "pkeys", "8001,ffff");
      assertEquals(List.of("PORT_ERR DOWN 1 8001"), listener.take(1));
      assertEquals(1, device.findPkey(1, 0xffff));
      List<Long> sequence = List.copyOf(listener.sequence);
      for (int i = 1; i < sequence.size(); i++) {
        assertEquals(sequence.get(i - 1) + 1, sequence.get(i));
      }
      device.unregisterEventHandler(listener);
    }
  }

  /** A cache is at least as fresh as the event: the port may have gone on to ACTIVE meanwhile. */
  private static String newest(List<String> one) {
    return one.getFirst().replace(" INIT ", " ACTIVE ").replace(" ARMED ", " ACTIVE ");
  }

  @Test
  @DisplayName("S12 a handler that is stuck does not hold up a change of the configuration")
  void stuckHandler() throws Exception {
    try (Lab lab = new Lab("soft0")) {
      IbDevice device = lab.lease("soft0");
      CountDownLatch go = new CountDownLatch(1);
      IbEventHandler stuck =
          new IbEventHandler(device) {
            @Override
            public void handle(IbEvent event) {
              try {
                go.await(10, TimeUnit.MINUTES);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            }
          };
      device.registerEventHandler(stuck);
      Listener listener = new Listener(device);
      device.registerEventHandler(listener);
      lab.configure("soft0", "link", "down");
      lab.configure("soft0", "link", "up");
      assertEquals(2, listener.take(2).size());
      go.countDown();
      device.unregisterEventHandler(stuck);
      device.unregisterEventHandler(listener);
    }
  }
}
