package ib.bench.net;

import java.util.ArrayList;
import java.util.List;

/** An exchange with what was measured of it, a sample a round. */
final class Job {
  final String path;
  final Spec spec;
  final Worker client;
  final Worker server;
  final String id;
  final List<Double> figures = new ArrayList<>(); // ns of a round trip, or units per second
  final List<Double> cpu = new ArrayList<>(); // seconds per GiB
  final List<Double> garbage = new ArrayList<>(); // bytes per unit
  final List<Double> switches = new ArrayList<>(); // voluntary context switches per unit
  final List<Double> repeated = new ArrayList<>(); // datagrams beyond one a packet, a share
  final List<Double> cut = new ArrayList<>(); // share of the datagrams
  private final List<List<Double>> all = List.of(figures, cpu, garbage, switches, repeated, cut);
  private boolean kept; // a sample of the last round
  String failure = "";

  Job(String path, String id, Spec spec, Worker client, Worker server) {
    this.path = path;
    this.id = id;
    this.spec = spec;
    this.client = client;
    this.server = server;
  }

  boolean stream() {
    return spec.pattern() == Spec.Pattern.STREAM;
  }

  void open() {
    attempt(
        () -> {
          String ofServer = server.ask("open " + id + "s server " + spec.text());
          String ofClient = client.ask("open " + id + "c client " + spec.text());
          if (spec.system().equals("tcp")) {
            client.ask("connect " + id + "c " + ofServer); // before it is accepted
            server.ask("connect " + id + "s " + ofClient);
          } else {
            server.ask("connect " + id + "s " + ofClient);
            client.ask("connect " + id + "c " + ofServer);
          }
        });
  }

  /** Drops the sample of the last round. */
  void drop() {
    if (kept) {
      all.forEach(List::removeLast);
    }
    kept = false;
  }

  /** Runs once; keeps the figures unless it was to get warm. */
  void round(long ms, boolean warm) {
    kept = false;
    attempt(
        () -> {
          server.ask("serve " + id + "s");
          String[] words = {};
          String[] halted = {};
          try {
            words = client.ask("drive " + id + "c " + ms).split(" ");
          } finally {
            halted = server.ask("halt").split(" ");
          }
          double n = Math.max(1, Long.parseLong(words[0]));
          if (!warm && words[0].equals("0")) {
            throw new IllegalStateException("nothing got through in " + ms + " ms");
          }
          double ns = Long.parseLong(words[1]);
          boolean together = client == server;
          double spent = Long.parseLong(words[2]) + (together ? 0 : Long.parseLong(halted[0]));
          double made = Long.parseLong(words[3]) + (together ? 0 : Long.parseLong(halted[1]));
          double slept = Long.parseLong(words[4]) + (together ? 0 : Long.parseLong(halted[2]));
          if (!warm) {
            switches.add(slept / n);
            figures.add(stream() ? n / ns * 1e9 : ns / n);
            int payload = Math.min(spec.bytes(), spec.packet());
            cpu.add(spent / 1e9 / (n * payload / (1L << 30)));
            garbage.add(made / n);
            double sent = Long.parseLong(words[5]);
            repeated.add(sent / n - 1);
            cut.add(Long.parseLong(words[6]) / Math.max(1, sent));
            kept = true;
          }
        });
  }

  void close() {
    attempt(
        () -> {
          client.ask("close " + id + "c");
          server.ask("close " + id + "s");
        });
  }

  private interface Step {
    void run() throws Exception;
  }

  private void attempt(Step step) {
    if (failure.isEmpty()) {
      try {
        step.run();
      } catch (Exception e) {
        failure = String.valueOf(e.getMessage());
      }
    }
  }
}
