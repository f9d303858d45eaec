package ib.core.internal.event;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.EventTopics;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("D8: a bus that does not return from post")
@Timeout(600)
class BlockedBusTest {
  @Test
  @DisplayName("D8: a bus that blocks its poster: another dispatcher takes over without it")
  void blocksPoster() {
    CountDownLatch inPost = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    try (Rig rig = new Rig()) {
      rig.hub.bus(
          (topic, properties) -> {
            inPost.countDown();
            Rig.await(go);
            return true;
          });
      Recorder r = rig.open().handler();
      rig.dispatch(3);
      Rig.await(inPost);
      while (!r.await(3, TimeUnit.MILLISECONDS.toNanos(5))) {
        rig.clock.advance(Rig.TIMEOUT_NS); // the watch needs to see the same post twice
      }
      rig.dispatch(2);
      r.await(5);
      assertEquals(List.of(), Checker.faults(r.heard()));
      assertTrue(rig.reports.tellsOf("blocks its poster"));
      go.countDown();
    }
  }

  @Test
  @DisplayName("D8, F24: while a bus blocks its poster, another bus is used; then the first again")
  void stuckBusIsReplaced() {
    CountDownLatch inPost = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    CountDownLatch back = new CountDownLatch(1);
    HeldBus bus = new HeldBus();
    HeldBus kept = new HeldBus();
    EventBus blocking =
        (topic, properties) -> {
          if (kept.posts.isEmpty()) {
            kept.post(topic, properties);
            inPost.countDown();
            Rig.await(go);
            back.countDown();
            return false; // nobody's matter any more
          }
          return kept.post(topic, properties);
        };
    try (Rig rig = new Rig()) {
      rig.hub.bus(blocking);
      Recorder r = rig.open().handler();
      rig.dispatch(1);
      Rig.await(inPost);
      while (!r.await(1, TimeUnit.MILLISECONDS.toNanos(5))) {
        rig.clock.advance(Rig.TIMEOUT_NS);
      }
      rig.dispatch(1); // not to the bus that blocks
      r.await(2);
      assertEquals(1, kept.posts.size());
      assertEquals(1, rig.events.stats().unposted());
      rig.hub.bus(bus);
      rig.dispatch(1);
      HeldBus.Post third = bus.take();
      assertEquals(3L, third.properties().get(EventTopics.SEQUENCE));
      rig.hub.onEvent(third.topic(), third.properties());
      r.await(3);
      go.countDown();
      Rig.await(back);
      rig.hub.bus(blocking);
      Rig.until(
          () -> {
            rig.dispatch(1); // the blocked thread needs a moment to say that it is back
            return kept.posts.size() > 1;
          });
      assertEquals(1, kept.posts.stream().filter(p -> sequence(p) == 1).count());
    }
  }

  private static long sequence(HeldBus.Post post) {
    return (long) post.properties().get(EventTopics.SEQUENCE);
  }
}
