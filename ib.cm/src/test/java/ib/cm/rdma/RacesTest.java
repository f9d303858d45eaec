package ib.cm.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.cm.CmListener;
import ib.cm.CmPort;
import ib.core.verbs.IbException;
import ib.core.verbs.QpType;
import ib.driver.rxe.standalone.RxeHost;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls that meet one another, on real devices; every connection ends once, nothing is left. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RacesTest {
  private static final int ROUNDS = 100;
  private static final String ONE = "127.0.43.1";
  private static final String TWO = "127.0.43.2";

  private final Random random = new Random(14);
  private final Pool pool = new Pool(QpType.RC);
  private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
  private final Queue<AtomicInteger> all = new ConcurrentLinkedQueue<>();

  /** Counts ends, and does something at each event. */
  private final class Counting implements RdmaHandler {
    private final AtomicInteger ends = new AtomicInteger();
    private final Does does;

    Counting(Does does) {
      this.does = does;
      all.add(ends);
    }

    @Override
    public void established(RdmaConnection connection) {
      if (ends.get() > 0) {
        wrong.add("established after its end");
      }
      does.at(connection, false);
    }

    @Override
    public void ended(RdmaConnection connection, RdmaEnd how) {
      if (ends.incrementAndGet() > 1) {
        wrong.add("a second end: " + how);
      }
      does.at(connection, true);
    }
  }

  private interface Does {
    void at(RdmaConnection c, boolean end);
  }

  private static final Does NOTHING = (c, end) -> {};
  private static final Does CLOSES_AT_END =
      (c, end) -> {
        if (end) {
          c.close();
        }
      };

  private void pause() {
    LockSupport.parkNanos(random.nextInt(500_000));
  }

  private void settle() throws InterruptedException {
    pool.empty();
    assertEquals(List.of(), List.copyOf(wrong));
    for (AtomicInteger ends : all) {
      assertEquals(1, ends.get(), "ends");
    }
  }

  private RdmaListener accepting(World world, Does does) {
    return world.server.listen(
        new InetSocketAddress(0),
        PortSpace.TCP,
        0,
        request -> {
          Counting handler = new Counting(does);
          try {
            request.accept(RdmaOptions.rc(), pool, handler);
          } catch (IbException e) { // the peer has given up, or the device goes
            assertTrue(e.getMessage() != null, "a reason");
            all.remove(handler.ends);
            if (handler.ends.get() > 0) {
              all.add(handler.ends);
            }
          }
        });
  }

  @Test
  @DisplayName("RG-1: a group joined, left and closed at the same time, and the program with it")
  void groups() throws Exception {
    Pool ud = new Pool(QpType.UD);
    InetAddress group = InetAddress.getByName("239.4.5.6");
    for (int round = 0; round < 3; round++) {
      World world = round == 0 ? new World(RxeHost.open(ONE, TWO)) : new World();
      List<Thread> closers = new ArrayList<>();
      for (int i = 0; i < ROUNDS; i++) {
        RdmaConnection member =
            world.client.join(group, RdmaOptions.ud(), ud, new Counting(NOTHING));
        closers.add(Thread.startVirtualThread(member::close));
        pause();
        closers.add(Thread.startVirtualThread(member::disconnect));
      }
      closers.add(Thread.startVirtualThread(world.client::close));
      for (Thread each : closers) {
        each.join();
      }
      ud.empty();
      world.close();
      assertEquals(List.of(), world.core.resources(), "left");
    }
    settle();
  }

  @Test
  @DisplayName("RG-2, RG-20, K13: closed in each callback and by two threads at the same time")
  void closedByTwo() throws Exception {
    try (World world = new World()) {
      Does closes =
          (c, end) -> {
            Thread.startVirtualThread(c::close);
            c.close();
          };
      RdmaListener listener = accepting(world, closes);
      List<RdmaConnection> made = new ArrayList<>();
      for (int i = 0; i < ROUNDS; i++) {
        RdmaConnection c =
            world.client.start(world.at(listener), RdmaOptions.rc(), pool, new Counting(closes));
        made.add(c);
        pause();
        Thread.startVirtualThread(c::close);
      }
      for (RdmaConnection each : made) {
        each.ended().get(1, TimeUnit.MINUTES);
      }
      listener.close(); // no accept is under way
      listener.close();
      settle();
    }
  }

  @Test
  @DisplayName("RG-3: closed while its address is resolved, and resolved again after a failure")
  void resolving() throws Exception {
    try (World world = new World()) {
      RdmaListener listener = accepting(world, CLOSES_AT_END);
      InetSocketAddress nowhere = new InetSocketAddress("fe80::dead", 7174);
      for (int i = 0; i < ROUNDS; i++) {
        InetSocketAddress to = i % 3 == 0 ? nowhere : world.at(listener);
        RdmaConnection c = world.client.start(to, RdmaOptions.rc(), pool, new Counting(NOTHING));
        if (i % 2 == 0) {
          pause();
        }
        c.close();
        assertNotNull(c.ended().get(1, TimeUnit.MINUTES));
      }
      RdmaConnection last = world.client.connect(world.at(listener), RdmaOptions.rc(), pool);
      assertTrue(last.isOpen());
      last.close();
      listener.close();
      settle();
    }
  }

  @Test
  @DisplayName("RG-4: listening everywhere while a device comes and goes; one that refuses")
  void listening() throws Exception {
    try (World world = new World()) {
      AtomicBoolean over = new AtomicBoolean();
      CountDownLatch begun = new CountDownLatch(1);
      Thread listens =
          Thread.startVirtualThread(
              () -> {
                while (!over.get()) {
                  accepting(world, CLOSES_AT_END).close();
                  begun.countDown();
                }
              });
      begun.await();
      for (int i = 0; i < 5; i++) {
        world.fabric.unplug("soft1");
        world.fabric.plug("soft1");
      }
      over.set(true);
      listens.join();
      RdmaListener listener = accepting(world, CLOSES_AT_END);
      int port = listener.localAddress().getPort();
      listener.close();
      try (CmPort other = world.cm.open("soft0", 1);
          CmListener own = other.listen(PortSpace.TCP.serviceId(port), 1, (c, e) -> {})) {
        InetSocketAddress at = new InetSocketAddress(port);
        assertEquals(PortSpace.TCP.serviceId(port), own.serviceId());
        IbException refused =
            assertThrows(
                IbException.class, () -> world.server.listen(at, PortSpace.TCP, 1, r -> {}));
        assertNotNull(refused.hint());
      }
      world.server.listen(new InetSocketAddress(port), PortSpace.TCP, 1, r -> {}).close();
      RdmaListener again = accepting(world, CLOSES_AT_END);
      world.client.connect(world.at(again), RdmaOptions.rc(), pool).close();
      settle();
      again.close();
    }
  }

  @Test
  @DisplayName("RG-5, K14: the device goes while connections are made, accepted and closed")
  void removal() throws Exception {
    try (World world = new World()) {
      RdmaListener listener = accepting(world, CLOSES_AT_END);
      InetSocketAddress to = world.at(listener);
      for (int round = 0; round < 5; round++) {
        AtomicBoolean over = new AtomicBoolean();
        CountDownLatch some = new CountDownLatch(10);
        Thread connects =
            Thread.startVirtualThread(
                () -> {
                  while (!over.get()) {
                    Counting handler = new Counting(CLOSES_AT_END);
                    RdmaConnection c = world.client.start(to, RdmaOptions.rc(), pool, handler);
                    pause();
                    Thread.startVirtualThread(c::disconnect);
                    some.countDown();
                  }
                });
        some.await();
        world.fabric.unplug(round % 2 == 0 ? "soft1" : "soft0");
        assertEquals(
            List.of(),
            world.core.lastRemoval(round % 2 == 0 ? "soft1" : "soft0").orElseThrow().leaks());
        over.set(true);
        connects.join();
        world.fabric.plug(round % 2 == 0 ? "soft1" : "soft0");
      }
      RdmaConnection last = world.client.connect(to, RdmaOptions.rc(), pool);
      assertTrue(last.isOpen());
      last.close();
      listener.close();
      settle();
    }
  }

  @Test
  @DisplayName("S32, API-6: nothing is made on a device that went after the way by it was found")
  void removalAfterTheWayWasFound() throws Exception {
    try (World world = new World()) {
      RdmaListener listener = world.listen();
      InetSocketAddress to = world.at(listener);
      Routes.Route way = world.client.routes.find(to, RdmaOptions.rc(), 7);
      RdmaConnection.Ends ends =
          new RdmaConnection.Ends("late", new InetSocketAddress(7), world.at(listener));
      RdmaConnection late =
          new RdmaConnection(
              world.client.connections, ends, RdmaOptions.rc(), pool, RdmaHandler.NONE);
      world.client.connections.add(late, null);
      world.fabric.unplug("soft0");
      IbException why = assertThrows(IbException.class, () -> late.begin(way));
      assertEquals(RdmaEnd.Kind.DEVICE_REMOVAL, RdmaEnd.unmade("late", false, why).kind());
      assertEquals(0, pool.made());
      late.close();
    }
  }

  @Test
  @DisplayName("S32, API-6: nothing is made for a request that came by a device which went since")
  void removalBeforeTheAnswer() throws Exception {
    try (World world = new World()) {
      RdmaConnection asks =
          world.client.start(
              world.at(world.listen()), RdmaOptions.rc(), new Pool(QpType.RC), RdmaHandler.NONE);
      RdmaRequest asked = world.request();
      world.fabric.unplug("soft1");
      assertThrows(IbException.class, () -> asked.accept(RdmaOptions.rc(), pool, RdmaHandler.NONE));
      assertEquals(0, pool.made());
      asks.close();
    }
  }
}
