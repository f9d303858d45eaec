package ib.itests.hotplug;

import static ib.itests.hotplug.Runtime.SOFT;
import static ib.itests.hotplug.Runtime.await;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import ib.core.client.ClientStatus;
import ib.core.client.LeakRecord;
import ib.itests.Distro;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
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

/** Order, replay and fences with real bundles on both sides. */
@RunWith(PaxExam.class)
@ExamReactorStrategy(PerClass.class)
public class HotplugIT {
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
      if (b.getState() != Bundle.UNINSTALLED) {
        b.uninstall();
      }
    }
    runtime.close();
  }

  private Bundle ulp(String name, String kind, String after) throws Exception {
    Bundle bundle = UlpBundle.start(context, name, kind, after);
    installed.add(bundle);
    return bundle;
  }

  private void plug(String device, int adds) throws Exception {
    runtime.configure(device);
    await(adds + " adds of " + device, () -> runtime.log().size() >= adds);
  }

  @Test
  public void s39_s40_addsInOrderOfRegistrationRemovesInReverse() throws Exception {
    ulp("lower", "recording", "");
    ulp("middle", "recording", "");
    ulp("ipoib", "recording", "");
    plug("soft-a", 3);
    assertEquals(
        List.of("add lower soft-a", "add middle soft-a", "add ipoib soft-a"), runtime.take());
    runtime.unplug("soft-a");
    assertEquals(
        List.of("remove ipoib soft-a", "remove middle soft-a", "remove lower soft-a"),
        runtime.take());
  }

  @Test
  public void s41_afterRefinesTheOrderWhateverStartsFirst() throws Exception {
    ulp("ipoib", "recording", "middle");
    ulp("middle", "recording", "lower");
    ulp("lower", "recording", "");
    plug("soft-b", 3);
    assertEquals(
        List.of("add lower soft-b", "add middle soft-b", "add ipoib soft-b"), runtime.take());
  }

  @Test
  public void s37_s38_aClientIsToldOfAllDevicesBeforeItsBundleHasStarted() throws Exception {
    runtime.configure("soft-c");
    runtime.configure("soft-d");
    await("two devices", () -> runtime.devices().size() == 2);
    Bundle late = ulp("late", "recording", "");
    assertEquals(Set.of("add late soft-c", "add late soft-d"), Set.copyOf(runtime.take()));
    late.stop();
    assertEquals(Set.of("remove late soft-c", "remove late soft-d"), Set.copyOf(runtime.take()));
  }

  @Test
  public void cc22_aDriverBundleStopsItsDevicesLastInFirstOut() throws Exception {
    ulp("one", "recording", "");
    ulp("two", "recording", "");
    plug("soft-e", 2);
    plug("soft-f", 4);
    plug("soft-g", 6);
    runtime.take();
    runtime.bundle(SOFT).stop();
    assertEquals(0, runtime.deviceServices());
    List<String> expected = new ArrayList<>();
    for (String device : List.of("soft-g", "soft-f", "soft-e")) {
      expected.add("remove two " + device);
      expected.add("remove one " + device);
    }
    assertEquals(expected, runtime.take());
    runtime.bundle(SOFT).start();
    await("all adds again", () -> runtime.log().size() == 6);
  }

  @Test
  public void s28_updateAndRefreshOfADriverRemoveAndAddAgain() throws Exception {
    ulp("keeper", "recording", "");
    plug("soft-h", 1);
    runtime.take();
    Bundle driver = runtime.bundle(SOFT);
    driver.update();
    await("add after update", () -> runtime.log().contains("add keeper soft-h"));
    assertEquals(List.of("remove keeper soft-h", "add keeper soft-h"), runtime.take());
    runtime.refresh(driver);
    await("add after refresh", () -> runtime.log().contains("add keeper soft-h"));
    assertEquals(List.of("remove keeper soft-h", "add keeper soft-h"), runtime.take());
  }

  @Test
  public void s32_updateOfAClientRemovesItFirst() throws Exception {
    Bundle bundle = ulp("changing", "recording", "");
    plug("soft-i", 1);
    runtime.take();
    bundle.update(UlpBundle.jar("changed", "recording", ""));
    assertEquals(List.of("remove changing soft-i", "add changed soft-i"), runtime.take());
  }

  @Test
  public void cc5_cc6_aFailingClientIsRejectedSweptAndNeverRemoved() throws Exception {
    ulp("first", "recording", "");
    ulp("broken", "failing", "");
    ulp("last", "recording", "");
    plug("soft-j", 3);
    assertEquals(
        List.of("add first soft-j", "add broken soft-j", "add last soft-j"), runtime.take());
    ClientStatus broken =
        runtime.core().clients().stream()
            .filter(c -> c.name().equals("broken"))
            .findFirst()
            .orElseThrow();
    assertEquals(ClientStatus.State.REJECTED, broken.bindings().getFirst().state());
    assertTrue(broken.bindings().getFirst().lastError().contains("planned failure of broken"));
    assertTrue(runtime.core().resources().stream().noneMatch(r -> r.owner().equals("broken")));
    runtime.unplug("soft-j");
    assertEquals(List.of("remove last soft-j", "remove first soft-j"), runtime.take());
  }

  @Test
  public void cc20_aLeakIsReportedWithItsStackAndDestroyed() throws Exception {
    ulp("leaky", "leaking", "");
    plug("soft-k", 1);
    runtime.unplug("soft-k");
    List<LeakRecord> leaks = runtime.core().lastRemoval("soft-k").orElseThrow().leaks();
    assertEquals(1, leaks.size());
    assertEquals("leaky", leaks.getFirst().client());
    assertTrue(leaks.getFirst().object(), leaks.getFirst().object().startsWith("PD"));
    assertTrue(
        leaks.getFirst().stack().toString(),
        leaks.getFirst().stack().stream().anyMatch(f -> f.contains("LeakingUlp.add")));
    assertTrue(runtime.core().resources().isEmpty());
  }

  @Test
  public void i1_everyOrderOfBundleStartsGivesTheDeclaredOrder() throws Exception {
    List<String> names = new ArrayList<>(List.of("m0", "m1", "m2", "m3"));
    for (int round = 0; round < 6; round++) {
      Collections.rotate(names, 1);
      Collections.swap(names, round % 3, 3);
      for (String n : names) {
        int i = n.charAt(1) - '0';
        ulp(n, "recording", i == 0 ? "" : "m" + (i - 1));
      }
      plug("soft-l", 4);
      assertEquals(
          List.of("add m0 soft-l", "add m1 soft-l", "add m2 soft-l", "add m3 soft-l"),
          runtime.take());
      runtime.unplug("soft-l");
      for (Bundle b : installed) {
        b.uninstall();
      }
      installed.clear();
      runtime.take();
    }
  }

  @Test
  public void f16_unplugUnderTrafficAccountsForEveryRequest() throws Exception {
    ulp("traffic", "traffic", "");
    plug("soft-m", 1);
    runtime.unplug("soft-m");
    String account =
        runtime.log().stream().filter(l -> l.startsWith("account")).findFirst().orElseThrow();
    assertTrue(account, account.contains(" ok posted "));
    assertFalse(Runtime.ownThreads().toString(), Runtime.ownThreads().contains("traffic-soft-m"));
    assertTrue(runtime.core().lastRemoval("soft-m").orElseThrow().leaks().isEmpty());
  }
}
