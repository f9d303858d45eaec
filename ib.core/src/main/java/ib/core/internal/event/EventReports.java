package ib.core.internal.event;

import ib.core.client.Violation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Where the event path reports what went wrong; called with no lock held; must not throw. */
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
   * A clause was broken.
   *
   * @param violation which, by whom, where
   */
  void violation(Violation violation);

  /**
   * Something failed, and the event path goes on.
   *
   * @param device device name
   * @param text what
   * @param cause why, if there is an exception
   */
  void trouble(String device, String text, @Nullable Throwable cause);
}
