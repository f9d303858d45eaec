package ib.bench;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordingFile;
import org.slf4j.LoggerFactory;

/**
 * How many calls of this project's methods, of how many classes, on how many threads and how deep
 * in each other, each of {@link CallScenes} takes: counted by the flight recorder's method trace,
 * in plain Java. A count does not depend on what else the machine does.
 */
public final class Calls {
  private Calls() {}

  /** A time in which something happened. */
  record Window(String what, Instant begin, Instant end) {}

  /**
   * Counts and prints.
   *
   * @param args none
   * @throws Exception any
   */
  public static void main(String[] args) throws Exception {
    ((Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME)).setLevel(Level.WARN);
    Path file = Files.createTempFile("calls", ".jfr");
    List<Window> windows;
    // from the start: classes are woven when they are loaded
    try (Recording recording = new Recording()) {
      recording
          .enable("jdk.MethodTrace")
          .with("filter", String.join(";", classes()))
          .withThreshold(Duration.ZERO)
          .withoutStackTrace();
      recording.start();
      windows = CallScenes.play();
      recording.stop();
      recording.dump(file);
      List<RecordedEvent> calls =
          RecordingFile.readAllEvents(file).stream()
              .filter(e -> e.getEventType().getName().equals("jdk.MethodTrace"))
              .toList();
      windows.forEach(w -> print(w, calls));
    } finally {
      Files.delete(file);
    }
  }

  private static void print(Window window, List<RecordedEvent> all) {
    Map<String, Integer> packages = new TreeMap<>();
    Set<String> types = new HashSet<>();
    Map<Long, List<RecordedEvent>> threads = new HashMap<>();
    int calls = 0;
    for (RecordedEvent e : all) {
      if (e.getStartTime().isAfter(window.begin) && e.getStartTime().isBefore(window.end)) {
        calls++;
        String type = e.<RecordedMethod>getValue("method").getType().getName();
        types.add(type);
        packages.merge(type.substring(0, type.lastIndexOf('.')), 1, Integer::sum);
        threads.computeIfAbsent(e.getThread().getId(), id -> new ArrayList<>()).add(e);
      }
    }
    int depth = threads.values().stream().mapToInt(Calls::depth).max().orElse(0);
    System.out.printf(
        "%s: %,d calls of %d classes on %d threads, at most %d deep %s%n",
        window.what, calls, types.size(), threads.size(), depth, packages);
  }

  /** {@return how many calls of one thread are in each other at most} */
  private static int depth(List<RecordedEvent> calls) {
    calls.sort(
        Comparator.comparing(RecordedEvent::getStartTime)
            .thenComparing(RecordedEvent::getEndTime, Comparator.reverseOrder()));
    Deque<Instant> ends = new ArrayDeque<>();
    int most = 0;
    for (RecordedEvent e : calls) {
      while (!ends.isEmpty() && ends.peek().isBefore(e.getEndTime())) {
        ends.pop();
      }
      ends.push(e.getEndTime());
      most = Math.max(most, ends.size());
    }
    return most;
  }

  /** The names of this project's classes on the class path; those of the benches are left out. */
  private static List<String> classes() throws IOException {
    List<String> names = new ArrayList<>();
    for (String place : System.getProperty("java.class.path").split(File.pathSeparator)) {
      Path path = Path.of(place);
      if (path.toString().endsWith(".jar")) {
        try (JarFile jar = new JarFile(path.toFile())) {
          jar.stream().forEach(e -> add(names, e.getName()));
        }
      } else if (Files.isDirectory(path)) {
        try (Stream<Path> files = Files.walk(path)) {
          files.forEach(f -> add(names, path.relativize(f).toString()));
        }
      }
    }
    return names;
  }

  private static void add(List<String> names, String entry) {
    if (entry.startsWith("ib/") && !entry.startsWith("ib/bench/") && entry.endsWith(".class")) {
      names.add(entry.substring(0, entry.length() - ".class".length()).replace('/', '.'));
    }
  }
}
