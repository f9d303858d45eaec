package ib.core.internal.event;

import ib.core.client.Violation;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Keeps what was reported. */
final class Reports implements EventReports {
  final List<Violation> violations = new CopyOnWriteArrayList<>();
  final List<String> troubles = new CopyOnWriteArrayList<>();

  @Override
  public void violation(Violation violation) {
    violations.add(violation);
  }

  @Override
  public void trouble(String device, String text, @Nullable Throwable cause) {
    troubles.add(device + ": " + text + (cause == null ? "" : ": " + cause));
  }

  boolean tellsOf(String part) {
    return troubles.stream().anyMatch(t -> t.contains(part));
  }
}
