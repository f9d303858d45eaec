package ib.cm.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.cm.CmTerms;
import ib.core.testing.Wait;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbDisassociatedException;
import ib.core.verbs.IbException;
import ib.core.verbs.IbExistsException;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.IbNoDeviceException;
import ib.core.verbs.IbTimedOutException;
import ib.core.verbs.QueuePair;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("the contract of connections by address")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ContractTest {
  private static final String CLOSED = "RDMA_CM_EVENT_CLOSED, error 0";
  private static final String GONE = "RDMA_CM_EVENT_DISCONNECTED, error 0";
  private static final String REMOVED = "RDMA_CM_EVENT_DEVICE_REMOVAL, error 0";
  private final World world = new World();
  private final Party mine = new Party();
  private final Party theirs = new Party();

  @AfterEach
  void close() {
    world.close();
  }

  private RdmaConnection start(InetSocketAddress to, RdmaHandler handler) {
    return world.client.start(to, RdmaOptions.rc(), mine, handler);
  }

  /** Waits for both ends of a connection. */
  private RdmaConnection accepted(RdmaHandler handler) throws Exception {
    RdmaConnection made = world.request().accept(RdmaOptions.rc(), theirs, handler);
    assertEquals("ESTABLISHED", mine.hear());
    made.established().get(1, TimeUnit.MINUTES);
    return made;
  }

  @Test
  @DisplayName("API-1: callbacks of a connection never overlap, nor run on the caller's stack")
  void serial() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    Thread caller = Thread.currentThread();
    BlockingQueue<String> order = new LinkedBlockingQueue<>();
    RdmaHandler slow =
        new RdmaHandler() {
          @Override
          public void established(RdmaConnection c) {
            order.add(Thread.currentThread().equals(caller) ? "on the caller" : "begin");
            mine.established(c);
            try {
              assertTrue(go.await(1, TimeUnit.MINUTES));
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
            order.add("end");
          }

          @Override
          public void ended(RdmaConnection c, RdmaEnd how) {
            order.add(how.toString());
          }
        };
    RdmaListener listener = world.listen();
    RdmaConnection a = start(world.at(listener), slow);
    RdmaConnection p = accepted(theirs); // the callback waits
    p.disconnect();
    assertEquals("ESTABLISHED", theirs.hear());
    assertEquals(GONE, theirs.hear()); // other connections go on
    assertEquals(1, order.size());
    go.countDown();
    assertEquals("begin", order.poll(1, TimeUnit.MINUTES));
    assertEquals("end", order.poll(1, TimeUnit.MINUTES));
    assertEquals(GONE, order.poll(1, TimeUnit.MINUTES));
    a.close();
    p.close();
  }

  @Test
  @DisplayName("API-2: a connection, the listener and all of them may be closed in any callback")
  void inCallbacks() throws Exception {
    CompletableFuture<String> done = new CompletableFuture<>();
    RdmaListener listener = world.listen();
    RdmaHandler closes =
        new RdmaHandler() {
          @Override
          public void established(RdmaConnection c) {
            mine.established(c);
            c.close();
          }

          @Override
          public void ended(RdmaConnection c, RdmaEnd how) {
            c.close();
            world.client.close();
            done.complete(how.toString());
          }
        };
    RdmaHandler alsoCloses =
        new RdmaHandler() {
          @Override
          public void ended(RdmaConnection c, RdmaEnd how) {
            c.close();
            listener.close();
            world.server.close();
            theirs.ended(c, how);
          }
        };
    RdmaConnection a = start(world.at(listener), closes);
    accepted(alsoCloses);
    assertEquals(CLOSED, done.get(1, TimeUnit.MINUTES));
    assertEquals(GONE, theirs.hear());
    assertEquals(CLOSED, a.ended().get(1, TimeUnit.MINUTES).toString());
  }

  @Test
  @DisplayName("API-3, API-5: close leaves neither a callback nor a queue pair, and does not wait")
  void closed() throws Exception {
    RdmaListener listener = world.listen();
    RdmaConnection a = start(world.at(listener), mine);
    RdmaConnection p = accepted(theirs);
    QueuePair qp = a.qp();
    a.close();
    a.close();
    assertThrows(IbInvalidException.class, qp::query);
    assertEquals(CLOSED, mine.hear());
    assertEquals("ESTABLISHED", theirs.hear());
    assertEquals(GONE, theirs.hear());
    p.close();
    assertNull(mine.heard.peek());
    assertNull(theirs.heard.peek());
  }

  @Test
  @DisplayName("API-4: one end, whatever races: both close, disconnect and lose the device at once")
  void races() throws Exception {
    RdmaListener listener = world.listen();
    for (int i = 0; i < 20; i++) {
      Party one = new Party();
      Party two = new Party();
      RdmaConnection a = world.client.start(world.at(listener), RdmaOptions.rc(), one, one);
      RdmaConnection p = world.request().accept(RdmaOptions.rc(), two, two);
      CompletableFuture<Void> left = CompletableFuture.runAsync(a::disconnect);
      CompletableFuture<Void> right = CompletableFuture.runAsync(p::close);
      CompletableFuture<Void> again = CompletableFuture.runAsync(a::close);
      CompletableFuture.allOf(left, right, again).get(1, TimeUnit.MINUTES);
      assertNotNull(a.ended().get(1, TimeUnit.MINUTES));
      assertNotNull(p.ended().get(1, TimeUnit.MINUTES));
      assertEquals(1, one.heard.stream().filter(h -> h.startsWith("RDMA")).count());
      assertEquals(1, two.heard.stream().filter(h -> h.startsWith("RDMA")).count());
    }
  }

  @Test
  @DisplayName(
      "API-6, RD-17: a device goes; its connections end, the listener serves the next device")
  void removal() throws Exception {
    RdmaListener listener = world.listen();
    RdmaHandler leaves =
        new RdmaHandler() {
          @Override
          public void ended(RdmaConnection c, RdmaEnd how) {
            c.close();
            theirs.ended(c, how);
          }
        };
    RdmaConnection a = start(world.at(listener), mine);
    accepted(leaves);
    world.fabric.unplug("soft1");
    assertEquals(REMOVED, theirs.hear());
    assertEquals(List.of(), world.core.lastRemoval("soft1").orElseThrow().leaks());
    assertEquals(GONE, mine.hear()); // by a DREQ
    a.close();
    world.fabric.plug("soft1");
    RdmaConnection b = start(world.at(listener), mine);
    RdmaConnection p = accepted(theirs);
    assertTrue(b.isOpen());
    b.close();
    p.close();
  }

  @Test
  @DisplayName("API-7, RD-8: an interrupt gives the attempt up, and the peer hears of it (REJ 4)")
  void interrupted() throws Exception {
    RdmaListener listener = world.listen();
    InetSocketAddress to = world.at(listener);
    CompletableFuture<Throwable> thrown = new CompletableFuture<>();
    Thread caller =
        Thread.startVirtualThread(
            () -> {
              try {
                world.client.connect(to, RdmaOptions.rc(), mine);
              } catch (InterruptedException | RuntimeException e) {
                thrown.complete(e);
              }
            });
    RdmaRequest asked = world.request();
    caller.interrupt();
    assertInstanceOf(InterruptedException.class, thrown.get(1, TimeUnit.MINUTES));
    RdmaConnection second = start(to, mine); // once it is here, the REJ is here, too
    RdmaConnection p = accepted(theirs);
    assertThrows(
        IbDisassociatedException.class, () -> asked.accept(RdmaOptions.rc(), theirs, theirs));
    second.close();
    p.close();
  }

  private <T extends IbException> T refused(Class<T> type, InetSocketAddress to) {
    return refused(type, to, RdmaOptions.rc());
  }

  private <T extends IbException> T refused(
      Class<T> type, InetSocketAddress to, RdmaOptions options) {
    T why = assertThrows(type, () -> world.client.connect(to, options, mine));
    assertFalse(why.hint().isEmpty(), why.getMessage());
    return why;
  }

  @Test
  @DisplayName("API-8: errors are typed and say what to try")
  void errors() throws Exception {
    InetAddress there = world.address("soft1");
    RdmaRejectedException nothing =
        refused(RdmaRejectedException.class, new InetSocketAddress(there, 7174));
    assertEquals(8, nothing.reason());
    assertTrue(nothing.getMessage().contains("nothing listens to the port"), nothing.getMessage());
    refused(IbNoDeviceException.class, new InetSocketAddress("192.0.2.1", 7174));
    refused(RdmaAddressException.class, new InetSocketAddress("fe80::dead", 7174));
    refused(RdmaAddressException.class, new InetSocketAddress("0.0.0.0", 7174));
    refused(RdmaAddressException.class, new InetSocketAddress("224.0.0.1", 7174));
    refused(RdmaAddressException.class, InetSocketAddress.createUnresolved("nowhere.test", 1));
    RdmaListener silent = world.server.listen(new InetSocketAddress(0), PortSpace.TCP, 4, r -> {});
    InetSocketAddress to = world.at(silent);
    CmTerms deadline = new CmTerms(7, 14, 8, 2, 200);
    refused(IbTimedOutException.class, to, RdmaOptions.rc().terms(deadline));
    IbException long57 =
        assertThrows(
            IbInvalidException.class,
            () -> world.client.connect(to, RdmaOptions.rc().data(new byte[57]), mine));
    assertEquals("at most 56", long57.hint());
    assertThrows(
        IbNoDeviceException.class,
        () ->
            world.server.listen(new InetSocketAddress("192.0.2.1", 1), PortSpace.TCP, 1, r -> {}));
  }

  @Test
  @DisplayName("API-8: a rejection by the program has reason 28 and its data")
  void rejected() throws Exception {
    RdmaConnection a = start(world.at(world.listen()), mine);
    RdmaRequest asked = world.request();
    byte[] data = new byte[148];
    data[147] = 9;
    asked.reject(data);
    assertEquals("RDMA_CM_EVENT_REJECTED, error 28", mine.hear());
    assertEquals(9, mine.end.data()[147]);
    assertThrows(IbException.class, () -> asked.accept(RdmaOptions.rc(), theirs, theirs));
    a.close();
  }

  @Test
  @DisplayName("API-5: a factory that fails ends the connection, and the peer hears reason 28")
  void factory() throws Exception {
    QpFactory broken =
        new QpFactory() {
          @Override
          public QueuePair make(IbDevice device, int port) {
            throw new IllegalStateException("no memory");
          }
        };
    RdmaListener listener = world.listen();
    RdmaConnection never = world.client.start(world.at(listener), RdmaOptions.rc(), broken, mine);
    assertEquals("RDMA_CM_EVENT_CONNECT_ERROR, error -22", mine.hear());
    never.close();
    RdmaConnection a = start(world.at(listener), mine);
    RdmaRequest asked = world.request();
    assertThrows(IllegalStateException.class, () -> asked.accept(RdmaOptions.rc(), broken, theirs));
    assertEquals("RDMA_CM_EVENT_CONNECT_ERROR, error -22", theirs.hear());
    assertEquals("RDMA_CM_EVENT_REJECTED, error 28", mine.hear());
    a.close();
  }

  @Test
  @DisplayName("API-3: who closes the program waits for the thread that closes a connection of it")
  void closedByTwo() throws Exception {
    CountDownLatch destroying = new CountDownLatch(1);
    AtomicReference<Thread> other = new AtomicReference<>();
    QpFactory slow =
        new QpFactory() {
          @Override
          public QueuePair make(IbDevice device, int port) {
            return theirs.make(device, port);
          }

          @Override
          public void destroyed(QueuePair qp) {
            destroying.countDown();
            Wait.until(() -> other.get() != null && standsStill(other.get()));
            theirs.destroyed(qp); // what is there until now is a leak if the program is gone
          }
        };
    RdmaConnection a = start(world.at(world.listen()), mine);
    RdmaConnection p = world.request().accept(RdmaOptions.rc(), slow, theirs);
    Thread closes = Thread.ofPlatform().start(p::close);
    destroying.await();
    other.set(Thread.ofPlatform().start(world.server::close));
    closes.join();
    other.get().join();
    a.close();
    assertEquals(List.of(), world.core.violations());
  }

  /** {@return whether the thread has ended, or waits for another one's close} */
  private static boolean standsStill(Thread thread) {
    return thread.getState() == Thread.State.TERMINATED
        || Stream.of(thread.getStackTrace())
            .anyMatch(f -> (f.getClassName() + f.getMethodName()).endsWith("RdmaConnectionawait"));
  }

  @Test
  @DisplayName("RD-20, CM-61: a listener at an address comes before the one for all")
  void specific() throws Exception {
    RdmaListener all = world.listen();
    int port = all.localAddress().getPort();
    BlockingQueue<RdmaRequest> others = new LinkedBlockingQueue<>();
    InetSocketAddress one = new InetSocketAddress(world.address("soft1"), port);
    RdmaListener specific = world.server.listen(one, PortSpace.TCP, 1, others::add);
    assertThrows(
        IbExistsException.class, () -> world.server.listen(one, PortSpace.TCP, 1, others::add));
    RdmaConnection a = start(one, mine);
    RdmaRequest asked = others.poll(1, TimeUnit.MINUTES);
    assertSame(specific, asked.listener);
    specific.close(); // CM-46: what waits is rejected
    assertEquals("RDMA_CM_EVENT_REJECTED, error 28", mine.hear());
    a.close();
    RdmaConnection b = start(one, mine); // the other one still listens
    RdmaConnection p = accepted(theirs);
    all.close();
    assertTrue(b.isOpen());
    b.close();
    p.close();
    assertEquals(8, refused(RdmaRejectedException.class, one).reason());
  }
}
