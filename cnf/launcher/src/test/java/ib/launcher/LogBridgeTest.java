package ib.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName(
    "issue 2, section 5: the log names the missing requirement of a bundle that does not "
        + "resolve")
class LogBridgeTest {
  @Test
  @DisplayName("Felix' text, once and without revision numbers")
  void unresolved() {
    String felix =
        "org.osgi.framework.BundleException: Unable to resolve a.b [17](R 17.0): missing requirement"
            + " [a.b [17](R 17.0)] osgi.wiring.package; (osgi.wiring.package=no.such) Unresolved"
            + " requirements: [[a.b [17](R 17.0)] osgi.wiring.package; (osgi.wiring.package=no.such)]";
    assertEquals(
        "Unable to resolve a.b: missing requirement [a.b] osgi.wiring.package;"
            + " (osgi.wiring.package=no.such)",
        LogBridge.unresolved(felix));
  }

  @Test
  @DisplayName("the chain down to the bundle that really lacks something stays")
  void chain() {
    String felix =
        "Unable to resolve a [1](R 1.0): missing requirement [a [1](R 1.0)] p; (p=x) [caused by:"
            + " Unable to resolve b [2](R 2.0): missing requirement [b [2](R 2.0)] p; (p=y)]";
    assertEquals(
        "Unable to resolve a: missing requirement [a] p; (p=x) [caused by: Unable to resolve b:"
            + " missing requirement [b] p; (p=y)]",
        LogBridge.unresolved(felix));
  }

  @Test
  @DisplayName("anything else is left to the log")
  void other() {
    assertEquals("", LogBridge.unresolved("Activator start error in bundle a [3]."));
  }
}
