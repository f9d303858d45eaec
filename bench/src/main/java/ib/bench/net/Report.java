package ib.bench.net;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What was measured, as Markdown: median (least to most); ratios are taken round by round. */
final class Report {
  private final List<Job> jobs;

  Report(List<Job> jobs) {
    this.jobs = jobs;
  }

  static String range(List<Double> values, double scale, String format) {
    if (values.isEmpty()) {
      return "-";
    }
    List<Double> sorted = values.stream().sorted().toList();
    String all = format + " (" + format + " to " + format + ")";
    return String.format(
        Locale.ROOT,
        all,
        median(values) * scale,
        sorted.getFirst() * scale,
        sorted.getLast() * scale);
  }

  static double median(List<Double> values) {
    List<Double> sorted = values.stream().sorted().toList();
    return sorted.isEmpty() ? Double.NaN : sorted.get(sorted.size() / 2);
  }

  static List<Double> ratios(List<Double> a, List<Double> b) {
    List<Double> ratios = new ArrayList<>();
    for (int i = 0; i < Math.min(a.size(), b.size()); i++) {
      ratios.add(a.get(i) / b.get(i));
    }
    return ratios;
  }

  void print(PrintStream out) {
    Map<String, List<Job>> tables = new LinkedHashMap<>();
    for (Job job : jobs) {
      String title =
          switch (job.spec.pattern()) {
            case RTT -> "Round trip of 64 B, spinning";
            case SLEEP -> "Round trip of 64 B, asleep";
            case STREAM ->
                job.spec.packet() == 64
                    ? "Messages of 64 B"
                    : "Messages of 64 KiB, packets of " + job.spec.packet() + " B";
          };
      String path = job.path.equals("many") ? "loopback, many connections" : job.path;
      tables.computeIfAbsent(title + ", " + path, t -> new ArrayList<>()).add(job);
    }
    tables.forEach((title, rows) -> table(out, title, rows));
  }

  private void table(PrintStream out, String title, List<Job> rows) {
    Job first = rows.getFirst();
    boolean stream = first.stream();
    boolean small = first.spec.packet() == 64;
    boolean sleeps = first.spec.pattern() == Spec.Pattern.SLEEP;
    boolean many = first.path.equals("many");
    out.printf(
        "| %s | progress | %s | x raw | %s | B allocated |%s%n|---|---|---|---|---|---|%s%n",
        title,
        stream ? small ? "M/s" : "GB/s" : "us",
        stream ? "CPU s/GiB" : "CPU us",
        sleeps ? " voluntary switches |" : many ? " repeated, % | by GSO, % |" : "",
        sleeps ? "---|" : many ? "---|---|" : "");
    Job raw = first;
    for (Job job : rows) {
      raw = job.spec.system().equals(stream ? "raw-gso" : "raw") ? job : raw;
    }
    for (Job job : rows) {
      if (!job.failure.isEmpty()) {
        out.printf("| %s | failed: %s | | | | |%n", job.spec.system(), job.failure);
        continue;
      }
      double scale = !stream ? 1e-3 : small ? 1e-6 : job.spec.packet() * 1e-9;
      double perCpu = stream ? 1 : job.spec.bytes() * 1e6 / (1 << 30);
      String more = many ? " " + range(job.repeated, 100, "%.2f") + " |" : "";
      more += many ? " " + range(job.cut, 100, "%.1f") + " |" : "";
      out.printf(
          "| %s | %s | %s | %s | %s | %s |%s%n",
          job.spec.system(),
          job.spec.progress(),
          range(job.figures, scale, "%.2f"),
          range(ratios(job.figures, raw.figures), 1, "%.2f"),
          String.format(Locale.ROOT, "%.2f", median(job.cpu) * perCpu),
          String.format(Locale.ROOT, "%.2f", median(job.garbage)),
          sleeps ? " " + range(job.switches, 1, "%.2f") + " |" : many && counted(job) ? more : "");
    }
    out.println();
  }

  private static boolean counted(Job job) {
    return !job.spec.progress().isEmpty();
  }
}
