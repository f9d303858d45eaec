package ib.bench.net;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import ib.bench.Pin;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A JVM that holds ends: does what its standard input says, a line at a time, and answers. */
final class Child {
  private static final OperatingSystemMXBean SYSTEM =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final Map<String, Half> halves = new HashMap<>();
  private final AtomicBoolean stop = new AtomicBoolean();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private @Nullable Thread server;
  private long cpuNs;
  private long allocated;
  private long switches;
  private final AtomicLong ended = new AtomicLong(); // voluntary switches of the server's threads

  private Child() {}

  /** Ends when its input ends. */
  public static void main(String[] args) throws IOException {
    PrintStream answers = System.out;
    System.setOut(System.err);
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    Pin.off();
    Child child = new Child();
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String answer;
      try {
        answer = child.perform(line.split(" "));
      } catch (Exception | Error e) {
        e.printStackTrace();
        answer = "! " + e;
      }
      answers.println(answer);
      answers.flush();
    }
    System.exit(0); // what hangs does not hold it up
  }

  private String perform(String[] words) throws Exception {
    return switch (words[0]) {
      case "open" -> {
        Half half = Spec.parse(words, 3).open(words[2].equals("server"));
        halves.put(words[1], half);
        yield half.about();
      }
      case "connect" -> {
        half(words).connect(words[2]);
        yield "ok";
      }
      case "serve" -> serve(half(words));
      case "drive" -> drive(half(words), Long.parseLong(words[2]));
      case "halt" -> halt();
      case "close" -> {
        half(words).close();
        halves.remove(words[1]);
        yield "ok";
      }
      case "crc" -> String.valueOf(Crc.perPacketNs(Long.parseLong(words[1])));
      case "memory" -> Memory.ofQueuePairs(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
      case "flag" -> String.valueOf(Flag.roundTripNs(Long.parseLong(words[1])));
      default -> throw new IllegalArgumentException(words[0]);
    };
  }

  private Half half(String[] words) {
    Half half = halves.get(words[1]);
    if (half == null) {
      throw new IllegalArgumentException("no " + words[1]);
    }
    return half;
  }

  private String serve(Half half) {
    stop.set(false);
    begin();
    server =
        Thread.ofPlatform()
            .name("server")
            .start(
                () -> {
                  try {
                    Pin.to(1);
                    half.serve(stop::get);
                  } catch (RuntimeException | Error e) {
                    failure.set(e);
                  } finally {
                    ended.addAndGet(Switches.mine());
                  }
                });
    return "ok";
  }

  private void begin() {
    switches = Switches.voluntary() + ended.get();
    cpuNs = SYSTEM.getProcessCpuTime();
    allocated = THREADS.getTotalThreadAllocatedBytes();
  }

  /** CPU time, bytes allocated and voluntary context switches since the beginning. */
  private String spent() {
    return (SYSTEM.getProcessCpuTime() - cpuNs)
        + " "
        + (THREADS.getTotalThreadAllocatedBytes() - allocated)
        + " "
        + (Switches.voluntary() + ended.get() - switches);
  }

  private String drive(Half half, long ms) {
    begin();
    Pin.to(0);
    long start = System.nanoTime();
    long sent = half.sent();
    long cut = half.cut();
    long n = half.drive(start + ms * 1_000_000);
    long ns = System.nanoTime() - start;
    Pin.off();
    return String.join(
        " ", "" + n, "" + ns, spent(), "" + (half.sent() - sent), "" + (half.cut() - cut));
  }

  private String halt() throws InterruptedException {
    stop.set(true);
    Thread t = server;
    if (t != null) {
      t.join();
    }
    Throwable why = failure.getAndSet(null);
    if (why != null) {
      throw new IllegalStateException("the server failed", why);
    }
    return spent();
  }
}
