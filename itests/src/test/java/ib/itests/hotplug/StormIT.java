package ib.itests.hotplug;

import static ib.itests.hotplug.Framework.SOFT;
import static ib.itests.hotplug.Framework.await;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import ib.itests.Await;
import ib.itests.Distro;
import ib.itests.Finding;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.inject.Inject;
import org.junit.Test;
import org.junit.experimental.categories.Category;
import org.junit.runner.RunWith;
import org.ops4j.pax.exam.Configuration;
import org.ops4j.pax.exam.Option;
import org.ops4j.pax.exam.junit.PaxExam;
import org.ops4j.pax.exam.spi.reactors.ExamReactorStrategy;
import org.ops4j.pax.exam.spi.reactors.PerClass;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleException;
import org.osgi.service.cm.ConfigurationAdmin;

/**
 * 500 rounds of random start, stop, update and refresh of all bundles from four threads without
 * deadlock (F34); a round over 30 s saves a thread dump. {@code -Dib.storm.rounds=N}, {@code
 * -Dib.storm.seed=S}.
 */
@Category(Finding.class)
@RunWith(PaxExam.class)
@ExamReactorStrategy(PerClass.class)
public class StormIT {
  private static final int ROUNDS = Integer.getInteger("ib.storm.rounds", 500);
  private static final long SEED = Long.getLong("ib.storm.seed", System.nanoTime());
  private static final int THREADS = 4;
  private static final Set<Integer> REFUSALS =
      Set.of(BundleException.STATECHANGE_ERROR, BundleException.RESOLVE_ERROR);
  @Inject private BundleContext context;
  @Inject private ConfigurationAdmin configurations;

  @Configuration
  public Option[] config() {
    return Distro.withDriver();
  }

  @Test
  public void f34_noDeadlockAndEverythingComesBack() throws Exception {
    System.out.println("storm seed " + SEED);
    try (Framework runtime = new Framework(context, configurations)) {
      runtime.configure("soft0");
      runtime.configure("soft1");
      List<Bundle> bundles = new ArrayList<>();
      bundles.add(UlpBundle.start(context, "a", "recording", ""));
      bundles.add(UlpBundle.start(context, "b", "recording", "a"));
      bundles.add(UlpBundle.start(context, "t", "traffic", ""));
      bundles.add(runtime.bundle(SOFT));
      bundles.add(runtime.bundle("ib.tools"));
      bundles.add(runtime.bundle("ib.core"));
      await("two devices", () -> runtime.deviceNames().size() == 2);
      SplittableRandom random = new SplittableRandom(SEED);
      for (int round = 0; round < ROUNDS; round++) {
        round(runtime, bundles, random.split(), round);
      }
      for (Bundle b : bundles) {
        b.start();
      }
      await("all devices again", () -> runtime.deviceNames().equals(Set.of("soft0", "soft1")));
      runtime.take();
      for (Bundle b : bundles.subList(0, 3)) {
        b.uninstall();
      }
      assertTrue(
          runtime.log().toString(), runtime.log().stream().noneMatch(l -> l.contains("FAIL")));
      runtime.deconfigure("soft0");
      runtime.deconfigure("soft1");
      await("no device", () -> runtime.deviceNames().isEmpty());
      await("no thread of a device", () -> threadsOfDevices().isEmpty());
    }
  }

  private static List<String> threadsOfDevices() {
    return Framework.ownThreads().stream().filter(n -> n.matches("(ib-|traffic-)soft.*")).toList();
  }

  private void round(Framework runtime, List<Bundle> bundles, SplittableRandom random, int round)
      throws Exception {
    CountDownLatch done = new CountDownLatch(THREADS);
    Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    for (int t = 0; t < THREADS; t++) {
      SplittableRandom mine = random.split();
      Thread.ofPlatform()
          .name("storm-" + t)
          .start(
              () -> {
                try {
                  for (int i = 0; i < 3; i++) {
                    act(runtime, bundles.get(mine.nextInt(bundles.size())), mine.nextInt(8));
                  }
                } catch (Throwable e) {
                  failures.add(e);
                } finally {
                  done.countDown();
                }
              });
    }
    if (!done.await(Await.HANG_S, TimeUnit.SECONDS)) {
      fail("round " + round + " of seed " + SEED + " hangs: " + ThreadDump.save("storm-" + round));
    }
    if (!failures.isEmpty()) {
      throw new AssertionError("round " + round + " seed " + SEED, failures.peek());
    }
    List<String> lines = runtime.take();
    assertTrue(lines.toString(), lines.stream().noneMatch(l -> l.contains("FAIL")));
  }

  /**
   * Bundle operations of other threads may be refused with STATECHANGE: that is the framework's
   * right.
   */
  private static void act(Framework runtime, Bundle bundle, int what) throws BundleException {
    try {
      switch (what) {
        case 0, 1, 2 -> bundle.stop();
        case 3, 4, 5 -> bundle.start();
        case 6 -> {
          if (!bundle.getSymbolicName().startsWith("ulp.")) {
            bundle.update();
          } else {
            bundle.stop();
          }
        }
        default -> runtime.refresh(bundle);
      }
    } catch (BundleException e) {
      if (!REFUSALS.contains(e.getType()) && !refusedLock(e)) {
        throw e;
      }
    } catch (IllegalStateException e) {
      if (!refusedLock(e)) {
        throw e;
      }
    }
  }

  /** Felix gives a lock up rather than deadlock, and says so in words only. */
  private static boolean refusedLock(Exception e) {
    return String.valueOf(e.getMessage()).contains("lock");
  }
}
