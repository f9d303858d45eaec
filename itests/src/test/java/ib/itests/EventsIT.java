package ib.itests;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertTrue;

import ib.core.client.EventTopics;
import ib.core.client.IbClient;
import ib.core.client.IbCore;
import ib.core.spi.DriverDevice;
import ib.core.verbs.EventType;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbEvent;
import ib.core.verbs.IbEventHandler;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Hashtable;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import javax.inject.Inject;
import org.jspecify.annotations.Nullable;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.ops4j.pax.exam.Configuration;
import org.ops4j.pax.exam.CoreOptions;
import org.ops4j.pax.exam.Option;
import org.ops4j.pax.exam.junit.PaxExam;
import org.ops4j.pax.exam.options.FrameworkPropertyOption;
import org.ops4j.pax.exam.spi.reactors.ExamReactorStrategy;
import org.ops4j.pax.exam.spi.reactors.PerMethod;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceReference;
import org.osgi.framework.ServiceRegistration;
import org.osgi.service.cm.ConfigurationAdmin;
import org.osgi.service.event.Event;
import org.osgi.service.event.EventAdmin;
import org.osgi.service.event.EventConstants;
import org.osgi.service.event.EventHandler;
import org.osgi.util.tracker.ServiceTracker;

/**
 * D8 over a real EventAdmin, with its own default timeout of 5 s after which it denies a handler;
 * the distribution sets 0.
 */
@RunWith(PaxExam.class)
@ExamReactorStrategy(PerMethod.class)
public class EventsIT {
  private static final String TIMEOUT = "org.apache.felix.eventadmin.Timeout";
  private static final String EVENT_ADMIN = "org.apache.felix.eventadmin";

  @Inject private BundleContext context;
  @Inject private ConfigurationAdmin configurations;
  @Inject private IbCore core;
  private final BlockingQueue<IbEvent> heard = new LinkedBlockingQueue<>();
  private final CountDownLatch listening = new CountDownLatch(1);
  private DriverDevice device;

  @Configuration
  public Option[] config() {
    List<Option> options = new ArrayList<>();
    for (Option o : Distro.withDriver()) {
      if (!(o instanceof FrameworkPropertyOption p && p.getKey().equals(TIMEOUT))) {
        options.add(o);
      }
    }
    options.add(CoreOptions.frameworkProperty(TIMEOUT).value("5000"));
    return options.toArray(Option[]::new);
  }

  /** A client whose only interest is events. */
  private final class Listener implements IbClient {
    @Override
    public String name() {
      return "events";
    }

    @Override
    public Object add(IbDevice handle) {
      IbEventHandler handler =
          new IbEventHandler(handle) {
            @Override
            public void handle(IbEvent event) {
              heard.add(event);
            }
          };
      handle.registerEventHandler(handler);
      listening.countDown();
      return handler;
    }

    @Override
    public void remove(IbDevice handle, @Nullable Object handler) {
      handle.unregisterEventHandler((IbEventHandler) handler);
    }
  }

  @Before
  public void plug() throws Exception {
    assertEquals("5000", context.getProperty(TIMEOUT));
    core.registerClient(new Listener());
    configurations
        .getFactoryConfiguration("ib.driver.soft", "ev0", "?")
        .update(new Hashtable<>(Map.of("name", "ev0")));
    ServiceTracker<IbDevice, IbDevice> tracker =
        new ServiceTracker<>(context, IbDevice.class, null);
    tracker.open();
    device = (DriverDevice) tracker.waitForService(30_000);
    assertNotNull("no device", device);
    assertTrue("the client was not added", listening.await(Await.HANG_S, TimeUnit.SECONDS));
    settle();
  }

  @After
  public void unplug() throws Exception {
    configurations.getFactoryConfiguration("ib.driver.soft", "ev0", "?").delete();
  }

  /** Lets what the device says of its own start be heard, up to an event of ours. */
  private void settle() throws InterruptedException {
    device.dispatchEvent(EventType.DEVICE_SPEED_CHANGE, 0);
    while (hear().type() != EventType.DEVICE_SPEED_CHANGE) {
      assertTrue(heard.size() < 1_000);
    }
  }

  private IbEvent hear() throws InterruptedException {
    IbEvent e = heard.poll(Await.HANG_S, TimeUnit.SECONDS);
    assertNotNull("nothing heard within 60 s", e);
    return e;
  }

  private void dispatchAndHear(int count) throws InterruptedException {
    for (int i = 0; i < count; i++) {
      device.dispatchEvent(EventType.SM_CHANGE, 1);
    }
    List<Long> numbers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      IbEvent e = hear();
      assertEquals(EventType.SM_CHANGE, e.type());
      numbers.add(e.sequence());
    }
    long first = numbers.getFirst();
    assertEquals(LongStream.range(first, first + count).boxed().toList(), numbers);
  }

  private ServiceRegistration<EventHandler> subscribe(EventHandler handler) {
    return context.registerService(
        EventHandler.class,
        handler,
        new Hashtable<>(Map.of(EventConstants.EVENT_TOPIC, new String[] {EventTopics.ALL})));
  }

  @Test
  public void d8AnyBundleHearsEventsWithTheirProperties() throws Exception {
    BlockingQueue<Event> events = new LinkedBlockingQueue<>();
    ServiceRegistration<EventHandler> r = subscribe(events::add);
    dispatchAndHear(3);
    long last = 0;
    for (int i = 0; i < 3; i++) {
      Event e = events.poll(Await.HANG_S, TimeUnit.SECONDS);
      assertNotNull(e);
      assertEquals("ib/event/SM_CHANGE", e.getTopic());
      assertEquals("ev0", e.getProperty(EventTopics.DEVICE));
      assertEquals(1, e.getProperty(EventTopics.PORT));
      assertTrue(e.getProperty(EventTopics.TIME) instanceof Long);
      long number = (Long) e.getProperty(EventTopics.SEQUENCE);
      assertTrue(last == 0 || number == last + 1);
      last = number;
    }
    r.unregister();
  }

  @Test
  public void f23AForeignHandlerStuckFor6SecondsDoesNotSilenceTheDevice() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    CountDownLatch stuck = new CountDownLatch(1);
    AtomicInteger calls = new AtomicInteger();
    BlockingQueue<Long> others = new LinkedBlockingQueue<>();
    ServiceRegistration<EventHandler> slow =
        subscribe(
            e -> {
              if (calls.incrementAndGet() != 2) { // the first call is not timed by the EventAdmin
                return;
              }
              stuck.countDown();
              try {
                assertFalse(never.await(6, TimeUnit.SECONDS));
              } catch (InterruptedException x) {
                Thread.currentThread().interrupt();
              }
            });
    ServiceRegistration<EventHandler> other =
        subscribe(e -> others.add((Long) e.getProperty(EventTopics.SEQUENCE)));
    dispatchAndHear(2);
    assertTrue(stuck.await(Await.HANG_S, TimeUnit.SECONDS));
    dispatchAndHear(50); // while it is stuck
    long first = others.poll(Await.HANG_S, TimeUnit.SECONDS);
    for (long n = first + 1; n < first + 52; n++) { // and in the end the others have missed nothing
      assertEquals(Long.valueOf(n), others.poll(Await.HANG_S, TimeUnit.SECONDS));
    }
    dispatchAndHear(10);
    slow.unregister();
    other.unregister();
  }

  @Test
  public void f23ADenialOfTheCoresOwnHandlerIsNoticedAndCleared() throws Exception {
    ServiceReference<?> own = ownHandler();
    Object proxy = proxy(own);
    proxy.getClass().getMethod("denyEventHandler").invoke(proxy);
    assertEquals(true, proxy.getClass().getMethod("isDenied").invoke(proxy));
    dispatchAndHear(5);
    long start = System.nanoTime();
    while ((Boolean) proxy.getClass().getMethod("isDenied").invoke(proxy)) {
      assertTrue(
          "still denied", System.nanoTime() - start < TimeUnit.SECONDS.toNanos(Await.HANG_S));
      Thread.onSpinWait();
    }
    dispatchAndHear(5);
  }

  private ServiceReference<?> ownHandler() throws Exception {
    return context.getServiceReferences(EventHandler.class, null).stream()
        .filter(r -> "ib.core".equals(r.getBundle().getSymbolicName()))
        .findFirst()
        .orElseThrow(() -> new AssertionError("the core has no event handler"));
  }

  /** What the EventAdmin keeps of a handler. */
  @SuppressWarnings("unchecked")
  private Object proxy(ServiceReference<?> handler) throws Exception {
    Object secured = context.getService(context.getServiceReference(EventAdmin.class));
    Object admin = field(secured, "m_admin");
    ServiceTracker<Object, Object> tracker =
        (ServiceTracker<Object, Object>) field(admin, "tracker");
    return tracker.getService((ServiceReference<Object>) handler);
  }

  private static Object field(Object object, String name) throws Exception {
    Field f = object.getClass().getDeclaredField(name);
    f.setAccessible(true);
    return f.get(object);
  }

  @Test
  public void f24WithoutEventAdminAndAfterItsRestartEventsArrive() throws Exception {
    Bundle admin =
        Arrays.stream(context.getBundles())
            .filter(b -> EVENT_ADMIN.equals(b.getSymbolicName()))
            .findFirst()
            .orElseThrow();
    BlockingQueue<Event> events = new LinkedBlockingQueue<>();
    ServiceRegistration<EventHandler> r = subscribe(events::add);
    dispatchAndHear(3);
    admin.stop();
    dispatchAndHear(20);
    admin.start();
    events.clear();
    dispatchAndHear(3);
    assertNotNull(events.poll(Await.HANG_S, TimeUnit.SECONDS));
    r.unregister();
  }
}
