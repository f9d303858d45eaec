package ib.itests.hotplug;

import static ib.itests.hotplug.Runtime.SOFT;
import static ib.itests.hotplug.Runtime.await;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import ib.itests.Distro;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
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

/**
 * Hundreds of unplugs with eight busy queue pairs: every request that was accepted completes
 * exactly once (F15, F16). Times are reported, not asserted. {@code -Dib.unplugs=N} makes it N.
 */
@RunWith(PaxExam.class)
@ExamReactorStrategy(PerClass.class)
public class UnplugUnderLoadIT {
  private static final int UNPLUGS =
      Integer.getInteger("ib.unplugs", 500 * Integer.getInteger("ib.scale", 1));

  @Inject private BundleContext context;
  @Inject private ConfigurationAdmin configurations;

  @Configuration
  public Option[] config() {
    return Distro.withDriver();
  }

  @Test
  public void f16_everyRequestCompletesExactlyOnce() throws Exception {
    try (Runtime runtime = new Runtime(context, configurations)) {
      Bundle below = UlpBundle.start(context, "below", "recording", "");
      Bundle traffic = UlpBundle.start(context, "traffic", "traffic", "");
      runtime.configure("soft0");
      await("first add", () -> runtime.log().size() == 2);
      Bundle driver = runtime.bundle(SOFT);
      driver.stop();
      runtime.take();
      long[] fence = new long[UNPLUGS];
      for (int i = 0; i < UNPLUGS; i++) {
        fence[i] = unplug(runtime, driver, i);
      }
      Arrays.sort(fence);
      System.out.printf(
          "unplugs %d fence us: p50 %d p99 %d max %d%n",
          UNPLUGS,
          fence[UNPLUGS / 2] / 1000,
          fence[UNPLUGS * 99 / 100] / 1000,
          fence[UNPLUGS - 1] / 1000);
      traffic.uninstall();
      below.uninstall();
      runtime.deconfigure("soft0");
    }
  }

  private static long unplug(Runtime runtime, Bundle driver, int round) throws Exception {
    driver.start();
    await("adds of round " + round, () -> runtime.log().size() == 2);
    LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(200 + 37L * (round % 50)));
    long start = System.nanoTime();
    driver.stop();
    long taken = System.nanoTime() - start;
    List<String> lines = runtime.take();
    assertEquals(5, lines.size());
    assertTrue(lines.get(2), lines.get(2).startsWith("account traffic soft0 ok posted "));
    assertEquals(List.of("remove traffic soft0", "remove below soft0"), lines.subList(3, 5));
    assertTrue(runtime.core().resources().isEmpty());
    return taken;
  }
}
