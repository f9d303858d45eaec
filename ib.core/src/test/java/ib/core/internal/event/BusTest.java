package ib.core.internal.event;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.EventTopics;
import ib.core.internal.event.HeldBus.Post;
import ib.core.verbs.EventType;
import ib.core.verbs.IbEvent;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
class BusTest {
  private final HeldBus bus = new HeldBus();

  private Rig rig() {
    Rig rig = new Rig();
    rig.hub.bus(bus);
    return rig.open();
  }

  private void giveBack(Rig rig, Post post) {
    rig.hub.onEvent(post.topic(), post.properties());
  }

  @Test
  @DisplayName("D8: topic and properties are as documented; handlers hear it when it has come back")
  void roundTrip() {
    try (Rig rig = rig()) {
      Recorder r = rig.handler();
      rig.device.dispatchEvent(EventType.LID_CHANGE, 2);
      Post post = bus.take();
      assertEquals("ib/event/LID_CHANGE", post.topic());
      assertEquals("fake0", post.properties().get(EventTopics.DEVICE));
      assertEquals(2, post.properties().get(EventTopics.PORT));
      assertEquals(1L, post.properties().get(EventTopics.SEQUENCE));
      assertTrue(post.properties().get(EventTopics.TIME) instanceof Long);
      assertEquals(List.of(), r.heard());
      giveBack(rig, post);
      assertEquals(2, r.await(1).heard().getFirst().port());
      assertEquals(0, rig.events.stats().detours());
    }
  }

  @Test
  @DisplayName("D8: stuck bus: after the timeout handlers get events directly, once, in order")
  void stuck() {
    try (Rig rig = rig()) {
      Recorder r = rig.handler();
      rig.dispatch(3);
      Post first = bus.take();
      Post second = bus.take();
      Post third = bus.take();
      rig.clock.advance(Rig.TIMEOUT_NS - 1);
      assertEquals(List.of(), r.heard());
      rig.clock.advance(1);
      r.await(3);
      assertEquals(3, rig.events.stats().detours());
      Rig.until(() -> bus.overdue.get() == 1);
      assertTrue(rig.reports.tellsOf("event 1 did not come back"));
      rig.dispatch(1); // what follows does not wait again
      r.await(4);
      assertEquals(4, rig.events.stats().detours());
      // the bus comes to its senses: everything again, late
      List.of(first, second, third, bus.take()).forEach(p -> giveBack(rig, p));
      rig.dispatch(1);
      Post fifth = bus.take();
      assertEquals(4, r.heard().size());
      giveBack(rig, fifth);
      r.await(5);
      assertEquals(List.of(), Checker.faults(r.heard()));
      assertEquals(4, rig.events.stats().detours());
    }
  }

  @Test
  @DisplayName("D8: a bus that drops an event and brings the next: both are heard, in order")
  void drops() {
    try (Rig rig = rig()) {
      Recorder r = rig.handler();
      rig.dispatch(2);
      bus.take();
      giveBack(rig, bus.take());
      assertEquals(List.of(1L, 2L), r.await(2).sequences());
      rig.dispatch(1);
      giveBack(rig, bus.take());
      assertEquals(List.of(1L, 2L, 3L), r.await(3).sequences());
      assertEquals(0, rig.events.stats().detours());
      assertEquals(0, bus.overdue.get());
    }
  }

  @Test
  @DisplayName("D8, F23: a bus that drops the last event delays it by the timeout, and is to look")
  void dropsLast() {
    try (Rig rig = rig()) {
      Recorder r = rig.handler();
      rig.dispatch(2);
      giveBack(rig, bus.take());
      bus.take();
      r.await(1);
      rig.clock.advance(Rig.TIMEOUT_NS);
      assertEquals(List.of(1L, 2L), r.await(2).sequences());
      Rig.until(() -> bus.overdue.get() == 1);
      rig.dispatch(1);
      r.await(3);
      giveBack(rig, bus.take()); // the latest is back: the bus is trusted again
      rig.dispatch(1);
      giveBack(rig, bus.take());
      assertEquals(List.of(1L, 2L, 3L, 4L), r.await(4).sequences());
      assertEquals(2, rig.events.stats().detours());
    }
  }

  @Test
  @DisplayName("D8: a bus that reorders and repeats: once and in order all the same")
  void reorders() {
    try (Rig rig = rig()) {
      Recorder r = rig.handler();
      rig.dispatch(3);
      Post a = bus.take();
      Post b = bus.take();
      Post c = bus.take();
      List.of(c, c, b, a, a, b, c).forEach(p -> giveBack(rig, p));
      r.await(3);
      rig.dispatch(1);
      giveBack(rig, bus.take());
      assertEquals(List.of(1L, 2L, 3L, 4L), r.await(4).sequences());
      assertEquals(0, rig.events.stats().detours());
    }
  }

  @Test
  @DisplayName("D8: forged and malformed events on the bus do no harm")
  void forged() {
    try (Rig rig = rig()) {
      Recorder r = rig.handler();
      rig.hub.onEvent("ib/event/PORT_ERR", Map.of());
      rig.hub.onEvent("other/topic", Map.of(EventTopics.DEVICE, "fake0"));
      rig.hub.onEvent("ib/event/X", Map.of(EventTopics.DEVICE, 7, EventTopics.SEQUENCE, "x"));
      rig.hub.onEvent("ib/event/X", Map.of(EventTopics.DEVICE, "fake0", EventTopics.SEQUENCE, 99L));
      rig.hub.onEvent("ib/event/X", Map.of(EventTopics.DEVICE, "gone", EventTopics.SEQUENCE, 1L));
      rig.dispatch(EventType.PORT_ACTIVE);
      giveBack(rig, bus.take());
      assertEquals(List.of(EventType.PORT_ACTIVE), r.await(1).types());
    }
  }

  @Test
  @DisplayName("F24: without a bus, or one that refuses or throws, handlers get events directly")
  void nobody() {
    try (Rig rig = new Rig()) {
      rig.hub.bus(null);
      Recorder r = rig.open().handler();
      rig.dispatch(1);
      r.await(1);
      bus.nobody = true;
      rig.hub.bus(bus);
      rig.dispatch(1);
      r.await(2);
      rig.hub.bus(
          (topic, properties) -> {
            throw new IllegalStateException("stopped");
          });
      rig.dispatch(1);
      r.await(3);
      assertEquals(List.of(), Checker.faults(r.heard()));
      assertTrue(rig.reports.tellsOf("stopped"));
      assertEquals(0, rig.events.stats().detours());
    }
  }

  @Test
  @DisplayName("F24: a bus that refuses what fills the window makes room for what follows")
  void refusesAll() {
    Rig rig = new Rig(2, 1024);
    bus.nobody = true;
    rig.hub.bus(bus);
    try (rig) {
      Recorder r = rig.handler();
      rig.dispatch(5); // before the dispatcher runs: two fit, three are lost
      rig.open();
      assertEquals(List.of(1L, 2L, 3L), r.await(3).sequences());
      assertEquals(EventType.EVENT_OVERFLOW, r.types().getLast());
      assertEquals(0, rig.events.stats().detours());
    }
  }

  @Test
  @DisplayName("F24: a bus that goes and comes back while events are on it loses none")
  void restart() {
    try (Rig rig = rig()) {
      Recorder r = rig.handler();
      rig.dispatch(1);
      bus.take(); // lost with the bus
      rig.hub.bus(null);
      rig.dispatch(1);
      assertEquals(List.of(1L, 2L), r.await(2).sequences());
      HeldBus fresh = new HeldBus();
      rig.hub.bus(fresh);
      rig.dispatch(1);
      giveBack(rig, fresh.take());
      assertEquals(List.of(1L, 2L, 3L), r.await(3).sequences());
    }
  }

  @Test
  @DisplayName(
      "D8: what piles up in a stuck bus is bounded; a probe finds out that it is well again")
  void bounded() {
    Rig rig = new Rig(2, 1024);
    rig.hub.bus(bus);
    try (rig) {
      Recorder r = rig.open().handler();
      rig.dispatch(1);
      bus.take();
      rig.clock.advance(Rig.TIMEOUT_NS);
      r.await(1);
      for (int i = 2; i <= 20; i++) {
        rig.dispatch(1);
        r.await(i);
      }
      assertEquals(3, bus.posts.size()); // twice the queue, with the first
      assertEquals(16, rig.events.stats().unposted());
      rig.clock.advance(Rig.TIMEOUT_NS);
      rig.dispatch(1);
      r.await(21);
      Rig.until(() -> bus.posts.size() == 4); // the probe
      List.copyOf(bus.posts).forEach(p -> giveBack(rig, p));
      bus.posts.clear();
      rig.dispatch(1);
      assertFalse(r.await(22, 0));
      giveBack(rig, bus.take());
      r.await(22);
      assertEquals(List.of(), Checker.faults(r.heard()));
      assertEquals(LongStream.rangeClosed(1, 22).boxed().toList(), r.sequences());
    }
  }

  @Test
  @DisplayName("D8: affiliated events are mirrored without a number; their overrun is reported")
  void mirror() {
    Rig rig = new Rig(2, 1024);
    rig.hub.bus(
        (topic, properties) -> {
          rig.hub.onEvent(topic, properties);
          return bus.post(topic, properties);
        });
    try (rig) {
      Recorder r = rig.handler();
      for (int i = 0; i < 5; i++) { // before the dispatcher runs: two fit, three are lost
        rig.events.mirror(new IbEvent(rig.device, EventType.QP_FATAL, null, 0, 0, 40 + i));
      }
      rig.open();
      Post first = bus.take();
      assertEquals("ib/event/QP_FATAL", first.topic());
      assertEquals("fake0", first.properties().get(EventTopics.DEVICE));
      assertEquals(40L, first.properties().get(EventTopics.TIME));
      assertFalse(first.properties().containsKey(EventTopics.SEQUENCE));
      assertEquals("ib/event/QP_FATAL", bus.take().topic());
      Post third = bus.take();
      assertEquals("ib/event/EVENT_OVERFLOW", third.topic());
      assertEquals(3, third.properties().get(EventTopics.LOST));
      assertFalse(third.properties().containsKey(EventTopics.SEQUENCE));
      rig.events.mirror(new IbEvent(rig.device, EventType.CQ_ERR, null, 0, 0, 50));
      assertEquals("ib/event/CQ_ERR", bus.take().topic());
      assertEquals(List.of(), r.heard());
    }
  }

  @Test
  @DisplayName(
      "D8: mirrored events that a full bus did not take are reported when it takes events again")
  void mirrorToSlowBus() {
    Rig rig = new Rig(4, 1024);
    rig.hub.bus(bus);
    try (rig) {
      for (int i = 0; i < 4; i++) {
        rig.events.mirror(new IbEvent(rig.device, EventType.QP_FATAL, null, 0, 0, 40 + i));
      }
      rig.open();
      List<Post> four = List.of(bus.take(), bus.take(), bus.take(), bus.take());
      rig.events.mirror(new IbEvent(rig.device, EventType.CQ_ERR, null, 0, 0, 50));
      Rig.until(() -> rig.events.stats().unposted() == 1); // there was no room for it
      four.forEach(p -> giveBack(rig, p));
      rig.events.mirror(new IbEvent(rig.device, EventType.SRQ_ERR, null, 0, 0, 51));
      Post next = bus.take();
      assertEquals("ib/event/EVENT_OVERFLOW", next.topic());
      assertEquals(1, next.properties().get(EventTopics.LOST));
      assertEquals("ib/event/SRQ_ERR", bus.take().topic());
    }
  }

  @Test
  @DisplayName("CC-16: closing hands on what is on the bus, and the bus can deliver nothing more")
  void closing() {
    Rig rig = rig();
    Recorder r = rig.handler();
    rig.dispatch(2);
    Post first = bus.take();
    bus.take();
    rig.close();
    assertEquals(List.of(1L, 2L), r.sequences());
    giveBack(rig, first);
    assertEquals(2, r.heard().size());
    assertEquals(0, rig.events.stats().detours());
  }

  @Test
  @DisplayName("CC-15: an event posted under the old name still finds its device")
  void renamed() {
    try (Rig rig = rig()) {
      Recorder r = rig.handler();
      rig.dispatch(1);
      Post old = bus.take();
      rig.hub.renamed(rig.events, "fresh0");
      giveBack(rig, old);
      r.await(1);
      rig.hub.onEvent("ib/event/X", Map.of(EventTopics.DEVICE, "fresh0", EventTopics.SEQUENCE, 1L));
      assertEquals(1, r.heard().size());
    }
  }
}
