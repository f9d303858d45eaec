package ib.itests;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;
import static org.junit.Assume.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/**
 * A service that lives: {@code -Dib.soak.minutes=10} plugs, unplugs, sends and updates its driver
 * for so long, and heap, threads and descriptors stay flat. A cycle takes half a second, so ten
 * minutes have more of them than a night with one a minute. {@code -Dib.scale=5} runs ten minutes.
 */
public class SoakIT {
  private static final int MINUTES =
      Integer.getInteger("ib.soak.minutes", Integer.getInteger("ib.scale", 1) >= 5 ? 10 : 0);
  private static final int CYCLES_AT_ONCE = 10;
  private static final int UPDATE_EACH = 5; // of these
  private static final Pattern USED = Pattern.compile("used (\\d+)K");

  /** Both are beyond what a collection leaves by chance and what pools of threads vary by. */
  private static final int MAX_GROWTH_MIB = 16;

  private static final int MAX_MORE = 8;

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();
  private final Map<String, String> environment = new HashMap<>();
  private Folder folder;

  /** The state of the process after a full collection. */
  private record Sample(long heapMib, long threads, long descriptors) {}

  private Program ib(String... arguments) throws Exception {
    Program run = Program.ib(folder.home(), "", environment, arguments);
    assertEquals(run.out() + run.err(), 0, run.status());
    return run;
  }

  @Test
  public void u17HeapThreadsAndDescriptorsStayFlatWhileDevicesComeAndGo() throws Exception {
    assumeTrue("-Dib.soak.minutes=10 asks for it", MINUTES > 0);
    Path root = temporary.getRoot().toPath();
    folder = Folder.copy(root.resolve("ib"));
    environment.put("IB_RUN", root.resolve("run").toString());
    ib("start");
    List<Sample> samples = new ArrayList<>();
    long cycles = 0;
    try {
      long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(MINUTES);
      while (System.nanoTime() < end) {
        ib("exec", "--attach", cycle().repeat(CYCLES_AT_ONCE));
        cycles += CYCLES_AT_ONCE;
        if (cycles % (CYCLES_AT_ONCE * UPDATE_EACH) == 0) {
          updateDriver();
          samples.add(sample(Files.readString(root.resolve("run/pid")).strip()));
        }
      }
      ib("exec", "--attach", "ib:doctor");
      String violations = ib("exec", "--attach", "ib:violations -v").out();
      assertTrue(violations, violations.contains("no violations"));
    } finally {
      Program.ib(folder.home(), "", environment, "stop");
    }
    System.out.println("soak: " + cycles + " cycles, " + samples);
    assertFlat(samples);
  }

  @Test
  public void aLeakOfAThreadADescriptorOrHeapEachTenUpdatesIsSeen() {
    List<Sample> flat = new ArrayList<>();
    List<Sample> threads = new ArrayList<>();
    List<Sample> descriptors = new ArrayList<>();
    List<Sample> heap = new ArrayList<>();
    for (int update = 0; update < 140; update++) { // as many as ten minutes have
      flat.add(new Sample(10 + update % 3, 63 + update % 2, 47));
      threads.add(new Sample(10, 63 + update / 10, 47));
      descriptors.add(new Sample(10, 63, 47 + update / 10));
      heap.add(new Sample(10 + update / 5, 63, 47));
    }
    assertFlat(flat);
    for (List<Sample> leak : List.of(threads, descriptors, heap)) {
      assertThrows(AssertionError.class, () -> assertFlat(leak));
    }
  }

  private static String cycle() {
    return "ib:unplug soft1; ib:plug soft1; ibv_rc_pingpong -d soft0 -n 200 --no-warmup soft1; "
        + "ibv_ud_pingpong -d soft1 -n 50 --no-warmup soft0; ";
  }

  /** Puts the same driver into the folder again, and waits until both ports are active. */
  private void updateDriver() throws Exception {
    Path jar = folder.home().resolve("deploy/ib.driver.soft.jar");
    Path again = folder.home().resolve("again.jar");
    Files.copy(jar, again, StandardCopyOption.REPLACE_EXISTING);
    Files.setLastModifiedTime(again, FileTime.from(Instant.now()));
    int updates = updates();
    Files.move(again, jar, StandardCopyOption.REPLACE_EXISTING);
    long start = System.nanoTime();
    while (updates() == updates
        || !ib("exec", "--attach", "ib:doctor -j").out().contains("2 active")) {
      assertTrue("no update", System.nanoTime() - start < TimeUnit.SECONDS.toNanos(Await.HANG_S));
    }
  }

  private int updates() throws Exception {
    String log = Files.readString(temporary.getRoot().toPath().resolve("run/ib.log"));
    return log.split("ib.driver.soft is updated", -1).length;
  }

  private static Sample sample(String pid) throws Exception {
    String jcmd = System.getProperty("java.home") + "/bin/jcmd";
    Program.run(List.of(jcmd, pid, "GC.run"), "", Map.of());
    String heap = Program.run(List.of(jcmd, pid, "GC.heap_info"), "", Map.of()).out();
    Matcher used = USED.matcher(heap);
    assertTrue(heap, used.find());
    return new Sample(
        Long.parseLong(used.group(1)) / 1024,
        count(Path.of("/proc", pid, "task")),
        count(Path.of("/proc", pid, "fd")));
  }

  private static long count(Path folder) throws IOException {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.count();
    }
  }

  /** The last third is not above the first third, after the first sample, which warms up. */
  private static void assertFlat(List<Sample> samples) {
    assertTrue("only " + samples, samples.size() >= 4);
    List<Sample> settled = samples.subList(1, samples.size());
    Sample first = most(settled.subList(0, (settled.size() + 2) / 3));
    Sample last = most(settled.subList(settled.size() - (settled.size() + 2) / 3, settled.size()));
    String both = first + ", at the end " + last;
    assertTrue(both, last.heapMib <= first.heapMib + MAX_GROWTH_MIB);
    assertTrue(both, last.threads <= first.threads + MAX_MORE);
    assertTrue(both, last.descriptors <= first.descriptors + MAX_MORE);
  }

  private static Sample most(List<Sample> samples) {
    return new Sample(
        samples.stream().mapToLong(Sample::heapMib).max().orElseThrow(),
        samples.stream().mapToLong(Sample::threads).max().orElseThrow(),
        samples.stream().mapToLong(Sample::descriptors).max().orElseThrow());
  }
}
