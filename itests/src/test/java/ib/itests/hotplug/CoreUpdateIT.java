package ib.itests.hotplug;

import static ib.itests.hotplug.Framework.await;
import static org.junit.Assert.assertEquals;

import ib.itests.Await;
import ib.itests.Distro;
import java.util.List;
import java.util.Set;
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
import org.osgi.framework.Constants;
import org.osgi.service.cm.ConfigurationAdmin;

/** The midlayer itself is updated while devices and clients are there. */
@RunWith(PaxExam.class)
@ExamReactorStrategy(PerClass.class)
public class CoreUpdateIT {
  private static final int ROUNDS = 4;
  private static final List<String> ADDS = List.of("add a soft-w", "add b soft-w");
  private static final List<String> REMOVES = List.of("remove b soft-w", "remove a soft-w");

  @Inject private BundleContext context;
  @Inject private ConfigurationAdmin configurations;

  @Configuration
  public Option[] config() {
    return Distro.withDriver();
  }

  /**
   * The framework restarts refreshed bundles in the order of a hash set of bundles (Felix 7.0.5),
   * so clients of other bundles register in another order in another round.
   */
  @Test
  public void s40_updatedWithoutRefreshAllAreRemovedInReverseRefreshedAllComeAgain()
      throws Exception {
    try (Framework runtime = new Framework(context, configurations)) {
      for (int round = 0; round < ROUNDS; round++) {
        updateAndRefresh(runtime);
      }
    }
  }

  private void updateAndRefresh(Framework runtime) throws Exception {
    Bundle a = UlpBundle.start(context, "a", "recording", "");
    Bundle b = UlpBundle.start(context, "b", "recording", "a");
    runtime.configure("soft-w");
    assertEquals(ADDS, takeTwo(runtime));
    Bundle core = runtime.bundle("ib.core");
    core.update();
    assertEquals(REMOVES, runtime.take());
    assertEquals(Bundle.ACTIVE, core.getState());
    // driver and clients run on with the classes of before: out of the new core's sight
    assertEquals(Set.of("soft-w"), runtime.deviceNames());
    assertEquals(List.of(), runtime.take());
    runtime.refresh(core);
    List<String> came = takeTwo(runtime);
    boolean bRegisteredFirst = registration(b) < registration(a);
    if (bRegisteredFirst && came.equals(ADDS.reversed())) {
      // the device was there before "a" registered: "b" does not wait for it (S41)
      runtime.deconfigure("soft-w");
      assertEquals(REMOVES.reversed(), takeTwo(runtime));
    } else {
      assertEquals("registered by " + (bRegisteredFirst ? "b, a" : "a, b"), ADDS, came);
      runtime.deconfigure("soft-w");
      assertEquals(REMOVES, takeTwo(runtime));
    }
    runtime.configure("soft-w"); // both are there first, whichever registered first
    assertEquals(ADDS, takeTwo(runtime));
    runtime.deconfigure("soft-w");
    assertEquals(REMOVES, takeTwo(runtime));
    await("no device", () -> runtime.deviceNames().isEmpty());
    a.uninstall();
    b.uninstall();
  }

  private static List<String> takeTwo(Framework runtime) {
    Await.until("two lines", () -> runtime.log().size() >= 2, runtime::log);
    return runtime.take();
  }

  /** {@return the place of a bundle's client in the order of registrations} */
  private static long registration(Bundle bundle) {
    return (Long) bundle.getRegisteredServices()[0].getProperty(Constants.SERVICE_ID);
  }
}
