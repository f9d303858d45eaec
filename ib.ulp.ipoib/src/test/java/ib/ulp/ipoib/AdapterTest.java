package ib.ulp.ipoib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import ib.driver.soft.SoftNode;
import ib.ulp.ipoib.link.LinkConfig;
import ib.ulp.ipoib.net.Backend;
import ib.ulp.ipoib.testing.Lab;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("core-layout 1a: interfaces are opened and closed without the list's monitor")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AdapterTest {
  private static final long PATIENCE_S = 600;

  private volatile Runnable opening = () -> {};
  private final Lab lab =
      new Lab(
          1,
          LinkConfig.DEFAULT,
          name -> {
            opening.run();
            return Backend.inJvm();
          });

  /** What a callback may do that the end of an interface waits for. */
  private void list() {
    try {
      CompletableFuture.supplyAsync(lab.ipoib::interfaces, Thread::startVirtualThread)
          .get(PATIENCE_S, TimeUnit.SECONDS);
    } catch (InterruptedException | ExecutionException | TimeoutException e) {
      throw new AssertionError("the list of interfaces is not to be had", e);
    }
  }

  @Test
  @DisplayName("a callback that reads the list returns while a child is opened and closed")
  void callbacks() {
    try (lab) {
      opening = this::list;
      lab.ipoib.createChild("ib0", 0x8001);
      lab.subnet.closing = this::list;
      lab.ipoib.deleteChild("ib0.8001");
      assertEquals(1, lab.ipoib.interfaces().size());
      lab.ipoib.createChild("ib0", 0x8001); // its name is free again
    }
  }

  @Test
  @DisplayName(
      "S32: the removal of a device waits for a child that is being opened: nothing is " + "left")
  void goes() throws InterruptedException {
    try (lab) {
      SoftNode node = lab.plug();
      CountDownLatch made = new CountDownLatch(1);
      CountDownLatch go = new CountDownLatch(1);
      opening =
          () -> {
            made.countDown();
            Lab.await(() -> go.getCount() == 0, "the device is going");
          };
      CompletableFuture<NetDevice> child =
          CompletableFuture.supplyAsync(
              () -> lab.ipoib.createChild("ib1", 0x8001), Thread::startVirtualThread);
      made.await();
      CompletableFuture<Void> removal =
          CompletableFuture.runAsync(
              () -> lab.plugs.getLast().unregister(), Thread::startVirtualThread);
      Lab.await(() -> lab.ipoib.interfaces().size() == 1, "it is going");
      assertFalse(removal.isDone());
      go.countDown();
      child.join();
      removal.join();
      assertEquals(List.of(), lab.core.core().lastRemoval(node.name()).orElseThrow().leaks());
      lab.plugs.removeLast();
      lab.nodes.removeLast().close();
    }
  }
}
