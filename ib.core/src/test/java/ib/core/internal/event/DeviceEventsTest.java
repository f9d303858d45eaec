package ib.core.internal.event;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import ib.core.internal.waits.WaitGraph;
import ib.core.testing.FakeDevice;
import ib.core.verbs.EventType;
import ib.core.verbs.Gid;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbDisassociatedException;
import ib.core.verbs.IbEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
class DeviceEventsTest {
  private static final EventType[] CYCLE = {
    EventType.PORT_ERR, EventType.PORT_ACTIVE, EventType.LID_CHANGE, EventType.PKEY_CHANGE
  };

  @Test
  @DisplayName("S12: 8 posters: each event once per handler, in each poster's order, no gap")
  void manyPosters() throws Exception {
    int posters = 8;
    int each = 2_000;
    EventConfig config = new EventConfig(1 << 15, 1 << 15, Rig.TIMEOUT_NS, 1);
    try (Rig rig = new Rig(config, posters)) {
      rig.open();
      Recorder first = rig.handler();
      Recorder second = rig.handler();
      List<Thread> threads = new ArrayList<>();
      for (int p = 1; p <= posters; p++) {
        int port = p;
        threads.add(
            Thread.ofPlatform()
                .start(
                    () -> {
                      for (int i = 0; i < each; i++) {
                        rig.device.dispatchEvent(CYCLE[i % CYCLE.length], port);
                      }
                    }));
      }
      for (Thread t : threads) {
        t.join();
      }
      for (Recorder r : List.of(first, second)) {
        check(r.await(posters * each), posters);
      }
      assertEquals((long) posters * each, rig.events.stats().dispatched());
      assertEquals(0, rig.events.stats().lost());
    }
  }

  private static void check(Recorder recorder, int posters) {
    assertEquals(List.of(), Checker.faults(recorder.heard()));
    assertFalse(recorder.overlapped());
    int[] next = new int[posters + 1];
    for (IbEvent e : recorder.heard()) {
      assertEquals(CYCLE[next[e.port()]++ % CYCLE.length], e.type(), "order of port " + e.port());
    }
  }

  @Test
  @DisplayName("S12: an overrun is one EVENT_OVERFLOW in its place, with the number lost")
  void overrun() {
    try (Rig rig = new Rig(4, 1024)) {
      Recorder r = rig.open().handler();
      CountDownLatch inQuery = new CountDownLatch(1);
      CountDownLatch go = new CountDownLatch(1);
      rig.device
          .faults()
          .at(
              "queryPort",
              () -> {
                inQuery.countDown();
                Rig.await(go);
              });
      rig.dispatch(EventType.SM_CHANGE);
      Rig.await(inQuery); // the dispatcher is busy: the ring takes four, three are lost
      rig.dispatch(7);
      go.countDown();
      r.await(6);
      rig.dispatch(EventType.LID_CHANGE);
      r.await(7);
      EventType active = EventType.PORT_ACTIVE;
      assertEquals(
          List.of(
              EventType.SM_CHANGE,
              active,
              active,
              active,
              active,
              EventType.EVENT_OVERFLOW,
              EventType.LID_CHANGE),
          r.types());
      assertEquals(3, r.heard().get(5).port());
      assertEquals(LongStream.rangeClosed(1, 7).boxed().toList(), r.sequences());
      assertEquals(1, rig.events.stats().overflows());
      assertEquals(3, rig.events.stats().lost());
    }
  }

  @Test
  @DisplayName("S12: dispatch inside a query of the driver and inside a handler does not block")
  void fromAnyContext() {
    try (Rig rig = new Rig()) {
      Recorder r =
          new Recorder(
              rig.client,
              e -> {
                if (e.type() == EventType.PORT_ERR) {
                  rig.dispatch(EventType.SM_CHANGE);
                }
              });
      rig.device
          .faults()
          .at(
              "queryPort",
              () -> {
                if (rig.device.faults().hits("queryPort") == 1) {
                  rig.dispatch(EventType.PORT_ERR);
                }
              });
      rig.events.register(rig.client, r);
      rig.open();
      assertEquals(List.of(EventType.PORT_ERR, EventType.SM_CHANGE), r.await(2).types());
    }
  }

  @Test
  @DisplayName("S45: only unaffiliated events go to the handlers")
  void classification() {
    try (Rig rig = new Rig()) {
      rig.open();
      for (EventType t : EventType.values()) {
        if (!t.unaffiliated()) {
          assertThrows(
              IllegalArgumentException.class, () -> rig.events.sink().dispatch(t, 0), t.name());
        }
      }
    }
  }

  @Test
  @DisplayName("S42: an event carries the handle that its handler was made for")
  void ownHandle() {
    try (Rig rig = new Rig()) {
      IbDevice other = new FakeDevice("another client's handle");
      Recorder mine = rig.open().handler();
      Recorder theirs = new Recorder(other);
      rig.events.register(other, theirs);
      rig.dispatch(1);
      assertEquals(rig.client, mine.await(1).heard().getFirst().device());
      assertEquals(other, theirs.await(1).heard().getFirst().device());
    }
  }

  @Test
  @DisplayName("CC-16: what was accepted is heard, what comes later is counted and dropped")
  void gate() {
    Rig rig = new Rig();
    Recorder r = rig.open().handler();
    rig.dispatch(100);
    rig.events.close();
    rig.dispatch(3);
    assertTrue(rig.events.drain(Rig.FOREVER));
    assertEquals(100, r.heard().size());
    assertEquals(3, rig.events.stats().late());
    assertThrows(IbDisassociatedException.class, rig::handler);
    assertTrue(rig.events.drain(Rig.FOREVER)); // CC-13: the second waits as well, and finds it done
    rig.hub.close();
  }

  @Test
  @DisplayName("B12, findings C5: what a driver raises before the core has connected is counted")
  void early() {
    Rig rig = new Rig();
    rig.device.connect(null, null);
    rig.dispatch(2);
    rig.device.connect(rig.events.sink(), null);
    Recorder r = rig.open().handler();
    rig.dispatch(1);
    assertEquals(1, r.await(1).heard().size());
    assertEquals(2, rig.events.stats().early());
    assertEquals(0, rig.events.stats().late());
    rig.hub.close();
  }

  @Test
  @DisplayName("CC-16: posters race with the close: each event is heard or counted late")
  void gateRace() throws Exception {
    for (int round = 0; round < 300; round++) {
      Rig rig = new Rig();
      Recorder r = rig.open().handler();
      CountDownLatch start = new CountDownLatch(1);
      List<Thread> posters = new ArrayList<>();
      for (int p = 0; p < 2; p++) {
        posters.add(
            Thread.ofVirtual()
                .start(
                    () -> {
                      Rig.await(start);
                      rig.dispatch(50);
                    }));
      }
      start.countDown();
      assertTrue(rig.events.closeAndDrain(Rig.FOREVER));
      int heard = r.heard().size();
      for (Thread p : posters) {
        p.join();
      }
      assertEquals(100, heard + rig.events.stats().late());
      assertEquals(heard, r.heard().size(), "heard after the close");
      rig.hub.close();
    }
  }

  @Test
  @DisplayName("CC-23: after a reset, numbers go on without a gap")
  void next() {
    Rig rig = new Rig();
    Recorder before = rig.open().handler();
    rig.dispatch(3);
    assertTrue(rig.events.closeAndDrain(Rig.FOREVER));
    assertEquals(List.of(1L, 2L, 3L), before.sequences());
    DeviceEvents next = rig.events.next();
    rig.device.connect(next.sink(), null);
    next.open();
    Recorder after = new Recorder(rig.client);
    next.register(rig.client, after);
    rig.dispatch(2);
    assertEquals(List.of(4L, 5L), after.await(2).sequences());
    assertEquals(5, next.stats().dispatched());
    assertTrue(next.closeAndDrain(Rig.FOREVER));
    rig.hub.close();
  }

  @Test
  @DisplayName("S11, CC-23: between a reset and the next load, a read does not query the driver")
  void readAfterReset() {
    Rig rig = new Rig();
    rig.open();
    Gid gid = rig.events.caches().gid(1, 0);
    int pkey = rig.events.caches().pkey(1, 0);
    assertTrue(rig.events.closeAndDrain(Rig.FOREVER));
    DeviceEvents next = rig.events.next();
    for (String query : List.of("queryPort", "queryGid", "queryPkey")) {
      rig.device.faults().at(query, () -> fail(query + " may sleep"));
    }
    assertEquals(gid, next.caches().gid(1, 0));
    assertEquals(pkey, next.caches().pkey(1, 0));
    assertTrue(next.caches().port(1).gidTableLen() > 0);
    rig.device.faults().clear();
    assertTrue(next.closeAndDrain(Rig.FOREVER));
    rig.hub.close();
  }

  @Test
  @DisplayName("CC-16: a driver that closes inside its own query is refused, and nothing hangs")
  void closeInsideQuery() {
    Rig rig = new Rig();
    rig.open();
    CountDownLatch told = new CountDownLatch(1);
    rig.device
        .faults()
        .at(
            "queryGid",
            () -> {
              if (told.getCount() > 0 && !rig.events.closeAndDrain(Rig.FOREVER)) {
                told.countDown();
              }
            });
    rig.dispatch(1);
    Rig.await(told);
    assertTrue(rig.events.drain(Rig.FOREVER));
    rig.hub.close();
  }

  @Test
  @DisplayName("I8: 10,000 devices come and go; no dispatcher thread is left")
  void noLeak() {
    EventHub hub =
        new EventHub(EventConfig.DEFAULT, new Reports(), AtomicSection.NONE, new WaitGraph());
    FakeDevice device = new FakeDevice("leak0");
    Set<Thread> dispatchers = ConcurrentHashMap.newKeySet();
    device.faults().at("queryPort", () -> dispatchers.add(Thread.currentThread()));
    for (int i = 0; i < 10_000; i++) {
      DeviceEvents events = hub.device(device);
      device.connect(events.sink(), null);
      events.open();
      if (i % 2 == 0) { // the thread is lazy: half of them never need one
        device.dispatchEvent(EventType.PORT_ACTIVE, 1);
      }
      assertTrue(events.closeAndDrain(Rig.FOREVER));
      assertEquals(i % 2 == 0 ? 1 : 0, events.stats().dispatched());
    }
    dispatchers.remove(Thread.currentThread()); // it has opened them
    assertEquals(5_000, dispatchers.size());
    assertTrue(dispatchers.stream().noneMatch(Thread::isAlive));
    hub.close();
  }

  @Test
  @DisplayName("S27: a device whose probe failed is closed without a dispatcher")
  void neverOpened() {
    Rig rig = new Rig();
    rig.dispatch(2);
    rig.device.faults().fail("queryGid");
    assertThrows(RuntimeException.class, rig::open);
    assertTrue(rig.events.closeAndDrain(Rig.FOREVER));
    assertEquals(2, rig.events.stats().late());
    rig.hub.close();
  }
}
