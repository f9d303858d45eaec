package ib.bench.net;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

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

  private static double median(List<Double> values) {
    List<Double> sorted = values.stream().sorted().toList();
    return sorted.isEmpty() ? Double.NaN : sorted.get(sorted.size() / 2);
  }

  private static List<Double> ratios(Job a, Job b) {
    List<Double> ratios = new ArrayList<>();
    for (int i = 0; i < Math.min(a.figures.size(), b.figures.size()); i++) {
      ratios.add(a.figures.get(i) / b.figures.get(i));
    }
    return ratios;
  }

  private @Nullable Job find(String path, Spec.Pattern pattern, int packet, String system) {
    for (Job job : jobs) {
      if (job.path.equals(path)
          && job.spec.pattern() == pattern
          && job.spec.packet() == packet
          && job.spec.system().equals(system)
          && !job.figures.isEmpty()) {
        return job;
      }
    }
    return null;
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
      tables.computeIfAbsent(title + ", " + job.path, t -> new ArrayList<>()).add(job);
    }
    tables.forEach((title, rows) -> table(out, title, rows));
    goals(out);
  }

  private void table(PrintStream out, String title, List<Job> rows) {
    boolean stream = rows.getFirst().stream();
    boolean small = rows.getFirst().spec.packet() == 64;
    boolean sleeps = rows.getFirst().spec.pattern() == Spec.Pattern.SLEEP;
    String last = sleeps ? " voluntary switches |" : "";
    out.printf(
        "| %s | %s | x raw | %s | B allocated |%s%n|---|---|---|---|---|%s%n",
        title,
        stream ? small ? "M/s" : "GB/s" : "us",
        stream ? "CPU s/GiB" : "CPU us",
        last,
        sleeps ? "---|" : "");
    Job raw = rows.getFirst();
    for (Job job : rows) {
      raw = job.spec.system().equals(stream ? "raw-gso" : "raw") ? job : raw;
    }
    for (Job job : rows) {
      if (!job.failure.isEmpty()) {
        out.printf("| %s | failed: %s | | | |%n", job.spec.system(), job.failure);
        continue;
      }
      double scale = !stream ? 1e-3 : small ? 1e-6 : job.spec.packet() * 1e-9;
      double perCpu = stream ? 1 : job.spec.bytes() * 1e6 / (1 << 30);
      out.printf(
          "| %s | %s | %s | %s | %s |%s%n",
          job.spec.system(),
          range(job.figures, scale, "%.2f"),
          range(ratios(job, raw), 1, "%.2f"),
          String.format(Locale.ROOT, "%.2f", median(job.cpu) * perCpu),
          String.format(Locale.ROOT, "%.2f", median(job.garbage)),
          sleeps ? " " + range(job.switches, 1, "%.2f") + " |" : "");
    }
    out.println();
  }

  private void goals(PrintStream out) {
    out.printf("| goal | ratio | met |%n|---|---|---|%n");
    goal(out, "G8b", "one JVM", Spec.Pattern.RTT, 1024, "rxe", "raw", 0.15, true);
    goal(out, "G8b", "one JVM", Spec.Pattern.STREAM, 4096, "rxe", "raw-gso", 2, false);
    for (String path : List.of("loopback", "veth 1500", "veth 9000")) {
      goal(out, "G8", path, Spec.Pattern.RTT, 1024, "rxe", "raw", 1.20, true);
      goal(out, "G8", path, Spec.Pattern.RTT, 1024, "rxe", "aeron", 0.15, true);
    }
    for (String path : List.of("loopback", "veth 9000")) {
      for (String system : List.of("rxe", "rxe-write")) {
        goal(out, "G9", path, Spec.Pattern.STREAM, 4096, system, "raw-gso", 0.75, false);
        goal(out, "G9", path, Spec.Pattern.STREAM, 4096, system, "raw-mmsg", 3.5, false);
        goal(out, "G9", path, Spec.Pattern.STREAM, 4096, system, "aeron", 6, false);
      }
    }
    for (String system : List.of("rxe", "rxe-write")) {
      goal(out, "G10", "veth 1500", Spec.Pattern.STREAM, 1024, system, "raw-gso", 0.60, false);
      goal(out, "G10", "veth 1500", Spec.Pattern.STREAM, 1024, system, "raw-mmsg", 10, false);
      goal(out, "G10", "veth 1500", Spec.Pattern.STREAM, 1024, system, "aeron", 12, false);
      goal(out, "G11", "loopback", Spec.Pattern.STREAM, 64, system, "raw-gso", 0.35, false);
      goal(out, "G11", "loopback", Spec.Pattern.STREAM, 64, system, "raw-one", 20, false);
    }
    goal(out, "G12", "loopback", Spec.Pattern.STREAM, 4096, "rxe-loss-0.1%", "rxe", 0.9, false);
    goal(out, "G12", "loopback", Spec.Pattern.STREAM, 4096, "rxe-loss-1%", "rxe", 0.6, false);
    for (String path : List.of("loopback", "veth 9000")) {
      goal(out, "G13", path, Spec.Pattern.STREAM, 4096, "rxe-portable", "nio", 0.8, false);
    }
    goal(out, "G14", "loopback", Spec.Pattern.SLEEP, 1024, "rxe", "raw", 1.05, true);
  }

  private void goal(
      PrintStream out,
      String goal,
      String path,
      Spec.Pattern pattern,
      int packet,
      String of,
      String to,
      double bound,
      boolean atMost) {
    Job a = find(path, pattern, packet, of);
    Job b = find(path, pattern, packet, to);
    if (a == null || b == null) {
      return;
    }
    List<Double> ratios = ratios(a, b);
    double m = median(ratios);
    out.printf(
        Locale.ROOT,
        "| %s %s, %s / %s: %s %.2f | %s | %s |%n",
        goal,
        path,
        of,
        to,
        atMost ? "at most" : "at least",
        bound,
        range(ratios, 1, "%.2f"),
        (atMost ? m <= bound : m >= bound) ? "yes" : "no");
  }
}
