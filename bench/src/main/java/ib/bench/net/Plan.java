package ib.bench.net;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** What is measured, and the JVMs that do it. */
final class Plan implements AutoCloseable {
  private static final int SMALL = 64;
  private static final int LARGE = 65_536;

  private final List<Job> jobs = new ArrayList<>();
  private final Map<String, Worker> workers = new LinkedHashMap<>();
  private final Pattern wanted;
  private final String here;
  private final String there;
  private int slot;

  Plan(Pattern wanted, String here, String there) {
    this.wanted = wanted;
    this.here = here;
    this.there = there;
  }

  List<Job> jobs() {
    return jobs;
  }

  void make() throws IOException {
    String[] all = {"rxe", "rxe-defaults", "raw", "raw-unconnected", "nio", "tcp", "aeron"};
    add("loopback", Spec.Pattern.RTT, SMALL, 1024, all);
    add("veth 1500", Spec.Pattern.RTT, SMALL, 1024, all);
    add("one JVM", Spec.Pattern.RTT, SMALL, 1024, "rxe", "rxe-datagrams", "raw");
    add("veth 9000", Spec.Pattern.RTT, SMALL, 1024, "rxe", "raw", "nio");
    add("loopback", Spec.Pattern.SLEEP, SMALL, 1024, "rxe", "rxe-defaults", "raw");
    String[] streams = {
      "rxe",
      "rxe-write",
      "raw-gso",
      "raw-icrc",
      "raw-mmsg",
      "raw-one",
      "rxe-portable",
      "nio",
      "tcp",
      "aeron"
    };
    add("loopback", Spec.Pattern.STREAM, LARGE, 4096, streams);
    add(
        "loopback",
        Spec.Pattern.STREAM,
        LARGE,
        4096,
        "rxe-defaults",
        "rxe-loss-0.1%",
        "rxe-loss-1%");
    add("one JVM", Spec.Pattern.STREAM, LARGE, 4096, "rxe", "rxe-datagrams", "raw-gso");
    add("veth 9000", Spec.Pattern.STREAM, LARGE, 4096, streams);
    add("veth 1500", Spec.Pattern.STREAM, LARGE, 1024, streams);
    String[] small = {"rxe", "rxe-write", "raw-gso", "raw-mmsg", "raw-one", "aeron"};
    add("loopback", Spec.Pattern.STREAM, SMALL, SMALL, small);
    add(
        "many",
        Spec.Pattern.STREAM,
        LARGE,
        4096,
        "rxe-qps-1",
        "rxe-qps-10",
        "rxe-qps-100",
        "rxe-qps-1000",
        "rxe-incast-64",
        "rxe-peers-50",
        "raw-gso");
    add("one core", Spec.Pattern.STREAM, LARGE, 4096, "rxe", "rxe-loss-1%", "raw-gso");
  }

  private void add(String path, Spec.Pattern pattern, int bytes, int packet, String... systems)
      throws IOException {
    for (String system : systems) {
      if (wants(path + " " + pattern + " " + packet + " " + system)
          && !(path.startsWith("veth") && there.isEmpty())) {
        int s = slot++;
        String net = path.equals("veth 1500") ? "10.91." : path.equals("veth 9000") ? "10.92." : "";
        String prefix = net.isEmpty() ? "127.0." : net;
        Spec spec = new Spec(system, pattern, bytes, packet, prefix + s + ".2", prefix + s + ".1");
        jobs.add(new Job(path, "j" + s, spec, client(path), server(path)));
      }
    }
  }

  boolean wants(String name) {
    return wanted.matcher(name).find();
  }

  /** {@return the JVM of most clients} */
  Worker client() throws IOException {
    return client("");
  }

  private Worker client(String path) throws IOException {
    return path.equals("one core")
        ? worker("client on one core", onOneCore())
        : worker("client", here);
  }

  private Worker server(String path) throws IOException {
    return switch (path) {
      case "one JVM" -> client(path);
      case "one core" -> worker("server on one core", onOneCore());
      case "loopback", "many" -> worker("server here", here);
      default -> worker("server there", there);
    };
  }

  /** A JVM that sees one processor keeps no thread on another. */
  private String onOneCore() {
    return ("taskset -c 0 " + here).strip();
  }

  private Worker worker(String name, String enter) throws IOException {
    Worker w = workers.get(name);
    if (w == null) {
      w = new Worker(enter);
      workers.put(name, w);
    }
    return w;
  }

  /** {@return a JVM in which nothing was done yet} */
  Worker fresh() throws IOException {
    return new Worker(here);
  }

  @Override
  public void close() {
    workers.values().forEach(Worker::close);
  }
}
