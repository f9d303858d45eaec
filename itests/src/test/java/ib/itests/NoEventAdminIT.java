package ib.itests;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertTrue;

import ib.core.client.ClientRegistration;
import ib.core.client.IbClient;
import ib.core.client.IbCore;
import ib.core.spi.DriverDevice;
import ib.core.verbs.EventType;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbEvent;
import ib.core.verbs.IbEventHandler;
import java.util.Arrays;
import java.util.Hashtable;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.inject.Inject;
import org.jspecify.annotations.Nullable;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.ops4j.pax.exam.Configuration;
import org.ops4j.pax.exam.Option;
import org.ops4j.pax.exam.junit.PaxExam;
import org.ops4j.pax.exam.spi.reactors.ExamReactorStrategy;
import org.ops4j.pax.exam.spi.reactors.PerClass;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.service.cm.ConfigurationAdmin;

/** F24: a framework that has neither an EventAdmin nor its package: typed handlers hear all. */
@RunWith(PaxExam.class)
@ExamReactorStrategy(PerClass.class)
public class NoEventAdminIT {
  private static final String EVENT_ADMIN = "org.apache.felix.eventadmin";

  @Inject private BundleContext context;
  @Inject private ConfigurationAdmin configurations;
  @Inject private IbCore core;

  @Configuration
  public Option[] config() {
    return Distro.withDriverWithout(EVENT_ADMIN);
  }

  @Test
  public void f24TypedHandlersHearAllEventsInOrder() throws Exception {
    assertFalse(
        Arrays.stream(context.getBundles())
            .map(Bundle::getSymbolicName)
            .anyMatch(EVENT_ADMIN::equals));
    configurations
        .getFactoryConfiguration("ib.driver.soft", "ev0", "?")
        .update(new Hashtable<>(Map.of("name", "ev0")));
    BlockingQueue<IbEvent> heard = new LinkedBlockingQueue<>();
    CountDownLatch added = new CountDownLatch(1);
    ClientRegistration client = core.registerClient(new Listener(heard, added));
    assertTrue("no device", added.await(Await.HANG_S, TimeUnit.SECONDS));
    DriverDevice device =
        (DriverDevice) context.getService(context.getServiceReference(IbDevice.class));
    device.dispatchEvent(EventType.SM_CHANGE, 1);
    device.dispatchEvent(EventType.DEVICE_SPEED_CHANGE, 0);
    long number = next(heard, EventType.SM_CHANGE).sequence();
    assertEquals(number + 1, next(heard, EventType.DEVICE_SPEED_CHANGE).sequence());
    client.unregister();
    configurations.getFactoryConfiguration("ib.driver.soft", "ev0", "?").delete();
  }

  private record Listener(BlockingQueue<IbEvent> heard, CountDownLatch added) implements IbClient {
    @Override
    public String name() {
      return "listener";
    }

    @Override
    public Object add(IbDevice device) {
      IbEventHandler handler =
          new IbEventHandler(device) {
            @Override
            public void handle(IbEvent event) {
              heard.add(event);
            }
          };
      device.registerEventHandler(handler);
      added.countDown();
      return handler;
    }

    @Override
    public void remove(IbDevice device, @Nullable Object handler) {
      device.unregisterEventHandler((IbEventHandler) handler);
    }
  }

  /** What the device says of its own start may come before. */
  private static IbEvent next(BlockingQueue<IbEvent> heard, EventType type) throws Exception {
    IbEvent event;
    do {
      event = heard.poll(Await.HANG_S, TimeUnit.SECONDS);
      assertNotNull("no " + type + " within 60 s", event);
    } while (event.type() != type);
    return event;
  }
}
