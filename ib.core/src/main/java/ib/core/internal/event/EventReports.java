package ib.core.internal.event;

import ib.core.client.Violation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The reports of the event path, which must not throw. The event path holds no lock when it calls
 * these methods, except when a handler's thread cannot be started.
 */
public interface EventReports {
  /** Writes to the log only. */
  EventReports LOG =
      new EventReports() {
        private final Logger log = LoggerFactory.getLogger("ib.core.events");

        @Override
        public void violation(Violation violation) {
          log.warn("{}: {}: {}", violation.clause(), violation.culprit(), violation.text());
        }

        @Override
        public void trouble(String device, String text, @Nullable Throwable cause) {
          log.warn("{}: {}", device, text, cause);
        }
      };

  /**
   * Reports a violation of a clause.
   *
   * @param violation the clause, the culprit, and where it happened
   */
  void violation(Violation violation);

  /**
   * Reports a failure after which the event path goes on.
   *
   * @param device device name
   * @param text what has failed
   * @param cause the exception, or null
   */
  void trouble(String device, String text, @Nullable Throwable cause);
}
