package ib.tools.hotplug;

import ib.tools.output.Json;
import ib.tools.output.JsonView;
import ib.tools.output.Printable;
import ib.tools.output.Units;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The result of {@code ib:plug}.
 *
 * @param device device name
 * @param already whether the device was plugged before, so that nothing was done
 * @param totalNs duration of the plug in nanoseconds
 * @param steps one per client, in the order of their adds
 * @param asJson whether the text is JSON
 */
public record Plugged(
    String device, boolean already, long totalNs, List<Step> steps, boolean asJson)
    implements Printable, JsonView {

  /** Copies the list. */
  public Plugged {
    steps = List.copyOf(steps);
  }

  /**
   * One client's add.
   *
   * @param client client name
   * @param sequence number of the client in the order of adds
   * @param addNs duration of the add in nanoseconds
   * @param error the failure; empty for success
   */
  public record Step(String client, long sequence, long addNs, String error) implements Printable {
    @Override
    public String text() {
      return "add " + client + "(" + sequence + ") → " + outcome(error, addNs);
    }
  }

  static String outcome(String error, long ns) {
    return error.isEmpty()
        ? "ok " + Units.wholeMs(ns)
        : "FAILED " + Units.wholeMs(ns) + ": " + error;
  }

  @Override
  public String text() {
    if (asJson) {
      return Json.write(this, false);
    }
    if (already) {
      return device + " is plugged in already";
    }
    StringBuilder text = new StringBuilder();
    steps.forEach(s -> text.append(s.text()).append(" · "));
    return text.append(device).append(" LIVE in ").append(Units.wholeMs(totalNs)).toString();
  }

  @Override
  public Map<String, Object> json() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("device", device);
    json.put("already", already);
    json.put("totalNs", totalNs);
    json.put("steps", steps);
    return json;
  }
}
