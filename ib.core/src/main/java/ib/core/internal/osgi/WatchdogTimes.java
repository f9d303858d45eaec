package ib.core.internal.osgi;

import ib.core.internal.hotplug.Limits;
import ib.core.verbs.IbInvalidException;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Reads the watchdog's times from a configuration, or from none. */
final class WatchdogTimes {
  static final int REPORT_MS = 10_000;
  static final int DEADLINE_MS = 60_000;
  static final String REPORT = "callback_report_ms";
  static final String DEADLINE = "callback_deadline_ms";
  private static final int MOST_MS = 3_600_000;

  private WatchdogTimes() {}

  /**
   * Reads them.
   *
   * @param values the configuration
   * @return the times
   * @throws IbInvalidException which key, what is wrong, what is allowed
   */
  static Limits read(Map<String, ?> values) {
    int report = read(values, REPORT, 1, REPORT_MS);
    return new Limits(
        TimeUnit.MILLISECONDS.toNanos(report),
        TimeUnit.MILLISECONDS.toNanos(
            read(values, DEADLINE, report, Math.max(report, DEADLINE_MS))));
  }

  private static int read(Map<String, ?> values, String key, int least, int standard) {
    Object value = values.get(key);
    if (value == null) {
      return standard;
    }
    Integer number = number(value);
    if (number == null || number < least || number > MOST_MS) {
      throw new IbInvalidException(
          "configuration " + IbCoreComponent.PID,
          "key " + key + " is '" + value + "'",
          key + ": a whole number from " + least + " to " + MOST_MS);
    }
    return number;
  }

  private static @Nullable Integer number(Object value) {
    String text = value.toString().strip();
    return text.matches("[0-9]{1,9}") ? Integer.valueOf(text) : null;
  }
}
