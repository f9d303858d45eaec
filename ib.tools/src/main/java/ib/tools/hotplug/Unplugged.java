package ib.tools.hotplug;

import ib.core.client.LeakRecord;
import ib.core.client.RemovalReport;
import ib.tools.output.Json;
import ib.tools.output.JsonView;
import ib.tools.output.Printable;
import ib.tools.output.Units;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The result of {@code ib:unplug}.
 *
 * @param report the clients that were removed, in order, and the leaks
 * @param already whether the device was unplugged before, so that nothing was done
 * @param asJson whether the text is JSON
 */
public record Unplugged(RemovalReport report, boolean already, boolean asJson)
    implements Printable, JsonView {

  @Override
  public String text() {
    if (asJson) {
      return Json.write(this, false);
    }
    if (already) {
      return report.device() + " is unplugged already";
    }
    StringBuilder text = new StringBuilder();
    for (RemovalReport.Step s : report.steps()) {
      text.append("remove ").append(s.client()).append('(').append(s.sequence()).append(") ← ");
      text.append(Plugged.outcome(s.error(), s.removeNs())).append(" · ");
    }
    text.append(report.device()).append(" GONE in ").append(Units.wholeMs(report.totalNs()));
    int leaks = report.leaks().size();
    text.append(", ").append(leaks).append(leaks == 1 ? " object leaked" : " objects leaked");
    report.leaks().forEach(l -> text.append("\n  ").append(leak(l)));
    return text.toString();
  }

  private static String leak(LeakRecord l) {
    StringBuilder text = new StringBuilder(l.object() + " of " + l.client());
    text.append(", ")
        .append(Units.wholeMs(l.ageNs()))
        .append(" old, made by thread ")
        .append(l.thread());
    if (!l.pinnedBy().isEmpty()) {
      text.append(", used by ").append(String.join(", ", l.pinnedBy()));
    }
    l.stack().forEach(frame -> text.append("\n    at ").append(frame));
    return text.toString();
  }

  @Override
  public Map<String, Object> json() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("device", report.device());
    json.put("already", already);
    json.put("totalNs", report.totalNs());
    json.put("steps", report.steps());
    json.put("leaks", report.leaks());
    return json;
  }
}
