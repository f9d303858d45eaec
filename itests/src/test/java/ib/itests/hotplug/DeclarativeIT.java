package ib.itests.hotplug;

import static ib.itests.hotplug.Framework.SOFT;
import static ib.itests.hotplug.Framework.await;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import ib.core.client.ClientStatus;
import ib.itests.Distro;
import java.util.ArrayList;
import java.util.List;
import javax.inject.Inject;
import org.junit.After;
import org.junit.Before;
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

/** Clients that are components of Declarative Services, and a driver that is one (CC-22, CC-26). */
@RunWith(PaxExam.class)
@ExamReactorStrategy(PerClass.class)
public class DeclarativeIT {
  @Inject private BundleContext context;
  @Inject private ConfigurationAdmin configurations;
  private Runtime runtime;
  private final List<Bundle> installed = new ArrayList<>();

  @Configuration
  public Option[] config() {
    return Distro.withDriver();
  }

  @Before
  public void setUp() {
    runtime = new Runtime(context, configurations);
  }

  @After
  public void tearDown() throws Exception {
    for (String device : runtime.devices()) {
      runtime.unplug(device);
    }
    for (Bundle b : installed) {
      b.uninstall();
    }
    runtime.close();
  }

  private Bundle component(String name, String after, boolean immediate) throws Exception {
    Bundle bundle = UlpBundle.startComponent(context, name, after, immediate);
    installed.add(bundle);
    await("activation of " + name, () -> runtime.log().contains("activate " + name));
    return bundle;
  }

  private void plug(String device, int adds) throws Exception {
    runtime.configure(device);
    await(adds + " adds", () -> count("add ") >= adds);
  }

  private long count(String what) {
    return runtime.log().stream().filter(l -> l.startsWith(what)).count();
  }

  @Test
  public void cc22_aDriverThatStopsLosesItsDevicesInReverseComponentsInReverseOnEach()
      throws Exception {
    component("low", "", true);
    component("high", "", false); // delayed: exists while the core has it
    plug("soft-p", 2);
    plug("soft-q", 4);
    plug("soft-r", 6);
    runtime.take();
    runtime.bundle(SOFT).stop();
    assertEquals("when stop has returned", 0, runtime.deviceServices());
    List<String> expected = new ArrayList<>();
    for (String device : List.of("soft-r", "soft-q", "soft-p")) {
      expected.add("remove high " + device);
      expected.add("remove low " + device);
    }
    assertEquals(expected, runtime.take());
    assertTrue(runtime.core().lastRemoval("soft-p").orElseThrow().leaks().isEmpty());
    runtime.bundle(SOFT).start();
    await("all again", () -> count("add ") == 6);
  }

  @Test
  public void cc26_aComponentIsOffAllDevicesBeforeItIsDeactivated() throws Exception {
    for (boolean immediate : List.of(true, false)) {
      String name = immediate ? "immediate" : "delayed";
      Bundle bundle = component(name, "", immediate);
      runtime.take();
      plug("soft-s", 1);
      plug("soft-t", 2);
      runtime.take();
      bundle.stop();
      // RecordingUlp uses the device in the last line of remove, and would say FAIL
      assertEquals(
          List.of("remove " + name + " soft-s", "remove " + name + " soft-t", "deactivate " + name),
          sortedRemoves(runtime.take()));
      assertTrue(runtime.core().clients().stream().noneMatch(c -> c.name().equals(name)));
      runtime.unplug("soft-s");
      runtime.unplug("soft-t");
    }
  }

  /** Across devices there is no order (2.6-6); what comes after them stays where it is. */
  private static List<String> sortedRemoves(List<String> lines) {
    List<String> sorted = new ArrayList<>(lines);
    sorted.subList(0, Math.min(2, sorted.size())).sort(null);
    return sorted;
  }

  @Test
  public void cc26_aDeviceGoesBeforeItsDriverComponentIsDeactivated() throws Exception {
    component("user", "", false);
    plug("soft-u", 1);
    runtime.take();
    runtime.bundle(SOFT).update(); // stop, deactivate, a new activation
    await("back", () -> count("add ") == 1);
    assertEquals(List.of("remove user soft-u", "add user soft-u"), runtime.take());
    assertTrue(runtime.core().violations().toString(), runtime.core().violations().isEmpty());
  }

  @Test
  public void s41_componentsSayAfterWhomTheyCome() throws Exception {
    component("ipoib", "middle", false);
    component("middle", "lower", true);
    component("lower", "", false);
    runtime.take();
    plug("soft-v", 3);
    assertEquals(
        List.of("add lower soft-v", "add middle soft-v", "add ipoib soft-v"), runtime.take());
    List<String> order = runtime.core().clients().stream().map(ClientStatus::name).toList();
    assertEquals(List.of("mad", "sa", "ib.cm", "health", "lower", "middle", "ipoib"), order);
  }
}
