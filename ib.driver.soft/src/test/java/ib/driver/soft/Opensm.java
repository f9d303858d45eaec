package ib.driver.soft;

import java.io.IOException;
import java.net.DatagramSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/** Management software of the host, started at a node behind the door and ended by its process. */
public final class Opensm implements AutoCloseable {
  private static final List<Path> PRELOADS =
      List.of(
          Path.of("/usr/lib/x86_64-linux-gnu/umad2sim/libumad2sim.so"),
          Path.of("/usr/lib/aarch64-linux-gnu/umad2sim/libumad2sim.so"),
          Path.of("/usr/lib64/umad2sim/libumad2sim.so"));
  private static final Path OPENSM = Path.of("/usr/sbin/opensm");

  private static final int TAIL = 2000;

  /** The port of C ibsim, and one for each of its clients. */
  static final int IBSIM_PORTS = 11;

  private static final int FIRST_PORT = 12_000;
  private static final int PORT_BLOCKS = 1_500;
  private static final int MAX_PORT_TRIES = 100;

  /** The JVMs of a build begin at different places. */
  private static final AtomicInteger NEXT =
      new AtomicInteger((int) (ProcessHandle.current().pid() * 97 % PORT_BLOCKS));

  private final Process process;
  private final Path directory;

  private Opensm(Process process, Path directory) {
    this.process = process;
    this.directory = directory;
  }

  /** {@return why it cannot run here, or empty} */
  public static Optional<String> missing() {
    if (!Files.isExecutable(OPENSM)) {
      return Optional.of("no " + OPENSM + " (package opensm)");
    }
    if (!Files.isExecutable(Path.of("/usr/sbin/ibnetdiscover"))) {
      return Optional.of("no /usr/sbin/ibnetdiscover (package infiniband-diags)");
    }
    return preload().isEmpty()
        ? Optional.of("no libumad2sim.so (package libumad2sim0)")
        : Optional.empty();
  }

  private static Optional<Path> preload() {
    return PRELOADS.stream().filter(Files::exists).findFirst();
  }

  private static ProcessBuilder builder(int port, String node, Path dir, List<String> command) {
    ProcessBuilder b = new ProcessBuilder(command).directory(dir.toFile());
    Map<String, String> env = b.environment();
    env.put("LD_PRELOAD", preload().orElseThrow().toString());
    env.put("SIM_HOST", node);
    env.put("IBSIM_SERVER_NAME", "127.0.0.1");
    env.put("IBSIM_SERVER_PORT", String.valueOf(port));
    env.put("OSM_TMP_DIR", dir.toString());
    env.put("OSM_CACHE_DIR", dir.toString());
    return b;
  }

  /**
   * Starts an OpenSM at a node. It writes each line of its log at once: otherwise SUBNET UP, which
   * it takes for no error, stays in its memory until the next error or 4 KiB more, so for ever when
   * the last trap has come before.
   */
  public static Opensm start(int port, String node, Path dir, String... options)
      throws IOException {
    List<String> command = new ArrayList<>(List.of(OPENSM.toString()));
    command.addAll(List.of("-e", "-d", "2", "-f", dir.resolve("osm.log").toString()));
    command.addAll(List.of(options));
    Process p =
        builder(port, node, dir, command)
            .redirectErrorStream(true)
            .redirectOutput(dir.resolve("osm.out").toFile())
            .start();
    return new Opensm(p, dir);
  }

  /** Runs a tool at a node and gives what it prints. */
  static String tool(int port, String node, Path dir, String... command)
      throws IOException, InterruptedException {
    Path out = Files.createTempFile(dir, "tool", ".txt");
    List<String> words = new ArrayList<>(List.of(command));
    words.set(0, "/usr/sbin/" + words.getFirst());
    Process p =
        builder(port, node, dir, words)
            .redirectErrorStream(true)
            .redirectOutput(out.toFile())
            .start();
    if (!p.waitFor(5, TimeUnit.MINUTES)) {
      p.destroyForcibly().waitFor();
      throw new AssertionError(words + " has not ended: " + Files.readString(out));
    }
    return Files.readString(out, StandardCharsets.UTF_8);
  }

  /** {@return what tshark prints of the packets of a capture that a filter lets pass} */
  public static String tshark(Path dir, Path file, String filter)
      throws IOException, InterruptedException {
    Path out = Files.createTempFile(dir, "tshark", ".txt");
    Process p =
        new ProcessBuilder("/usr/bin/tshark", "-r", file.toString(), "-Y", filter)
            .redirectError(dir.resolve("tshark.err").toFile())
            .redirectOutput(out.toFile())
            .start();
    if (!p.waitFor(5, TimeUnit.MINUTES)) {
      p.destroyForcibly().waitFor();
      throw new AssertionError("tshark has not ended");
    }
    return Files.readString(out, StandardCharsets.UTF_8);
  }

  String log() throws IOException {
    Path log = directory.resolve("osm.log");
    return Files.exists(log) ? Files.readString(log, StandardCharsets.UTF_8) : "";
  }

  /** {@return whether its log says something} */
  boolean logs(String text) {
    try {
      return log().contains(text);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private String tail() {
    try {
      String all = log();
      return all.substring(Math.max(0, all.length() - TAIL));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  /** Waits for the end of its first sweep. */
  public void awaitUp() {
    awaitUp(300);
  }

  /** Waits for the end of its first sweep, so many seconds at most. */
  void awaitUp(int seconds) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    while (!logs("SUBNET UP")) {
      if (System.nanoTime() > end || !alive()) {
        throw new AssertionError((alive() ? "no SUBNET UP: " : "it has ended: ") + tail());
      }
      LockSupport.parkNanos(1_000_000);
    }
  }

  /**
   * {@return a UDP port that is free, as are the next {@link #IBSIM_PORTS} - 1, of which C ibsim
   * has one for each client}; below the ports from which a system takes those of sockets without
   * one, so that no such socket takes it meanwhile
   */
  public static int freePort() {
    for (int tries = 0; tries < MAX_PORT_TRIES; tries++) {
      int port = FIRST_PORT + IBSIM_PORTS * (NEXT.getAndIncrement() % PORT_BLOCKS);
      if (IntStream.range(port, port + IBSIM_PORTS).allMatch(Opensm::isFree)) {
        return port;
      }
    }
    throw new AssertionError("no " + IBSIM_PORTS + " free UDP ports from " + FIRST_PORT);
  }

  private static boolean isFree(int port) {
    try (DatagramSocket s = new DatagramSocket(port)) {
      return s.isBound();
    } catch (IOException e) {
      return false; // in use
    }
  }

  boolean alive() {
    return process.isAlive();
  }

  /** Ends it as {@code kill -9} does. */
  public void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** Tells it to read its files again. */
  void reload() throws IOException, InterruptedException {
    signal("HUP");
  }

  /** Sends it a signal. */
  void signal(String name) throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid())).start().waitFor();
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(5, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
