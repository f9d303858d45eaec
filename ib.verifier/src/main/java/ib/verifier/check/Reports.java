package ib.verifier.check;

import ib.core.client.Violation;
import ib.core.spi.ContractReports;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Hands violations to the midlayer, each place once a clause. */
final class Reports {
  private static final Logger LOG = LoggerFactory.getLogger("ib.verifier");
  private static final int MAX_FRAMES = 256;
  private static final StackWalker WALKER = StackWalker.getInstance();

  private final Supplier<@Nullable ContractReports> core;
  private final Set<String> known = ConcurrentHashMap.newKeySet();

  Reports(Supplier<@Nullable ContractReports> core) {
    this.core = core;
  }

  /** {@return whether the calling thread runs a callback that must not sleep} */
  boolean inCallback() {
    ContractReports reports = core.get();
    return reports != null && reports.inAtomicSection();
  }

  /** {@return the caller's stack, innermost first, from the code that is watched on} */
  static List<String> here() {
    return WALKER.walk(
        frames ->
            frames
                .dropWhile(f -> own(f.getClassName()))
                .limit(MAX_FRAMES)
                .map(f -> f.toStackTraceElement().toString())
                .toList());
  }

  private static boolean own(String type) {
    return type.startsWith("ib.verifier.check.") || type.startsWith("ib.verifier.probe.");
  }

  /** Reports a broken clause at the caller's place in the code that is watched. */
  void report(String clause, String culprit, String text, String instead) {
    report(clause, culprit, text, instead, here(), List.of());
  }

  /** Reports a broken clause; the place is where the first stack begins. */
  void report(
      String clause,
      String culprit,
      String text,
      String instead,
      List<String> stack,
      List<String> other) {
    String place = stack.isEmpty() ? "" : stack.getFirst();
    if (known.add(clause + ' ' + place)) {
      Violation violation = new Violation(clause, culprit, text, instead, stack, other);
      ContractReports reports = core.get();
      if (reports != null) {
        reports.report(violation);
      } else {
        LOG.warn("there is no midlayer to report to: {}", violation.report());
      }
    }
  }
}
