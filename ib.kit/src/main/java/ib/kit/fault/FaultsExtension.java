package ib.kit.fault;

import ib.core.spi.FaultInjection;
import ib.core.spi.FaultRule;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.HierarchyTraversalMode;
import org.junit.platform.commons.support.ReflectionSupport;

/** Does what {@link Faults} says; JUnit makes it. */
public final class FaultsExtension
    implements BeforeTestExecutionCallback, AfterTestExecutionCallback {
  private static final ExtensionContext.Namespace STORE =
      ExtensionContext.Namespace.create(FaultsExtension.class);

  /** The rules that were added to a device for one test. */
  private record Added(FaultInjection device, List<Integer> numbers) {
    /** Takes them away again; returns whether one of them has fitted a packet. */
    boolean remove() {
      boolean seen =
          device.list().stream().anyMatch(a -> numbers.contains(a.id()) && a.fitting() > 0);
      numbers.forEach(device::remove);
      return seen;
    }
  }

  /** The state that is kept from before a test until after it. */
  private record Life(long seed, List<Added> added) {}

  /** For JUnit. */
  public FaultsExtension() {}

  @Override
  public void beforeTestExecution(ExtensionContext context) throws IllegalAccessException {
    Optional<Faults> faults =
        AnnotationSupport.findAnnotation(context.getTestMethod(), Faults.class)
            .or(() -> AnnotationSupport.findAnnotation(context.getTestClass(), Faults.class));
    if (faults.isEmpty()) {
      return;
    }
    List<FaultInjection> devices = devices(context.getRequiredTestInstance());
    if (devices.isEmpty()) {
      throw new IllegalStateException(
          "@Faults: no field of the test is a FaultInjection or a FaultSource with one");
    }
    long seed = seed(faults.get());
    List<Added> added = new ArrayList<>();
    context.getStore(STORE).put(Life.class, new Life(seed, added));
    List<FaultRule> rules = rules(faults.get());
    for (FaultInjection device : devices) {
      device.seed(seed + added.size());
      List<Integer> numbers = new ArrayList<>();
      added.add(new Added(device, numbers));
      rules.forEach(rule -> numbers.add(device.add(rule)));
    }
  }

  @Override
  public void afterTestExecution(ExtensionContext context) {
    Life life = context.getStore(STORE).remove(Life.class, Life.class);
    if (life == null) {
      return;
    }
    long seen = life.added.stream().filter(Added::remove).count();
    context.publishReportEntry("faults seed", life.seed + "");
    Throwable failure = context.getExecutionException().orElse(null);
    if (failure != null) {
      failure.addSuppressed(new AssertionError("replay: -Dib.kit.seed=" + life.seed));
    } else if (seen == 0) {
      throw new AssertionError("@Faults: no packet fitted any of the rules");
    }
  }

  private static long seed(Faults faults) {
    Long fixed = Long.getLong("ib.kit.seed");
    if (fixed != null) {
      return fixed;
    }
    return faults.seed() != 0 ? faults.seed() : new SplittableRandom().nextLong();
  }

  private static List<FaultRule> rules(Faults faults) {
    List<FaultRule> rules = new ArrayList<>();
    add(rules, FaultRule.Kind.LOSS, faults.loss());
    add(rules, FaultRule.Kind.DUPLICATE, faults.duplicate());
    add(rules, FaultRule.Kind.REORDER, faults.reorder());
    add(rules, FaultRule.Kind.CORRUPT, faults.corrupt());
    Arrays.stream(faults.rules()).map(FaultRule::parse).forEach(rules::add);
    return rules;
  }

  private static void add(List<FaultRule> rules, FaultRule.Kind kind, double rate) {
    if (rate > 0) {
      rules.add(FaultRule.of(kind).withRate(rate));
    }
  }

  private static List<FaultInjection> devices(Object test) throws IllegalAccessException {
    List<FaultInjection> found = new ArrayList<>();
    List<Field> fields =
        ReflectionSupport.findFields(test.getClass(), f -> true, HierarchyTraversalMode.TOP_DOWN);
    for (Field field : fields) {
      if (!field.isSynthetic() && field.trySetAccessible()) {
        collect(field.get(test), found);
      }
    }
    return found;
  }

  private static void collect(@Nullable Object value, List<FaultInjection> into) {
    switch (value) {
      case FaultInjection one -> into.add(one);
      case FaultSource source -> into.addAll(source.faultInjections());
      case FaultInjection[] all -> into.addAll(Arrays.asList(all));
      case Collection<?> all ->
          all.stream()
              .filter(FaultInjection.class::isInstance)
              .map(FaultInjection.class::cast)
              .forEach(into::add);
      case null, default -> {
        // no device
      }
    }
  }
}
