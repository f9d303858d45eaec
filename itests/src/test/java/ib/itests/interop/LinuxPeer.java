package ib.itests.interop;

import ib.itests.Program;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/** {@code ./ib peer}, see itests/peer/peer. */
final class LinuxPeer {
  /** Where it is reached. */
  static final String ADDRESS = "10.77.0.2";

  /** Where the runtime is reached. */
  static final String HERE = "10.77.0.1";

  /** Of the link; packets of 4096 bytes need 4176. */
  static final int LINK_MTU = Integer.getInteger("ib.peer.mtu", 9000);

  /** The common pool may have one thread, and these tasks wait for one another. */
  static final Executor BESIDE = task -> Thread.ofPlatform().daemon().start(task);

  private static final Path SCRIPT = Path.of("peer/peer").toAbsolutePath();
  private static final String SENT_AGAIN =
      "/sys/class/infiniband/rxe0/ports/1/hw_counters/completer_retry_err";
  private final String kernel;
  private volatile String sentAgain = "";

  LinuxPeer(String kernel) {
    this.kernel = kernel;
  }

  /** Runs a subcommand to its end. */
  Program run(long seconds, String... arguments) {
    List<String> command = new ArrayList<>(List.of(SCRIPT.toString()));
    command.addAll(Arrays.asList(arguments));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("IB_PEER_KERNEL", kernel);
    builder.environment().put("IB_PEER_MTU", Integer.toString(LINK_MTU));
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

  /**
   * Runs a program there; after a minute or two it is ended. What rdma_rxe had sent again until
   * then is kept: see {@link #hasSentAgain}.
   */
  Program exec(String line) {
    long seconds = Matrix.FULL ? 110 : 60;
    Program run =
        run(seconds + 30, "exec", "cat " + SENT_AGAIN + "; timeout " + seconds + " " + line);
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
    Program run = run(90, "exec", line);
    if (run.status() != 0) {
      throw new AssertionError(line + ": " + run);
    }
    return run.out();
  }

  /** Waits until somebody listens there. */
  void awaitListener(int port) {
    Program seen = run(60, "await", Integer.toString(port));
    if (seen.status() != 0) {
      throw new AssertionError("nobody listens on port " + port + " there: " + seen);
    }
  }

  /** Waits until somebody listens here, in the namespace; without connecting. */
  void awaitListenerHere(int port) {
    String entry = String.format(":%04X 0{8,}:0000 0A ", port);
    Program seen =
        run(
            60,
            "host",
            "sh",
            "-c",
            "for i in $(seq 300); do grep -Eq '"
                + entry
                + "' /proc/net/tcp /proc/net/tcp6 && exit 0; sleep 0.1; done; exit 1");
    if (seen.status() != 0) {
      throw new AssertionError("nobody listens on port " + port);
    }
  }

  /** {@return the words before a command that is to run in the namespace} */
  static List<String> host() {
    return List.of(SCRIPT.toString(), "host");
  }
}
