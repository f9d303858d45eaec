package ib.core.internal.event;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class InterruptedFenceTest {

  @Test
  @DisplayName("S43, 2.6-8c: an interrupt does not end a handler's fence; the flag is given back")
  void interruptedFenceWaits() throws Exception {
    try (Rig rig = new Rig()) {
      CountDownLatch inside = new CountDownLatch(1);
      CountDownLatch go = new CountDownLatch(1);
      Recorder r =
          new Recorder(
              rig.client,
              e -> {
                inside.countDown();
                Rig.await(go);
              });
      rig.open().events.register(rig.client, r);
      rig.dispatch(5);
      Rig.await(inside);
      CompletableFuture<Boolean> flag = new CompletableFuture<>();
      Thread t =
          Thread.ofPlatform()
              .start(
                  () -> {
                    rig.events.unregister(rig.client, r);
                    flag.complete(Thread.currentThread().isInterrupted());
                  });
      Rig.until(() -> t.getState() == Thread.State.TIMED_WAITING);
      t.interrupt();
      // the fence has noticed the interrupt, and waits again; or has ended, which is wrong
      Rig.until(() -> !t.isAlive() || !t.isInterrupted());
      Rig.until(() -> !t.isAlive() || t.getState() == Thread.State.TIMED_WAITING);
      assertFalse(flag.isDone(), "the interrupt ended the fence");
      go.countDown();
      assertTrue(flag.get(30, TimeUnit.SECONDS), "the flag is gone");
    }
  }
}
