package ib.core.internal;

import ib.core.config.ConfigKey;
import ib.core.config.ConfigKey.Whole;
import ib.core.config.ConfigSchema;
import ib.core.config.ConfigValues;
import ib.core.internal.hotplug.Limits;
import ib.core.internal.restrack.Quota;
import ib.core.internal.restrack.Quotas;
import ib.core.verbs.IbInvalidException;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The midlayer's configuration, as read from {@code ib.core.cfg} or given to a standalone core.
 *
 * @param limits how long callbacks may take
 * @param quotas what a client may have on a device
 */
public record CoreConfig(Limits limits, Quotas quotas) {
  private static final int MAX_MS = 3_600_000;

  private static final Whole REPORT =
      new Whole(
          "callback_report_ms",
          1,
          10_000,
          MAX_MS,
          "Milliseconds after which an add or remove that has not returned is reported, with its"
              + " client, its thread and what the client holds.");

  private static final Whole DEADLINE =
      new Whole(
          "callback_deadline_ms",
          1,
          60_000,
          MAX_MS,
          "Milliseconds after which the client of such a callback is given up and its handle revoked,"
              + " if the removal of a device or the stop of a bundle waits for it. A thread that waits"
              + " for anything else, a rename for example, is released then; the rename stays queued."
              + " At least callback_report_ms.");

  /** The PID of the configuration. */
  public static final String PID = "ib.core";

  /** All keys of the configuration. */
  public static final ConfigSchema SCHEMA =
      new ConfigSchema(
          PID,
          false,
          "ib midlayer",
          "How long callbacks of clients may take, and what a client may have on a device. A change"
              + " takes effect at once; no client is removed and nothing is taken away for it.",
          Stream.<ConfigKey>concat(
                  Stream.of(REPORT, DEADLINE), Arrays.stream(Quota.values()).map(Quota::setting))
              .toList());

  /**
   * Reads the configuration; unknown keys are ignored.
   *
   * @param raw the values
   * @return the configuration, checked
   * @throws IbInvalidException naming each key with a wrong value
   */
  public static CoreConfig read(Map<String, ?> raw) {
    ConfigValues values = new ConfigValues(raw);
    int report = values.number(REPORT);
    int deadline = values.number(DEADLINE.from(report));
    Quotas quotas = Quotas.of(q -> values.number(q.setting()));
    values.end(PID);
    Limits limits =
        new Limits(TimeUnit.MILLISECONDS.toNanos(report), TimeUnit.MILLISECONDS.toNanos(deadline));
    return new CoreConfig(limits, quotas);
  }
}
