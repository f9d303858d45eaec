package ib.bench;

import ib.core.spi.DeviceRegistration;
import ib.core.spi.StandaloneCore;
import ib.core.verbs.EventType;
import ib.driver.soft.sm.BuiltinSm;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordingFile;

/**
 * How many calls of this project's methods, on how many threads, an unplug of an idle device with
 * five clients takes, and an event with one typed handler: counted by the flight recorder's method
 * trace, in plain Java. A count does not depend on what else the machine does.
 */
public final class Calls {
  private static final Duration SETTLED = Duration.ofMillis(500);

  private Calls() {}

  /** A time in which something happened. */
  private record Window(String what, Instant begin, Instant end) {}

  /**
   * Counts and prints.
   *
   * @param args none
   * @throws Exception any
   */
  public static void main(String[] args) throws Exception {
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
      windows = List.of(Scenes.unplug(), Scenes.event());
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

  private static void print(Window window, List<RecordedEvent> calls) {
    Map<String, Integer> packages = new TreeMap<>();
    Set<Long> threads = new HashSet<>();
    for (RecordedEvent e : calls) {
      if (e.getStartTime().isAfter(window.begin) && e.getStartTime().isBefore(window.end)) {
        RecordedMethod method = e.getValue("method");
        String type = method.getType().getName();
        packages.merge(type.substring(0, type.lastIndexOf('.')), 1, Integer::sum);
        threads.add(e.getThread().getId());
      }
    }
    int sum = packages.values().stream().mapToInt(Integer::intValue).sum();
    System.out.printf(
        "%s: %,d calls on %d threads %s%n", window.what, sum, threads.size(), packages);
  }

  /** What is traced; the classes of the project are loaded from here on. */
  private static final class Scenes {
    static Window unplug() {
      Unplug unplug = new Unplug();
      unplug.plug();
      Window window = window("unplug", unplug::unplug);
      unplug.close();
      return window;
    }

    static Window event() throws InterruptedException {
      StandaloneCore midlayer = StandaloneCore.create();
      Unplug.Node node = new Unplug.Node(BuiltinSm.newFabric(), "calls0", 0x02c9_0300_000c_0001L);
      CountDownLatch heard = new CountDownLatch(1);
      midlayer.core().registerClient(new EventListener(heard::countDown));
      DeviceRegistration registration = midlayer.drivers().register(node);
      node.dispatchEvent(EventType.PORT_ACTIVE, 1); // the device's thread is made
      heard.await();
      Window window = window("event", () -> node.dispatchEvent(EventType.PORT_ACTIVE, 1));
      registration.unregister();
      node.stop();
      midlayer.close();
      return window;
    }

    /** Nothing else happens before, and all that the action has begun ends within. */
    private static Window window(String what, Runnable action) {
      LockSupport.parkNanos(SETTLED.toNanos());
      Instant begin = Instant.now();
      action.run();
      LockSupport.parkNanos(SETTLED.toNanos());
      return new Window(what, begin, Instant.now());
    }
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
