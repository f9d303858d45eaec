package ib.itests.hotplug;

import static ib.itests.hotplug.Framework.await;
import static org.junit.Assert.assertEquals;

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
import org.osgi.service.cm.ConfigurationAdmin;

/** The midlayer itself is updated while devices and clients are there. */
@RunWith(PaxExam.class)
@ExamReactorStrategy(PerClass.class)
public class CoreUpdateIT {
  @Inject private BundleContext context;
  @Inject private ConfigurationAdmin configurations;

  @Configuration
  public Option[] config() {
    return Distro.withDriver();
  }

  @Test
  public void s40_updatedWithoutRefreshAllAreRemovedInReverseRefreshedAllComeAgain()
      throws Exception {
    try (Framework runtime = new Framework(context, configurations)) {
      List<Bundle> ulps =
          List.of(
              UlpBundle.start(context, "a", "recording", ""),
              UlpBundle.start(context, "b", "recording", "a"));
      runtime.configure("soft-w");
      await("two adds", () -> runtime.log().size() == 2);
      runtime.take();
      Bundle core = runtime.bundle("ib.core");
      core.update();
      assertEquals(List.of("remove b soft-w", "remove a soft-w"), runtime.take());
      assertEquals(Bundle.ACTIVE, core.getState());
      // driver and clients run on with the classes of before: out of the new core's sight
      assertEquals(Set.of("soft-w"), runtime.deviceNames());
      assertEquals(List.of(), runtime.take());
      runtime.refresh(core);
      await("two adds", () -> runtime.log().size() == 2);
      assertEquals(List.of("add a soft-w", "add b soft-w"), runtime.take());
      for (Bundle b : ulps) {
        b.uninstall();
      }
      runtime.deconfigure("soft-w");
      await("no device", () -> runtime.deviceNames().isEmpty());
    }
  }
}
