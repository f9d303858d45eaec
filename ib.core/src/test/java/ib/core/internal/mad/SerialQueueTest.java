package ib.core.internal.mad;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.internal.callback.Contract;
import ib.core.internal.waits.WaitGraph;
import java.util.ArrayDeque;
import java.util.Queue;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** M11: how much of strangers waits in a queue. */
class SerialQueueTest {
  private final Queue<Runnable> place = new ArrayDeque<>();
  private final SerialQueue queue =
      new SerialQueue("test", "test", place::add, new Contract(true), new WaitGraph());
  private int ran;

  @Test
  @DisplayName("M11: a flood takes its places and no more; what was refused takes none")
  void flood() {
    for (int round = 1; round <= 3; round++) {
      for (int i = 0; i < SerialQueue.MAX_STRANGERS; i++) {
        assertTrue(queue.executeForStranger(() -> ran++), "round " + round + ", " + i);
      }
      for (int i = 0; i < 10; i++) {
        assertFalse(queue.executeForStranger(() -> ran++));
      }
      queue.execute(() -> ran++); // the layer's own
      while (!place.isEmpty()) {
        place.remove().run();
      }
      assertEquals(round * (SerialQueue.MAX_STRANGERS + 1), ran);
    }
  }
}
