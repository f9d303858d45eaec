package ib.core.internal.event;

import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A bus that keeps everything until the test gives it back. */
final class HeldBus implements EventBus {
  record Post(String topic, Map<String, Object> properties) {}

  final BlockingQueue<Post> posts = new LinkedBlockingQueue<>();
  final AtomicInteger overdue = new AtomicInteger();
  volatile boolean nobody;

  @Override
  public boolean post(String topic, Map<String, Object> properties) {
    posts.add(new Post(topic, properties));
    return !nobody;
  }

  @Override
  public void overdue(String device, long sequence) {
    overdue.incrementAndGet();
  }

  Post take() {
    try {
      Post p = posts.poll(10, TimeUnit.MINUTES);
      if (p == null) {
        throw new AssertionError("nothing was posted");
      }
      return p;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
