package ib.tools.diags;

import ib.core.spi.QpDiagnosis.Change;
import ib.core.spi.QpDiagnosis.Note;
import ib.core.spi.QpDiagnosis.Report;
import ib.tools.output.JsonView;
import ib.tools.output.Printable;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

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
    StringBuilder out = new StringBuilder();
    out.append(String.format("QP 0x%06x %s %s", report.qpn(), report.type(), report.state()));
    out.append(" on ").append(report.device());
    List<Change> history = report.history();
    if (!history.isEmpty()) {
      out.append(" since ").append(time(history.getLast().ns()));
    }
    for (Change c : history) {
      line(out, time(c.ns()) + " " + c.state() + ": " + c.cause());
    }
    for (Note n : report.troubles()) {
      line(out, "last " + time(n.ns()) + " " + n.text());
    }
    if (!report.peer().isEmpty()) {
      line(out, "peer " + report.peer() + heard());
    }
    drops(out, "packets to it dropped: ", false);
    drops(out, "packets of its device that the fabric dropped: ", true);
    line(out, "likely: " + report.likely());
    report.tries().forEach(t -> line(out, "try: " + t));
    return out.toString();
  }

  private String heard() {
    if (report.heardNs() == Report.NOT_TOLD) {
      return "";
    }
    return report.heardNs() < 0 ? ", never heard" : ", last heard " + time(report.heardNs());
  }

  private void drops(StringBuilder out, String title, boolean fabric) {
    String drops =
        report.drops().entrySet().stream()
            .filter(e -> e.getKey().startsWith("fabric_") == fabric)
            .map(e -> e.getKey() + " " + e.getValue())
            .collect(Collectors.joining(", "));
    if (!drops.isEmpty()) {
      line(out, title + drops);
    }
  }

  private static void line(StringBuilder out, String text) {
    out.append("\n  ").append(text);
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
