package ib.health.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.Violation;
import ib.core.verbs.PortCounter;
import ib.driver.soft.standalone.SoftFabric;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("U17: metrics in the text format of Prometheus")
final class MetricsTest {
  private static final Pattern SAMPLE =
      Pattern.compile(
          "([a-z_]+)(\\{[a-z_]+=\"(?:[^\"\\\\\n]|\\\\.)*\"(?:,[a-z_]+=\"(?:[^\"\\\\\n]|\\\\.)*\")*})? \\d+");

  @Test
  @DisplayName(
      "every line is a declaration or a sample of the metric before it, and none comes twice")
  void format() {
    try (SoftFabric fabric = SoftFabric.open("soft0", "soft1")) {
      Set<String> seen = new HashSet<>();
      String metric = "";
      for (String line : new Metrics(fabric.core()).write().split("\n")) {
        if (line.startsWith("# HELP ")) {
          metric = line.split(" ")[2];
        } else if (!line.matches("# TYPE " + metric + " (counter|gauge)")) {
          Matcher sample = SAMPLE.matcher(line);
          assertTrue(sample.matches(), line);
          assertEquals(metric, sample.group(1));
          assertTrue(seen.add(line.substring(0, line.lastIndexOf(' '))), line);
        }
      }
    }
  }

  @Test
  @DisplayName("a quote, a backslash and a line's end in a label stay within it")
  void escapes() {
    PrometheusText text = new PrometheusText();
    text.declare("ib_test", "gauge", "Test.");
    text.sample("ib_test", 7, "label", "a \"b\" \\n c\nd", "other", "\\");
    text.sample("ib_test", -1);
    String sample = "ib_test{label=\"a \\\"b\\\" \\\\n c\\nd\",other=\"\\\\\"} 7";
    assertEquals(
        List.of("# HELP ib_test Test.", "# TYPE ib_test gauge", sample, "ib_test -1"),
        text.toString().lines().toList());
    assertTrue(SAMPLE.matcher(sample).matches(), sample);
  }

  @Test
  @DisplayName("states and counters are those of the midlayer; data is in bytes")
  void values() {
    try (SoftFabric fabric = SoftFabric.open("soft0")) {
      Map<String, Object> answers =
          Map.of(
              "portCounters", Map.of(PortCounter.XMIT_DATA, 25L, PortCounter.RCV_PKTS, 7L),
              "counters", Map.of("drop_icrc", 3L),
              "violations",
                  List.of(new Violation("S26", "a \"b\"", "slept", List.of(), List.of())));
      String text = new Metrics(Altered.core(fabric.core(), answers)).write();
      for (String line :
          List.of(
              "ib_port_active{device=\"soft0\",port=\"1\"} 1",
              "ib_port_bytes_total{device=\"soft0\",port=\"1\",direction=\"xmit\"} 100",
              "ib_port_packets_total{device=\"soft0\",port=\"1\",direction=\"rcv\"} 7",
              "ib_port_counter_total{device=\"soft0\",port=\"1\",counter=\"drop_icrc\"} 3",
              "ib_violations{clause=\"S26\",culprit=\"a \\\"b\\\"\"} 1")) {
        assertTrue(text.lines().anyMatch(line::equals), line + " is not in\n" + text);
      }
      assertTrue(
          text.contains("ib_device_info{device=\"soft0\",driver=\"ib.driver.soft\",node_guid=\""));
    }
  }
}
