package ib.core.internal.osgi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.testing.Wait;
import ib.core.verbs.IbException;
import ib.core.verbs.IbExistsException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceEvent;
import org.osgi.framework.ServiceFactory;
import org.osgi.framework.ServiceReference;
import org.osgi.framework.ServiceRegistration;

/** Service events, on a real Felix. */
class ServiceGateTest implements ServiceGate.Work<CharSequence, String> {
  @TempDir private Path storage;
  private Framework framework;
  private BundleContext context;
  private ServiceGate<CharSequence, String> gate;
  private final List<String> log = new CopyOnWriteArrayList<>();
  private volatile CountDownLatch inArrive = new CountDownLatch(0);
  private final CountDownLatch inRefused = new CountDownLatch(1);
  private volatile CountDownLatch free = new CountDownLatch(0);
  private volatile Runnable inFirst = () -> {};

  @BeforeEach
  void start() throws Exception {
    framework = new Framework(storage);
    context = framework.context();
    gate = new ServiceGate<>(context, CharSequence.class, this);
  }

  @AfterEach
  void stop() throws Exception {
    gate.close();
    framework.close();
  }

  @Override
  public void inspect(
      ServiceReference<CharSequence> reference, CharSequence service, String bundle, String name) {}

  @Override
  public String name(CharSequence service) {
    if (service.toString().equals("first")) {
      inFirst.run();
    }
    return service.toString();
  }

  @Override
  public String announce(
      ServiceReference<CharSequence> reference, CharSequence service, String name) {
    log.add("announce " + name);
    if (name.startsWith("bad")) {
      throw new IbExistsException(name, "it is bad", "a good one");
    }
    return name;
  }

  @Override
  public void refused(String bundle, String name, IbException why) {
    inRefused.countDown();
    try {
      assertTrue(free.await(10, TimeUnit.MINUTES), "it waits for no other");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    log.add("refused " + why.what());
  }

  @Override
  public void arrive(String entry) {
    inArrive.countDown();
    try {
      assertTrue(free.await(10, TimeUnit.MINUTES));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    log.add("arrive " + entry);
  }

  @Override
  public void modified(ServiceReference<CharSequence> reference, String entry) {
    log.add("modified " + entry);
  }

  @Override
  public void leave(String entry) {
    try {
      assertTrue(free.await(10, TimeUnit.MINUTES)); // as the device's actor: after the arrival
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    log.add("leave " + entry);
  }

  private ServiceRegistration<CharSequence> register(BundleContext where, String name) {
    return where.registerService(CharSequence.class, name, null);
  }

  @Test
  @DisplayName(
      "S39, D1: what is there already arrives in the order of service.id, not the tracker's")
  void openingIsInOrder() throws Exception {
    List<String> want = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      register(context, "s" + i);
      want.add("announce s" + i);
    }
    gate.open();
    assertEquals(want, log.stream().filter(l -> l.startsWith("announce")).toList());
    register(context, "later");
    assertEquals("arrive later", log.getLast());
  }

  @Test
  @DisplayName("D1: a service whose unregister() goes on while the gate opens does not arrive")
  void leavesWhileOpening() throws Exception {
    register(context, "first");
    ServiceRegistration<CharSequence> going = register(context, "going");
    CountDownLatch leaving = new CountDownLatch(1);
    CountDownLatch opened = new CountDownLatch(1);
    AtomicReference<Future<?>> closer = new AtomicReference<>();
    inFirst =
        () -> {
          context.addServiceListener(
              event -> {
                if (event.getType() == ServiceEvent.UNREGISTERING) {
                  leaving.countDown(); // the gate's own listeners were called before
                  Wait.on(opened);
                }
              });
          closer.set(Wait.start(going::unregister));
          Wait.on(leaving);
        };
    gate.open();
    opened.countDown();
    Wait.end(closer.get());
    assertEquals(List.of("announce first", "arrive first"), log);
  }

  @Test
  @DisplayName("CC-1, S28: unregister of a service that is still arriving returns when it has left")
  void fence() throws Exception {
    gate.open();
    inArrive = new CountDownLatch(1);
    free = new CountDownLatch(1);
    AtomicReference<ServiceRegistration<CharSequence>> registration = new AtomicReference<>();
    Thread registrar =
        new Thread(
            () -> context.registerService(CharSequence.class, new Early(registration, "s"), null));
    registrar.start();
    assertTrue(inArrive.await(10, TimeUnit.MINUTES));
    Thread closer =
        new Thread(
            () -> {
              registration.get().unregister();
              log.add("closer returns");
            });
    closer.start();
    Wait.until(() -> !closer.isAlive() || closer.getState() == Thread.State.TIMED_WAITING);
    free.countDown();
    closer.join(TimeUnit.MINUTES.toMillis(5));
    registrar.join(TimeUnit.MINUTES.toMillis(5));
    assertFalse(closer.isAlive() || registrar.isAlive());
    assertTrue(log.indexOf("leave s") < log.indexOf("closer returns"), log.toString());
    assertEquals(1, log.stream().filter(l -> l.equals("leave s")).count());
  }

  /** A service whose registration is known before {@code registerService} has returned. */
  private record Early(AtomicReference<ServiceRegistration<CharSequence>> registration, String name)
      implements ServiceFactory<CharSequence> {
    @Override
    public CharSequence getService(Bundle bundle, ServiceRegistration<CharSequence> mine) {
      registration.set(mine);
      return name;
    }

    @Override
    public void ungetService(
        Bundle bundle, ServiceRegistration<CharSequence> mine, CharSequence service) {}
  }

  @Test
  @DisplayName("S28: when unregister() returns the service has left, once")
  void leavesOnce() throws Exception {
    gate.open();
    ServiceRegistration<CharSequence> s = register(context, "s");
    s.unregister();
    assertEquals(List.of("announce s", "arrive s", "leave s"), log);
  }

  @Test
  @DisplayName(
      "CC-22, CC-26: the services of a stopping bundle leave in reverse, by any unregister")
  void stoppingBundle() throws Exception {
    gate.open();
    Bundle driver = framework.bundle("driver");
    register(context, "other");
    for (String name : List.of("d1", "d2", "d3")) {
      register(driver.getBundleContext(), name);
    }
    log.clear();
    driver.stop(); // the framework itself unregisters, in the order of registration
    assertEquals(List.of("leave d3", "leave d2", "leave d1"), log);
  }

  @Test
  @DisplayName("a service that is unregistered alone, while its bundle stays, removes no other")
  void goesAlone() throws Exception {
    gate.open();
    Bundle driver = framework.bundle("driver");
    ServiceRegistration<CharSequence> first = register(driver.getBundleContext(), "d1");
    register(driver.getBundleContext(), "d2");
    log.clear();
    first.unregister();
    assertEquals(List.of("leave d1"), log);
  }

  @Test
  @DisplayName("a refused service is given back; one whose component fails is passed over")
  void refused() throws Exception {
    gate.open();
    ServiceRegistration<CharSequence> bad = register(context, "bad");
    assertNull(bad.getReference().getUsingBundles());
    context.registerService(
        CharSequence.class,
        new ServiceFactory<CharSequence>() {
          @Override
          public @Nullable CharSequence getService(
              Bundle bundle, ServiceRegistration<CharSequence> registration) {
            return null;
          }

          @Override
          public void ungetService(
              Bundle bundle,
              ServiceRegistration<CharSequence> registration,
              CharSequence service) {}
        },
        null);
    ServiceRegistration<CharSequence> good = register(context, "good");
    assertEquals(1, good.getReference().getUsingBundles().length);
    good.unregister();
    bad.unregister();
    assertEquals(
        List.of("announce bad", "refused bad", "announce good", "arrive good", "leave good"), log);
  }

  @Test
  @DisplayName("a log that blocks while it reports a refusal holds up no unregister")
  void refusedOutsideOfTheLock() throws Exception {
    gate.open();
    free = new CountDownLatch(1);
    AtomicReference<ServiceRegistration<CharSequence>> registration = new AtomicReference<>();
    Early bad = new Early(registration, "bad");
    Thread registrar = new Thread(() -> context.registerService(CharSequence.class, bad, null));
    registrar.start();
    assertTrue(inRefused.await(10, TimeUnit.MINUTES));
    registration.get().unregister();
    assertEquals(List.of("announce bad"), log, "returns before the report does");
    free.countDown();
    registrar.join();
    assertEquals(List.of("announce bad", "refused bad"), log);
  }

  @Test
  @DisplayName("CC-5, CC-15: a change of properties calls modified")
  void modified() throws Exception {
    gate.open();
    register(context, "s").setProperties(new java.util.Hashtable<>());
    assertEquals("modified s", log.getLast());
  }
}
