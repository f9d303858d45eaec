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

  /** Reports a broken clause at the caller's place in the code that is watched. */
  void report(String clause, String culprit, String text, String instead) {
    List<String> stack = FoldedStack.here();
    String place = stack.isEmpty() ? "" : stack.getFirst();
    if (known.add(clause + ' ' + place)) {
      Violation violation = new Violation(clause, culprit, text, instead, stack, List.of());
      ContractReports reports = core.get();
      if (reports != null) {
        reports.report(violation);
      } else {
        LOG.warn("there is no midlayer to report to: {}", violation);
      }
    }
  }
}
