package ib.itests;

import static org.junit.Assert.assertEquals;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
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

/** Every bundle of the run descriptor in one framework. */
@RunWith(PaxExam.class)
@ExamReactorStrategy(PerClass.class)
public class SmokeIT {
  @Inject private BundleContext context;

  @Configuration
  public Option[] config() {
    return Distro.withDriver();
  }

  @Test
  public void issue2Section1EveryBundleIsActive() {
    List<String> idle =
        Arrays.stream(context.getBundles())
            .filter(bundle -> bundle.getState() != Bundle.ACTIVE)
            .map(Bundle::toString)
            .toList();
    assertEquals(List.of(), idle);
  }

  @Test
  public void issue2Section1TheBundlesAreThoseOfTheRunDescriptor() {
    Set<String> present =
        Arrays.stream(context.getBundles())
            .map(Bundle::getSymbolicName)
            .collect(Collectors.toSet());
    List<String> missing =
        List.of("ib.core", "ib.driver.soft", "ib.tools").stream()
            .filter(name -> !present.contains(name))
            .toList();
    assertEquals(List.of(), missing);
  }

  @Test
  public void design4TheFrameworkHasThePropertiesOfTheRunDescriptor() {
    assertEquals("600000", context.getProperty("ds.lock.timeout.milliseconds"));
    assertEquals("0", context.getProperty("org.apache.felix.eventadmin.Timeout"));
  }
}
