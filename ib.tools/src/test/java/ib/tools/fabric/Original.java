package ib.tools.fabric;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Runs the tools of infiniband-diags over ibsim's protocol.
 *
 * @param dir for their output
 * @param port UDP port of the fabric's door
 * @param host the node that they run on
 */
record Original(Path dir, int port, String host) {
  private static final Path PRELOAD = Path.of("/usr/lib/x86_64-linux-gnu/umad2sim/libumad2sim.so");

  /** What a command has printed, and its exit status. */
  record Ran(int status, String out, String err) {}

  /** Skips the test where the tools are not installed. */
  static void assumeThere() {
    assumeTrue(Files.exists(PRELOAD), "no libumad2sim.so (package libumad2sim0)");
    assumeTrue(Files.exists(Path.of("/usr/sbin/smpquery")), "no infiniband-diags");
  }

  /** {@return a port that has 64 more above it} */
  static int freePort() throws IOException {
    try (DatagramSocket free = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
      return Math.min(free.getLocalPort(), 65_000);
    }
  }

  Ran run(String line) throws IOException, InterruptedException {
    List<String> words = new ArrayList<>(List.of(line.split(" ")));
    words.set(0, "/usr/sbin/" + words.getFirst());
    Path out = Files.createTempFile(dir, "out", ".txt");
    Path err = Files.createTempFile(dir, "err", ".txt");
    ProcessBuilder b = new ProcessBuilder(words).directory(dir.toFile());
    b.environment().put("LD_PRELOAD", PRELOAD.toString());
    b.environment().put("SIM_HOST", host);
    b.environment().put("IBSIM_SERVER_NAME", "127.0.0.1");
    b.environment().put("IBSIM_SERVER_PORT", String.valueOf(port));
    b.redirectError(err.toFile()).redirectOutput(out.toFile());
    Process p = b.start();
    if (!p.waitFor(5, TimeUnit.MINUTES)) {
      p.destroyForcibly().waitFor();
      throw new AssertionError(line + " has not ended");
    }
    return new Ran(p.exitValue(), Files.readString(out), Files.readString(err));
  }
}
