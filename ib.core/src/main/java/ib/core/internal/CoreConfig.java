package ib.core.internal;

import ib.core.internal.hotplug.Limits;
import ib.core.internal.restrack.Quotas;
import ib.core.verbs.IbInvalidException;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The midlayer's configuration, as read from {@code ib.core.cfg} or given to a standalone core.
 *
 * @param limits how long callbacks may take
 * @param quotas what a client may have on a device
 */
public record CoreConfig(Limits limits, Quotas quotas) {
  /** The PID of the configuration. */
  public static final String PID = "ib.core";

  /** Milliseconds until a callback is reported. */
  public static final int REPORT_MS = 10_000;

  /** Milliseconds until a client is given up. */
  public static final int DEADLINE_MS = 60_000;

  private static final String REPORT = "callback_report_ms";
  private static final String DEADLINE = "callback_deadline_ms";
  private static final int MOST_MS = 3_600_000;
  private static final int MOST = 999_999_999;

  /**
   * Reads it.
   *
   * @param values the configuration; what is left out has its standard
   * @return the same, checked
   * @throws IbInvalidException which key, what is wrong, what is allowed
   */
  public static CoreConfig read(Map<String, ?> values) {
    int report = read(values, REPORT, 1, MOST_MS, REPORT_MS);
    int deadline = read(values, DEADLINE, report, MOST_MS, Math.max(report, DEADLINE_MS));
    Limits limits =
        new Limits(TimeUnit.MILLISECONDS.toNanos(report), TimeUnit.MILLISECONDS.toNanos(deadline));
    return new CoreConfig(limits, Quotas.of(q -> read(values, q.key(), 1, MOST, q.standard())));
  }

  private static int read(Map<String, ?> values, String key, int least, int most, int standard) {
    Object value = values.get(key);
    if (value == null) {
      return standard;
    }
    Integer number = number(value);
    if (number == null || number < least || number > most) {
      throw new IbInvalidException(
          "configuration " + PID,
          "key " + key + " is '" + value + "'",
          key + ": a whole number from " + least + " to " + most);
    }
    return number;
  }

  private static @Nullable Integer number(Object value) {
    String text = value.toString().strip();
    return text.matches("[0-9]{1,9}") ? Integer.valueOf(text) : null;
  }
}
