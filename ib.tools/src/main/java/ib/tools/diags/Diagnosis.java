package ib.tools.diags;

import ib.core.spi.QpDiagnosis.Report;
import ib.tools.output.JsonView;
import ib.tools.output.Printable;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** The diagnosis of a queue pair, with times of the wall clock. */
final class Diagnosis implements Printable, JsonView {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("HH:mm:ss.SSS", Locale.ROOT);

  private final Report report;
  private final Instant now;
  private final ZoneId zone;

  Diagnosis(Report report, Clock clock) {
    this.report = report;
    this.now = clock.instant();
    this.zone = clock.getZone();
  }

  private String time(long ns) {
    return TIME.format(now.minusNanos(report.nowNs() - ns).atZone(zone));
  }

  @Override
  public String text() {
    return report.text(this::time);
  }

  @Override
  public Map<String, Object> json() {
    Map<String, Object> members = new LinkedHashMap<>();
    members.put("ifname", report.device());
    members.put("lqpn", report.qpn());
    members.put("type", report.type().name());
    members.put("state", report.state().name());
    members.put(
        "history",
        report.history().stream()
            .map(c -> time(c.ns()) + " " + c.state() + ": " + c.cause())
            .toList());
    members.put(
        "troubles", report.troubles().stream().map(n -> time(n.ns()) + " " + n.text()).toList());
    members.put("peer", report.peer());
    members.put("heard", report.heardNs() < 0 ? "" : time(report.heardNs()));
    members.put("drops", report.drops());
    members.put("likely", report.likely());
    members.put("try", report.tries());
    return members;
  }
}
