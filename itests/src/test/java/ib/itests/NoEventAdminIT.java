package ib.itests;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotNull;

import ib.core.client.DeviceLease;
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
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.inject.Inject;
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
import org.osgi.util.tracker.ServiceTracker;

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
    ServiceTracker<IbDevice, IbDevice> tracker =
        new ServiceTracker<>(context, IbDevice.class, null);
    tracker.open();
    DriverDevice device = (DriverDevice) tracker.waitForService(30_000);
    assertNotNull("no device within 30 s", device);
    BlockingQueue<IbEvent> heard = new LinkedBlockingQueue<>();
    try (DeviceLease lease = core.lease("ev0", "test")) {
      IbEventHandler handler =
          new IbEventHandler(lease.device()) {
            @Override
            public void handle(IbEvent event) {
              heard.add(event);
            }
          };
      lease.device().registerEventHandler(handler);
      device.dispatchEvent(EventType.SM_CHANGE, 1);
      device.dispatchEvent(EventType.DEVICE_SPEED_CHANGE, 0);
      long number = next(heard, EventType.SM_CHANGE).sequence();
      assertEquals(number + 1, next(heard, EventType.DEVICE_SPEED_CHANGE).sequence());
      lease.device().unregisterEventHandler(handler);
    }
    tracker.close();
    configurations.getFactoryConfiguration("ib.driver.soft", "ev0", "?").delete();
  }

  /** What the device says of its own start may come before. */
  private static IbEvent next(BlockingQueue<IbEvent> heard, EventType type) throws Exception {
    IbEvent event;
    do {
      event = heard.poll(60, TimeUnit.SECONDS);
      assertNotNull("no " + type + " within 60 s", event);
    } while (event.type() != type);
    return event;
  }
}
