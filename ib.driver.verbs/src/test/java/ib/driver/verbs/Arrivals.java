package ib.driver.verbs;

import ib.cm.CmClient;
import ib.cm.rdma.RdmaConnection;
import ib.cm.rdma.RdmaEnd;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** Waits for what connections bring. Where nothing comes, says what and how things stand. */
final class Arrivals {
  static final long MINUTES = 3; // it only ends a hang

  private Arrivals() {}

  /** {@return the next of a queue} */
  static <T> T next(BlockingQueue<T> queue, String what, Supplier<String> standing)
      throws InterruptedException {
    T came = queue.poll(MINUTES, TimeUnit.MINUTES);
    if (came == null) {
      throw new AssertionError("no " + what + " in " + MINUTES + " min: " + standing.get());
    }
    return came;
  }

  /** Waits until connections are established. */
  static void up(Supplier<String> standing, RdmaConnection... connections) throws Exception {
    for (RdmaConnection c : connections) {
      try {
        RdmaConnection unused = c.established().get(MINUTES, TimeUnit.MINUTES);
      } catch (TimeoutException e) {
        throw new AssertionError(c + " is not up in " + MINUTES + " min: " + standing.get(), e);
      }
    }
  }

  /** {@return how connections stand, and what the connection manager has} */
  static String standing(CmClient manager, RdmaConnection... connections) {
    List<String> all = new ArrayList<>();
    for (RdmaConnection c : connections) {
      String up = c.established().isDone() ? "" : "not established, ";
      all.add(c + ": " + up + end(c.ended()));
    }
    return all + ", the connection manager has " + manager.ids();
  }

  /** {@return why a connection has ended} */
  static String end(CompletableFuture<RdmaEnd> ended) {
    if (!ended.isDone()) {
      return "not ended";
    }
    return ended.handle((end, e) -> end == null ? "failed: " + e : end + ": " + end.why()).join();
  }
}
