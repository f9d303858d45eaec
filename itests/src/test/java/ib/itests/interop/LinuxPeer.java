package ib.itests.interop;

import static org.junit.Assume.assumeTrue;

import ib.itests.Program;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code ./ib peer}, see itests/peer/peer. */
final class LinuxPeer {
  /** Where it is reached. */
  static final String ADDRESS = "10.77.0.2";

  /** Where the runtime is reached. */
  static final String HERE = "10.77.0.1";

  /** Of the link; packets of 4096 bytes need 4176. */
  static final int LINK_MTU = Integer.getInteger("ib.peer.mtu", 9000);

  /** Whether it is asked for, and nothing else runs beside it. */
  static final boolean WANTED =
      Boolean.getBoolean("ib.interop") && Boolean.getBoolean("ib.interop.lane");

  private static final long BUILD_S = 900;
  private static final long START_S = 240;
  private static final long GROUP_S = 30;

  /** The common pool may have one thread, and these tasks wait for one another. */
  static final Executor BESIDE = task -> Thread.ofPlatform().daemon().start(task);

  private static final Logger LOG = LoggerFactory.getLogger(LinuxPeer.class);
  private static final Path SCRIPT = Path.of("peer/peer").toAbsolutePath();
  private static final String SENT_AGAIN =
      "/sys/class/infiniband/rxe0/ports/1/hw_counters/completer_retry_err";
  private final String kernel;
  private int marks;
  private volatile String sentAgain = "";
  private @Nullable Door door;

  LinuxPeer(String kernel) {
    this.kernel = kernel;
  }

  /**
   * {@return whether its perftest waits for both its queues on one channel: bookworm's 6.06, see
   * linux-rdma/perftest#127. It was seen standing still, everything acknowledged, after answers had
   * overtaken acknowledgements}
   */
  boolean oneChannel() {
    return kernel.equals("6.1");
  }

  /**
   * {@return whether its kernel sends what a member of a group sends that does not receive: none of
   * it leaves 6.12 and 7.3, as tcpdump sees there}
   */
  boolean sendsWithoutReceiving() {
    return kernel.equals("6.1");
  }

  /**
   * {@return whether its cmtime needs nothing but the connections that it measures: since rdma-core
   * 56 its ends meet by TCP first}
   */
  boolean cmtimeAlone() {
    return kernel.equals("6.1");
  }

  private ProcessBuilder builder(String... arguments) {
    List<String> command = new ArrayList<>(List.of(SCRIPT.toString()));
    command.addAll(Arrays.asList(arguments));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("IB_PEER_KERNEL", kernel);
    builder.environment().put("IB_PEER_MTU", Integer.toString(LINK_MTU));
    return builder;
  }

  /**
   * Boots it, unless it is up; skips the test, with the reason, where it cannot be had. {@return
   * whether it was booted, so that the caller stops it}
   */
  boolean start() {
    if (run(60, "status").status() == 0) {
      return false;
    }
    Program up = run(START_S, "start");
    if (up.err().contains("not built yet")) {
      Program built = run(BUILD_S, "build");
      assumeTrue(built.err().strip(), built.status() == 0);
      up = run(START_S, "start");
    }
    assumeTrue(up.err().strip(), up.status() == 0);
    return true;
  }

  /** Runs a subcommand to its end. */
  Program run(long seconds, String... arguments) {
    ProcessBuilder builder = builder(arguments);
    List<String> command = builder.command();
    try {
      Process process = builder.redirectInput(ProcessBuilder.Redirect.from(NOTHING)).start();
      CompletableFuture<String> out = text(process.getInputStream());
      CompletableFuture<String> err = text(process.getErrorStream());
      if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new AssertionError(command + " did not end within " + seconds + " s");
      }
      return new Program(process.exitValue(), out.join(), err.join());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  private static final java.io.File NOTHING = new java.io.File("/dev/null");

  private static CompletableFuture<String> text(InputStream stream) {
    return CompletableFuture.supplyAsync(
        () -> {
          try (stream) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        },
        BESIDE);
  }

  /** Opens the way to its agent; it is up. */
  void open(Path socket) {
    door = new Door(builder("door", socket.toString()), socket);
  }

  /** Closes it again, and tells of what was lost on the way there: a queue was too short. */
  void close() {
    if (door != null) {
      long lost = door.lost();
      if (lost > 0) {
        LOG.warn("the link has lost {} packets to the peer", lost);
      }
      door.close();
      door = null;
    }
  }

  private Door door() {
    if (door == null) {
      throw new AssertionError("the lane runs as a part of InteropIT");
    }
    return door;
  }

  /**
   * Runs a program there; after a minute or two it is ended. What rdma_rxe had sent again until
   * then is kept: see {@link #hasSentAgain}.
   */
  Program exec(String line) {
    long seconds = Matrix.FULL ? 110 : 60;
    String counted = "read -r n <" + SENT_AGAIN + "; echo $n; ";
    Program run = door().exec(seconds + 30, counted + "exec timeout " + seconds + " " + line);
    int end = run.out().indexOf('\n') + 1;
    sentAgain = run.out().substring(0, end);
    return new Program(run.status(), run.out().substring(end), run.err());
  }

  /** {@return whether rdma_rxe has sent anything again since the last program began} */
  boolean hasSentAgain() {
    return !must("cat " + SENT_AGAIN).equals(sentAgain);
  }

  /** Runs a line of shell there that must succeed. */
  String must(String line) {
    Program run = door().exec(90, line);
    if (run.status() != 0) {
      throw new AssertionError(line + ": " + run);
    }
    return run.out();
  }

  /** Runs a script there that must succeed. */
  String script(String name, String text) throws IOException {
    Path here = Files.createTempFile(name, ".sh");
    try {
      Files.writeString(here, text);
      run(30, "put", here.toString(), "/tmp/" + name);
    } finally {
      Files.delete(here);
    }
    return must("bash /tmp/" + name);
  }

  /** Writes a mark into the kernel's log there; {@return the mark} */
  String markKernelLog() {
    String mark = "ib-itests: mark " + ++marks;
    must("echo '" + mark + "' >/dev/kmsg");
    return mark;
  }

  /**
   * {@return what the kernel there has logged since a mark; all that it still has when the mark is
   * gone, because its log has room for the latest lines only}
   */
  List<String> kernelLogSince(String mark) {
    String log = must("dmesg");
    int at = log.lastIndexOf(mark);
    return (at < 0 ? log : log.substring(at + mark.length())).lines().toList();
  }

  /**
   * Sends a signal to all processes of a program there, if there are any. By nothing but the shell:
   * each process that the loaded peer starts for it would take long, and its image has no pkill.
   */
  void signal(String signal, String program) {
    must(
        "for p in /proc/[0-9]*; do { read -r c <$p/comm; } 2>/dev/null && [ $c = "
            + program
            + " ] && kill -"
            + signal
            + " ${p#/proc/}; done; true");
  }

  /** Waits until somebody listens there. */
  void awaitListener(int port) {
    Program seen = door().awaitListener(60, port);
    if (seen.status() != 0) {
      throw new AssertionError("nobody listens on port " + port + " there: " + seen);
    }
  }

  /** Waits until somebody listens here, in the namespace; without connecting. */
  void awaitListenerHere(int port) {
    door().awaitListenerHere(port);
  }

  /** {@return whether the namespace's kernel is in a multicast group} */
  boolean isInGroupHere(String address) {
    String[] bytes = address.split("\\.");
    StringBuilder text = new StringBuilder();
    for (int i = bytes.length - 1; i >= 0; i--) {
      text.append(String.format("%02X", Integer.parseInt(bytes[i])));
    }
    return door().groups().stream().anyMatch(line -> line.contains(text));
  }

  /** Waits until the namespace's kernel is in a multicast group. */
  void awaitGroupHere(String address) {
    long start = System.nanoTime();
    while (!isInGroupHere(address)) {
      if (System.nanoTime() - start > TimeUnit.SECONDS.toNanos(GROUP_S)) {
        throw new AssertionError("no member of " + address);
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
    }
  }

  /** {@return how many packets have gone there} */
  long sentThere() {
    return door().sent();
  }

  /** {@return the words before a command that is to run in the namespace} */
  static List<String> host() {
    return List.of(SCRIPT.toString(), "host");
  }
}
