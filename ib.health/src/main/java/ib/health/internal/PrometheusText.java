package ib.health.internal;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The text format of Prometheus, version 0.0.4: for each metric its help, its type and its samples.
 * One thread.
 */
final class PrometheusText {
  private final Map<String, StringBuilder> metrics = new LinkedHashMap<>();

  /**
   * Declares a metric, before its samples.
   *
   * @param name its name
   * @param type counter or gauge
   * @param help one sentence
   */
  void declare(String name, String type, String help) {
    StringBuilder lines = new StringBuilder();
    lines.append("# HELP ").append(name).append(' ').append(help).append('\n');
    lines.append("# TYPE ").append(name).append(' ').append(type).append('\n');
    metrics.put(name, lines);
  }

  /**
   * Adds a sample.
   *
   * @param name a declared metric
   * @param value its value
   * @param labels names of labels, each with its value behind it
   */
  void sample(String name, long value, String... labels) {
    StringBuilder lines = metrics.get(name);
    if (lines == null) {
      throw new IllegalArgumentException(name + " is not declared");
    }
    lines.append(name);
    for (int i = 0; i < labels.length; i += 2) {
      lines.append(i == 0 ? '{' : ',').append(labels[i]).append("=\"");
      lines.append(escaped(labels[i + 1])).append('"');
    }
    lines.append(labels.length == 0 ? " " : "} ").append(value).append('\n');
  }

  private static String escaped(String value) {
    return value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
  }

  @Override
  public String toString() {
    return String.join("", metrics.values());
  }
}
