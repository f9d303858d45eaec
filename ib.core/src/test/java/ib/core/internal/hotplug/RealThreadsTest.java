package ib.core.internal.hotplug;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.IbClient;
import ib.core.client.LeakRecord;
import ib.core.client.Violation;
import ib.core.internal.waits.WaitGraph;
import ib.core.testing.Wait;
import ib.core.verbs.IbDevice;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The machine on real threads and a real clock. */
class RealThreadsTest implements Observer {
  private final BlockingQueue<Stuck> stuck = new LinkedBlockingQueue<>();
  private final Hotplug hotplug = new Hotplug(Limits.DEFAULT, this);

  private static FakeHooks device(String name) {
    return new FakeHooks(new SystemSync(System::nanoTime), name, name.hashCode());
  }

  private static DeviceEntry up(Hotplug h, String name) {
    FakeHooks d = device(name);
    DeviceEntry e = h.announce(d, d.info, "driver", null);
    h.bringUp(e);
    return e;
  }

  private static ClientEntry register(Hotplug h, IbClient c) {
    ClientEntry e = h.announce(c, c.name(), List.of(), null);
    h.attach(e);
    return e;
  }

  @Test
  @DisplayName("S2: who looks for a device does not wait, not for the lock of the book either")
  void look() throws Exception {
    DeviceEntry e = up(hotplug, "d");
    CountDownLatch held = new CountDownLatch(1);
    CountDownLatch free = new CountDownLatch(1);
    Thread holder =
        Thread.ofPlatform()
            .start(
                () ->
                    hotplug.book.update(
                        () -> {
                          held.countDown();
                          awaitEnd(free);
                        }));
    try {
      assertTrue(held.await(10, TimeUnit.MINUTES));
      AtomicReference<DeviceEntry> found = new AtomicReference<>();
      Thread looks = Thread.ofPlatform().start(() -> found.set(hotplug.find("d").orElseThrow()));
      Wait.until(() -> found.get() == e);
      looks.join();
    } finally {
      free.countDown();
      holder.join();
    }
    hotplug.close();
  }

  private static void awaitEnd(CountDownLatch latch) {
    try {
      assertTrue(latch.await(10, TimeUnit.MINUTES));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** A client that waits in add or remove. */
  private static final class Waiting implements IbClient {
    final CountDownLatch in = new CountDownLatch(1);
    final CountDownLatch free = new CountDownLatch(1);
    private final String where;
    volatile boolean removed;

    Waiting(String where) {
      this.where = where;
    }

    private void maybe(String callback) {
      if (callback.equals(where)) {
        in.countDown();
        awaitEnd(free);
      }
    }

    @Override
    public String name() {
      return "waiting";
    }

    @Override
    public Object add(IbDevice device) {
      maybe("add");
      return null;
    }

    @Override
    public void remove(IbDevice device, Object clientData) {
      maybe("remove");
      removed = true;
    }
  }

  @Test
  @DisplayName("S28, 2.6-8c: an interrupt does not break the fence; the flag is restored")
  void interrupt() throws Exception {
    Waiting c = new Waiting("add");
    register(hotplug, c);
    FakeHooks d = device("d");
    DeviceEntry e = hotplug.announce(d, d.info, "driver", null);
    Thread registrar = new Thread(() -> hotplug.bringUp(e));
    registrar.start();
    assertTrue(c.in.await(10, TimeUnit.MINUTES));
    AtomicBoolean flag = new AtomicBoolean();
    AtomicBoolean removedFirst = new AtomicBoolean();
    Thread driver =
        new Thread(
            () -> {
              hotplug.unregister(e, Form.THROW);
              removedFirst.set(c.removed && d.gone);
              flag.set(Thread.currentThread().isInterrupted());
            });
    driver.start();
    driver.interrupt();
    c.free.countDown();
    driver.join(TimeUnit.MINUTES.toMillis(5));
    registrar.join(TimeUnit.MINUTES.toMillis(5));
    assertFalse(driver.isAlive() || registrar.isAlive());
    assertTrue(removedFirst.get());
    assertTrue(flag.get());
    hotplug.close();
  }

  @Test
  @DisplayName("2.6-8b: callbacks run with the class loader of their client; it is restored")
  void contextClassLoader() {
    ClassLoader bundle = new ClassLoader(RealThreadsTest.class.getClassLoader()) {};
    List<ClassLoader> seen = new ArrayList<>();
    IbClient c =
        (IbClient)
            Proxy.newProxyInstance(
                bundle,
                new Class<?>[] {IbClient.class},
                (proxy, method, args) -> {
                  if (!method.getName().equals("name")) {
                    seen.add(Thread.currentThread().getContextClassLoader());
                  }
                  return switch (method.getName()) {
                    case "name" -> "proxy";
                    case "supports" -> true;
                    default -> null;
                  };
                });
    ClassLoader before = Thread.currentThread().getContextClassLoader();
    register(hotplug, c);
    hotplug.unregister(up(hotplug, "d"), Form.THROW);
    assertSame(before, Thread.currentThread().getContextClassLoader());
    assertEquals(3, seen.size()); // supports, add, remove
    seen.forEach(l -> assertSame(c.getClass().getClassLoader(), l));
    hotplug.close();
  }

  @Test
  @DisplayName("CC-19, F20: with a real watchdog the fence ends although remove does not")
  void realWatchdog() throws Exception {
    Limits quick = new Limits(TimeUnit.MILLISECONDS.toNanos(5), TimeUnit.MILLISECONDS.toNanos(20));
    Hotplug h = new Hotplug(quick, this);
    Waiting c = new Waiting("remove");
    register(h, c);
    DeviceEntry e = up(h, "d");
    Thread first = new Thread(() -> h.unregister(e, Form.THROW));
    first.start();
    assertTrue(c.in.await(10, TimeUnit.MINUTES));
    Thread second = new Thread(() -> h.unregister(e, Form.THROW));
    second.start();
    second.join(TimeUnit.MINUTES.toMillis(5));
    assertFalse(second.isAlive());
    assertEquals(DeviceEntry.State.GONE, e.state);
    Stuck report; // made outside of the lock, so perhaps after the end of the fence
    do {
      report = stuck.poll(10, TimeUnit.MINUTES);
      assertNotNull(report);
    } while (!report.revoked());
    assertEquals("waiting", report.client());
    assertTrue(first.isAlive()); // the core does not end the stuck thread
    c.free.countDown();
    first.join(TimeUnit.MINUTES.toMillis(5));
    assertFalse(first.isAlive());
    h.close();
  }

  /** A client that keeps the names of the threads on which it is called. */
  private static final class Named implements IbClient {
    final List<String> threads = new CopyOnWriteArrayList<>();
    final CountDownLatch in = new CountDownLatch(1);
    volatile CountDownLatch free = new CountDownLatch(0);

    @Override
    public String name() {
      return "named";
    }

    @Override
    public Object add(IbDevice device) {
      threads.add(Thread.currentThread().getName());
      in.countDown();
      Wait.on(free);
      return null;
    }

    @Override
    public void remove(IbDevice device, Object clientData) {
      threads.add(Thread.currentThread().getName());
    }
  }

  @Test
  @DisplayName("S26, S29: a thread that may not sleep runs no client; it waits for one that does")
  void atomic() {
    Thread me = Thread.currentThread();
    Hotplug h =
        new Hotplug(new WaitGraph(), () -> me.equals(Thread.currentThread()), Limits.DEFAULT, this);
    Named c = new Named();
    register(h, c);
    DeviceEntry d = up(h, "d");
    assertEquals(List.of("ib-hotplug d"), c.threads);
    h.unregister(d, Form.THROW);
    assertEquals(List.of("ib-hotplug d", "ib-hotplug d"), c.threads);
    h.close();
  }

  @Test
  @DisplayName("S26: what a thread asks for that may not sleep is run by the one that is there")
  void atomicWaits() {
    AtomicReference<Thread> atomic = new AtomicReference<>();
    Hotplug h =
        new Hotplug(
            new WaitGraph(),
            () -> Thread.currentThread().equals(atomic.get()),
            Limits.DEFAULT,
            this);
    Named c = new Named();
    c.free = new CountDownLatch(1);
    register(h, c);
    FakeHooks hooks = device("d");
    DeviceEntry d = h.announce(hooks, hooks.info, "driver", null);
    Future<?> driver =
        Wait.start(
            () -> {
              Thread.currentThread().setName("driver");
              h.bringUp(d);
            });
    Wait.on(c.in);
    Future<?> remover =
        Wait.start(
            () -> {
              atomic.set(Thread.currentThread());
              h.unregister(d, Form.THROW);
              assertEquals(DeviceEntry.State.GONE, d.state);
            });
    Wait.until(() -> h.book.compute(() -> h.book.graph.waits().size() == 1));
    c.free.countDown();
    Wait.end(remover);
    Wait.end(driver);
    assertEquals(List.of("driver", "driver"), c.threads);
    assertTrue(h.book.graph.waits().isEmpty());
    h.close();
  }

  @Test
  @DisplayName("a closed registry leaves no thread behind")
  void noThreads() {
    for (int i = 0; i < 100; i++) {
      Hotplug h = new Hotplug(Limits.DEFAULT, this);
      register(h, new Waiting("never"));
      up(h, "d");
      h.close();
    }
    long left =
        Thread.getAllStackTraces().keySet().stream()
            .filter(t -> t.isAlive() && t.getName().equals("ib-watchdog"))
            .count();
    assertEquals(0, left);
  }

  @Override
  public void violation(Violation violation) {
    throw new AssertionError(violation.toString());
  }

  @Override
  public void leak(LeakRecord leak) {
    throw new AssertionError(leak.toString());
  }

  @Override
  public void failed(String where, Throwable error) {
    throw new AssertionError(where, error);
  }

  @Override
  public void stuck(Stuck s) {
    stuck.add(s);
  }

  @Override
  public void note(String text) {
    assertTrue(text.contains("after its deadline"), text);
  }
}
