package ib.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The processors of this machine, as /proc and /sys describe them. */
public final class Machine {
  private static final Path CPUS = Path.of("/sys/devices/system/cpu");

  private Machine() {}

  /** Two processors to measure on. */
  record Pair(int first, int second, String how) {
    String option() {
      return first + "," + second;
    }
  }

  /** What decides how fast an operation is beside a copy: the kind of processor and the Java. */
  static String key() {
    Map<String, String> cpu = cpuinfo();
    String kind =
        cpu.getOrDefault("vendor_id", System.getProperty("os.arch"))
            + "-"
            + cpu.getOrDefault("cpu family", "?")
            + "-"
            + cpu.getOrDefault("model", "?");
    return kind.replace(' ', '_') + " java-" + Runtime.version().feature();
  }

  /** {@return the kind of processor, how many, the Java and the load, as text} */
  public static String describe() {
    Map<String, String> cpu = cpuinfo();
    return String.format(
        Locale.ROOT,
        "%s (%s), %d processors, Java %s, load %.2f",
        cpu.getOrDefault("model name", System.getProperty("os.arch")),
        key(),
        allowed().size(),
        Runtime.version(),
        load());
  }

  /** {@return how many threads waited for a processor, over the last minute} */
  public static double load() {
    return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
  }

  /** {@return whether the processor has AVX-512, with which a CRC takes a third of the time} */
  public static boolean hasAvx512() {
    return (" " + cpuinfo().getOrDefault("flags", "") + " ").contains(" avx512f ");
  }

  private static Map<String, String> cpuinfo() {
    Map<String, String> all = new LinkedHashMap<>();
    for (String line : lines(Path.of("/proc/cpuinfo"))) {
      int colon = line.indexOf(':');
      if (colon > 0) {
        all.putIfAbsent(line.substring(0, colon).strip(), line.substring(colon + 1).strip());
      }
    }
    return all;
  }

  /** The processors that this process may use. */
  static Set<Integer> allowed() {
    for (String line : lines(Path.of("/proc/self/status"))) {
      if (line.startsWith("Cpus_allowed_list:")) {
        return list(line.substring(line.indexOf(':') + 1).strip());
      }
    }
    return Runtime.getRuntime().availableProcessors() > 1 ? Set.of(0, 1) : Set.of(0);
  }

  /** At most one pair that shares a core or a cache, and one that shares neither. */
  static List<Pair> pairs() {
    List<Integer> cpus = List.copyOf(new TreeSet<>(allowed()));
    List<Pair> pairs = new ArrayList<>();
    for (int i = 1; i < cpus.size() && pairs.size() < 2; i++) {
      String shared = shared(cpus.getFirst(), cpus.get(i));
      String how = shared.isEmpty() ? "far: they share no cache" : "near: they share " + shared;
      if (pairs.isEmpty() || !pairs.getFirst().how().substring(0, 3).equals(how.substring(0, 3))) {
        pairs.add(new Pair(cpus.getFirst(), cpus.get(i), how));
      }
    }
    return pairs;
  }

  private static String shared(int a, int b) {
    Path cpu = CPUS.resolve("cpu" + a);
    if (has(cpu.resolve("topology/thread_siblings_list"), b)) {
      return "a core";
    }
    for (int index = 0; Files.exists(cpu.resolve("cache/index" + index)); index++) {
      Path cache = cpu.resolve("cache/index" + index);
      if (has(cache.resolve("shared_cpu_list"), b)) {
        return "the cache of level " + String.join("", lines(cache.resolve("level")));
      }
    }
    return "";
  }

  private static boolean has(Path file, int cpu) {
    List<String> lines = lines(file);
    return !lines.isEmpty() && list(lines.getFirst()).contains(cpu);
  }

  /** Numbers as the kernel lists them: {@code 0-3,8}. */
  static Set<Integer> list(String text) {
    Set<Integer> all = new TreeSet<>();
    for (String part : text.split(",")) {
      if (!part.isBlank()) {
        String[] ends = part.strip().split("-");
        for (int i = Integer.parseInt(ends[0]); i <= Integer.parseInt(ends[ends.length - 1]); i++) {
          all.add(i);
        }
      }
    }
    return all;
  }

  private static List<String> lines(Path file) {
    try {
      return Files.isReadable(file) ? Files.readAllLines(file) : List.of();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
