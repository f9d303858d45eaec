package ib.driver.verbs;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** Runs test classes in a JVM without Maven: in the Linux peer. */
public final class PeerTests {
  private PeerTests() {}

  /**
   * Runs them.
   *
   * @param args names of the classes
   */
  public static void main(String[] args) {
    PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
    LauncherDiscoveryRequestBuilder request = LauncherDiscoveryRequestBuilder.request();
    for (String name : args) {
      request.selectors(DiscoverySelectors.selectClass(name));
    }
    SummaryGeneratingListener summary = new SummaryGeneratingListener();
    LauncherDiscoveryRequest all = request.build();
    LauncherFactory.create().execute(all, summary, new Lines(out));
    var s = summary.getSummary();
    out.println(
        "peer tests: "
            + s.getTestsSucceededCount()
            + " passed, "
            + s.getTestsFailedCount()
            + " failed, "
            + (s.getTestsAbortedCount() + s.getTestsSkippedCount())
            + " skipped");
    System.exit(s.getTotalFailureCount() == 0 && s.getTestsSucceededCount() > 0 ? 0 : 1);
  }

  /** One line for each test. */
  private record Lines(PrintWriter out) implements TestExecutionListener {
    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
      if (test.isTest()) {
        String why =
            result.getThrowable().map(t -> " -- " + t.toString().replace('\n', ' ')).orElse("");
        out.println(result.getStatus() + " " + test.getDisplayName() + why);
      }
    }

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
      out.println("SKIPPED " + test.getDisplayName() + " -- " + reason);
    }
  }
}
