package ib.itests;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertTrue;

import ib.core.spi.DeviceSlot;
import ib.health.Health;
import java.util.Hashtable;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.inject.Inject;
import org.apache.felix.hc.api.HealthCheck;
import org.apache.felix.hc.api.Result;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.ops4j.pax.exam.Configuration;
import org.ops4j.pax.exam.Option;
import org.ops4j.pax.exam.junit.PaxExam;
import org.ops4j.pax.exam.spi.reactors.ExamReactorStrategy;
import org.ops4j.pax.exam.spi.reactors.PerMethod;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceReference;
import org.osgi.service.cm.ConfigurationAdmin;
import org.osgi.service.condition.Condition;
import org.osgi.util.tracker.ServiceTracker;

/** U17: health checks, conditions and metrics follow a device that is plugged and unplugged. */
@RunWith(PaxExam.class)
@ExamReactorStrategy(PerMethod.class)
public class HealthIT {
  private static final String ACTIVE =
      "(&(objectClass=org.osgi.service.condition.Condition)(osgi.condition.id=ib.port.active)"
          + "(ib.device=hc0)(ib.port=1))";

  @Inject private BundleContext context;
  @Inject private ConfigurationAdmin configurations;
  @Inject private Health health;
  private final CountDownLatch gone = new CountDownLatch(1);
  private ServiceTracker<Condition, Condition> condition;

  @Configuration
  public Option[] config() {
    return Distro.withDriver();
  }

  @Before
  public void plug() throws Exception {
    condition =
        new ServiceTracker<>(context, context.createFilter(ACTIVE), null) {
          @Override
          public void removedService(ServiceReference<Condition> reference, Condition service) {
            super.removedService(reference, service);
            gone.countDown();
          }
        };
    condition.open();
    configurations
        .getFactoryConfiguration("ib.driver.soft", "hc0", "?")
        .update(new Hashtable<>(Map.of("name", "hc0")));
    assertNotNull("no condition", condition.waitForService(Await.HANG_S * 1_000));
  }

  @After
  public void unplug() throws Exception {
    configurations.getFactoryConfiguration("ib.driver.soft", "hc0", "?").delete();
  }

  private Map<String, Result.Status> checks() throws Exception {
    Map<String, Result.Status> checks = new TreeMap<>();
    for (ServiceReference<HealthCheck> r :
        context.getServiceReferences(HealthCheck.class, "(hc.tags=ib)")) {
      checks.put(
          r.getProperty(HealthCheck.NAME).toString(), context.getService(r).execute().getStatus());
    }
    return checks;
  }

  @Test
  public void findingU17ChecksConditionsAndMetricsFollowADevice() throws Exception {
    Map<String, Result.Status> well = new TreeMap<>();
    Health.CHECKS.forEach(check -> well.put("ib " + check, Result.Status.OK));
    assertEquals(health.examine().toString(), well, checks());
    String active = "ib_port_active{device=\"hc0\",port=\"1\"} 1\n";
    assertTrue(health.writeMetrics(), health.writeMetrics().contains(active));

    ServiceReference<DeviceSlot> slot =
        context.getServiceReferences(DeviceSlot.class, null).iterator().next();
    context.getService(slot).unplug();
    assertTrue("the condition stays", gone.await(Await.HANG_S, TimeUnit.SECONDS));
    assertEquals(Result.Status.CRITICAL, checks().get("ib devices")); // none is left
    assertTrue(!health.writeMetrics().contains("hc0"));

    context.getService(slot).plug();
    assertNotNull("no condition", condition.waitForService(Await.HANG_S * 1_000));
    assertEquals(well, checks());
  }
}
