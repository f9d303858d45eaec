package ib.itests.hotplug;

import static ib.itests.hotplug.Runtime.SOFT;
import static ib.itests.hotplug.Runtime.await;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import ib.core.client.IbClient;
import ib.core.client.Violation;
import ib.core.verbs.IbDevice;
import ib.itests.Await;
import ib.itests.Distro;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
import org.osgi.framework.wiring.BundleWiring;
import org.osgi.service.cm.ConfigurationAdmin;

/**
 * Thousands of starts and stops of the driver with five clients: the order is asserted on each, and
 * nothing is left (F35). What a cycle may leave is the same whatever their number: {@code
 * -Dib.scale=25} runs the ten thousand that F35 names, {@code -Dib.cycles=N} runs N. A planted leak
 * of 128 B a cycle is seen in 400 (179 B a cycle on a busy machine, 53 without it).
 */
@RunWith(PaxExam.class)
@ExamReactorStrategy(PerClass.class)
public class CyclesIT {
  private static final int CYCLES =
      Integer.getInteger("ib.cycles", 400 * Integer.getInteger("ib.scale", 1));
  private static final int WARM_UP = 1_000;
  private static final int SAMPLES = 20;
  private static final int CLIENTS = 5;

  /** F35: the slope is 0 within 1 MiB over ten thousand cycles. */
  private static final long MAX_GROWTH = (1 << 20) / 10_000;

  @Inject private BundleContext context;
  @Inject private ConfigurationAdmin configurations;

  @Configuration
  public Option[] config() {
    return Distro.withDriver();
  }

  @Test
  public void f35_everyCycleInOrderAndNothingIsLeft() throws Exception {
    try (Runtime runtime = new Runtime(context, configurations)) {
      List<String> expected = new ArrayList<>();
      List<Bundle> clients = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        clients.add(UlpBundle.start(context, "c" + i, "recording", ""));
        expected.add("add c" + i + " soft0");
      }
      for (int i = CLIENTS - 1; i >= 0; i--) {
        expected.add("remove c" + i + " soft0");
      }
      runtime.configure("soft0");
      await("first add", () -> runtime.log().size() == CLIENTS);
      Bundle driver = runtime.bundle(SOFT);
      driver.stop();
      runtime.take();
      cycles(runtime, driver, expected, WARM_UP); // classes, pools and caches reach their size
      List<Violation> violations = runtime.core().violations(); // of the tests before
      List<String> threads = Runtime.ownThreads();
      int services = services();
      List<Long> heaps = new ArrayList<>();
      for (int s = 0; s < SAMPLES; s++) {
        cycles(runtime, driver, expected, CYCLES / SAMPLES);
        heaps.add(Runtime.heap());
      }
      Await.until(
          "no thread is left of each cycle",
          () -> mostAdded(threads, Runtime.ownThreads()) <= 1,
          Runtime::ownThreads);
      assertEquals("services", services, services());
      assertTrue("objects", runtime.core().resources().isEmpty());
      assertEquals("violations", violations, runtime.core().violations());
      long slope = slopePerCycle(heaps, CYCLES / SAMPLES);
      System.out.println("cycles " + CYCLES + " heap " + heaps + " slope " + slope + " B/cycle");
      assertTrue("heap " + heaps, slope <= MAX_GROWTH);
      driver.start();
      await("the device is back", () -> runtime.devices().contains("soft0"));
      runtime.unplug("soft0");
      for (Bundle b : clients) {
        b.uninstall();
      }
    }
  }

  /**
   * {@return how many threads of one name, its digits aside, have come} A leak is one of each
   * cycle; a thread that serves the whole runtime may come late.
   */
  private static long mostAdded(List<String> before, List<String> now) {
    Map<String, Long> added = new HashMap<>();
    now.forEach(name -> added.merge(name.replaceAll("\\d", ""), 1L, Long::sum));
    before.forEach(name -> added.merge(name.replaceAll("\\d", ""), -1L, Long::sum));
    return added.values().stream().mapToLong(Long::longValue).max().orElse(0);
  }

  private static void cycles(Runtime runtime, Bundle driver, List<String> expected, int n)
      throws Exception {
    for (int i = 0; i < n; i++) {
      driver.start();
      await("adds of cycle " + i, () -> runtime.log().size() == CLIENTS);
      driver.stop();
      assertEquals(expected, runtime.take());
    }
  }

  private int services() throws Exception {
    return context.getAllServiceReferences(null, null).length
        + context.getServiceReferences(IbDevice.class, null).size()
        + context.getServiceReferences(IbClient.class, null).size();
  }

  /**
   * In bytes per cycle: the median of the slopes between any two samples, which a leak moves as it
   * moves every slope, and which a table that has grown once does not move.
   */
  private static long slopePerCycle(List<Long> heaps, int cyclesPerSample) {
    List<Double> slopes = new ArrayList<>();
    for (int later = 1; later < heaps.size(); later++) {
      for (int x = 0; x < later; x++) {
        slopes.add((double) (heaps.get(later) - heaps.get(x)) / (later - x));
      }
    }
    slopes.sort(null);
    return Math.round(slopes.get(slopes.size() / 2) / cyclesPerSample);
  }

  @Test
  public void f36_noClassLoaderOfAnUninstalledBundleSurvives() throws Exception {
    try (Runtime runtime = new Runtime(context, configurations)) {
      runtime.configure("soft1");
      await("soft1", () -> runtime.devices().contains("soft1"));
      List<WeakReference<ClassLoader>> loaders = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        Bundle b = UlpBundle.start(context, "u" + i, i % 2 == 0 ? "recording" : "leaking", "");
        loaders.add(new WeakReference<>(b.adapt(BundleWiring.class).getClassLoader()));
        b.uninstall();
      }
      Bundle driver = runtime.bundle(SOFT);
      for (int i = 0; i < 20; i++) {
        ClassLoader before = driver.adapt(BundleWiring.class).getClassLoader();
        loaders.add(new WeakReference<>(before));
        driver.update();
        runtime.refresh(driver);
        await("soft1 after refresh", () -> back(runtime, driver, before));
      }
      runtime.refresh();
      await("all class loaders collected", () -> collected(loaders));
      runtime.unplug("soft1");
      assertEquals(
          0,
          Arrays.stream(context.getBundles())
              .filter(b -> b.getSymbolicName().startsWith("ulp."))
              .count());
    }
  }

  private static boolean back(Runtime runtime, Bundle driver, ClassLoader before) {
    BundleWiring wiring = driver.adapt(BundleWiring.class);
    return runtime.devices().contains("soft1")
        && driver.getState() == Bundle.ACTIVE
        && wiring != null
        && !before.equals(wiring.getClassLoader());
  }

  private static boolean collected(List<WeakReference<ClassLoader>> loaders) {
    System.gc();
    return loaders.stream().allMatch(r -> r.refersTo(null));
  }
}
