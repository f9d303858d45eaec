package ib.kit;

import ib.core.verbs.Limit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * The suite as a test class: a driver's tests extend it and say how devices are made.
 *
 * <pre>{@code
 * final class MyDriverTest extends DeviceContract {
 *   @Override
 *   protected Bench open() {
 *     return new MyBench(); // two devices on one fabric
 *   }
 * }
 * }</pre>
 *
 * <p>A case whose capability the devices do not report is skipped by name. A bench is used again by
 * the next case until a case fails on it. {@code -Dib.kit.case=DATA-01.} runs the cases whose id
 * matches; {@code -Dib.check=true} makes the midlayer look for broken clauses too and is
 * recommended.
 */
public abstract class DeviceContract {
  /** For subclasses. */
  protected DeviceContract() {}

  /**
   * Makes two devices on one fabric.
   *
   * @return the bench; the suite closes it
   */
  protected abstract Bench open();

  /**
   * Makes a bench whose devices have small limits, so that the suite can reach them. Without it
   * limits too large to be reached are skipped by name.
   *
   * @param limits the limits that the suite would like
   * @return the bench; the suite closes it
   */
  protected Bench openSmall(Map<Limit, Long> limits) {
    return open();
  }

  /** {@return the suite; each case is a test of its own} */
  @TestFactory
  @DisplayName("the contract of a device")
  final Stream<DynamicNode> contract() {
    Benches benches = new Benches(this::open, this::openSmall);
    Pattern wanted = Pattern.compile(System.getProperty("ib.kit.case", ".*"));
    Map<String, List<DynamicTest>> groups = new LinkedHashMap<>();
    for (Case c : Catalogue.cases()) {
      if (wanted.matcher(c.id()).matches()) {
        groups
            .computeIfAbsent(c.group(), g -> new ArrayList<>())
            .add(DynamicTest.dynamicTest(c.title(), () -> benches.run(c)));
      }
    }
    Stream<DynamicNode> nodes =
        groups.entrySet().stream()
            .map(e -> DynamicContainer.dynamicContainer(e.getKey(), e.getValue()));
    return nodes.onClose(benches::close);
  }
}
