package ib.bench.net;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/** The goals, met or not. A row that failed has missed each goal that it is part of. */
final class Goals {
  private final List<Job> jobs;
  private final List<String> lines = new ArrayList<>();

  Goals(List<Job> jobs) {
    this.jobs = jobs;
  }

  /** What is compared. */
  private enum What {
    FIGURE("", j -> j.figures),
    CPU("processor s/GiB, ", j -> j.cpu),
    SWITCHES("voluntary switches, ", j -> j.switches),
    REPEATED("packets repeated, ", j -> j.repeated),
    CUT("packets by GSO, ", j -> j.cut),
    GARBAGE("B allocated a packet, ", j -> j.garbage);

    private final String text;
    private final Function<Job, List<Double>> of;

    What(String text, Function<Job, List<Double>> of) {
      this.text = text;
      this.of = of;
    }
  }

  /** A table, of whose rows a goal speaks. */
  private record Rows(String goal, String path, Spec.Pattern pattern, int packet) {
    boolean has(Job job, String system) {
      return job.path.equals(path)
          && job.spec.pattern() == pattern
          && job.spec.packet() == packet
          && job.spec.system().equals(system);
    }
  }

  void print(PrintStream out) {
    roundTrips();
    for (String system : List.of("rxe", "rxe-write")) {
      for (String path : List.of("loopback", "veth 9000")) {
        Rows rows = new Rows("G9", path, Spec.Pattern.STREAM, 4096);
        atMost(rows, What.CPU, system, 1.25, "raw-icrc");
      }
      Rows rows = new Rows("G10", "veth 1500", Spec.Pattern.STREAM, 1024);
      atMost(rows, What.CPU, system, 1.40, "raw-icrc");
      rows = new Rows("G11", "loopback", Spec.Pattern.STREAM, 64);
      atLeast(rows, What.FIGURE, system, 0.30, "raw-gso");
    }
    Rows large = new Rows("shipped defaults", "loopback", Spec.Pattern.STREAM, 4096);
    atLeast(large, What.FIGURE, "rxe-defaults", 0.95, "rxe");
    Rows loss = new Rows("G12", "loopback", Spec.Pattern.STREAM, 4096);
    atLeast(loss, What.FIGURE, "rxe-loss-0.1%", 0.9, "rxe");
    atLeast(loss, What.FIGURE, "rxe-loss-1%", 0.6, "rxe");
    Rows core = new Rows("G12, no retry error", "one core", Spec.Pattern.STREAM, 4096);
    atLeast(core, What.FIGURE, "rxe-loss-1%", 0, "rxe");
    for (String path : List.of("loopback", "veth 9000")) {
      Rows rows = new Rows("G13", path, Spec.Pattern.STREAM, 4096);
      atLeast(rows, What.FIGURE, "rxe-portable", 0.8, "nio");
    }
    many();
    out.printf("| goal | ratio | met |%n|---|---|---|%n");
    lines.forEach(out::println);
  }

  private void roundTrips() {
    Rows rows = new Rows("G8b", "one JVM", Spec.Pattern.RTT, 1024);
    atMost(rows, What.FIGURE, "rxe", 0.15, "raw");
    rows = new Rows("G8b", "one JVM", Spec.Pattern.STREAM, 4096);
    atLeast(rows, What.FIGURE, "rxe", 2, "raw-gso");
    for (String path : List.of("loopback", "veth 1500", "veth 9000")) {
      rows = new Rows("G8", path, Spec.Pattern.RTT, 1024);
      atMost(rows, What.FIGURE, "rxe", 1.35, "raw", "nio");
      atMost(rows, What.FIGURE, "rxe", 1.6, "aeron");
      atMost(rows, What.FIGURE, "rxe-defaults", 1.05, "rxe");
    }
    rows = new Rows("G14", "loopback", Spec.Pattern.SLEEP, 1024);
    for (String system : List.of("rxe", "rxe-defaults")) {
      atMost(rows, What.FIGURE, system, 1.05, "raw");
      atMost(rows, What.SWITCHES, system, 2.2);
    }
  }

  private void many() {
    Rows rows = new Rows("incast", "many", Spec.Pattern.STREAM, 4096);
    atLeast(rows, What.FIGURE, "rxe-incast-64", 0.8, "rxe-qps-1");
    atMost(rows, What.REPEATED, "rxe-incast-64", 0.02);
    rows = new Rows("peers", "many", Spec.Pattern.STREAM, 4096);
    atLeast(rows, What.CUT, "rxe-peers-50", 0.95);
    atMost(rows, What.GARBAGE, "rxe-peers-50", 1); // what a run allocates once included
  }

  private void atMost(Rows rows, What what, String of, double bound, String... best) {
    goal(rows, what, of, best, m -> m <= bound, "at most", bound);
  }

  private void atLeast(Rows rows, What what, String of, double bound, String... best) {
    goal(rows, what, of, best, m -> m >= bound, "at least", bound);
  }

  private interface Bar {
    boolean isMet(double median);
  }

  private void goal(
      Rows rows, What what, String of, String[] best, Bar bar, String how, double bound) {
    List<String> systems = new ArrayList<>(List.of(best));
    systems.addFirst(of);
    List<Job> found = new ArrayList<>();
    for (String system : systems) {
      jobs.stream().filter(job -> rows.has(job, system)).forEach(found::add);
    }
    if (found.size() < systems.size()) {
      return; // not asked for
    }
    String why = "";
    List<Double> ratios = what.of.apply(found.getFirst());
    for (Job job : found) {
      why = job.failure.isEmpty() ? why : job.spec.system() + " failed: " + job.failure;
    }
    if (best.length > 0) {
      ratios = Report.ratios(ratios, least(found.subList(1, found.size()), what));
    }
    lines.add(
        String.format(
            Locale.ROOT,
            "| %s %s, %s%s%s: %s %.2f | %s | %s |",
            rows.goal,
            rows.path,
            what.text,
            of,
            best.length == 0 ? "" : " / " + String.join(" or ", best),
            how,
            bound,
            why.isEmpty() ? Report.range(ratios, 1, "%.2f") : why,
            why.isEmpty() && bar.isMet(Report.median(ratios)) ? "yes" : "no"));
  }

  /** The least of each round. */
  private static List<Double> least(List<Job> of, What what) {
    List<Double> least = new ArrayList<>(what.of.apply(of.getFirst()));
    for (Job job : of) {
      List<Double> other = what.of.apply(job);
      for (int i = 0; i < Math.min(least.size(), other.size()); i++) {
        least.set(i, Math.min(least.get(i), other.get(i)));
      }
    }
    return least;
  }
}
