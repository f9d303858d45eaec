package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/** The independent dissector: what it makes of a capture. Tests are skipped where it is absent. */
final class Tshark {
  private static final long SECONDS = 120;

  /** They take payload for a protocol that it is not; what is tested ends at the payload. */
  private static final List<String> PAYLOAD_GUESSES =
      List.of(
          "rpcordma", "smb_direct", "smc", "nvme-rdma", "lnet", "iser", "infiniband_sdp", "fcoib");

  private Tshark() {}

  /** Skips the calling test when there is no tshark on the path. */
  static void require() {
    boolean there =
        List.of(System.getenv("PATH").split(":", -1)).stream()
            .anyMatch(d -> Files.isExecutable(Path.of(d, "tshark")));
    Assumptions.assumeTrue(there, "needs tshark (Debian package tshark)");
  }

  /** The fields of each packet, by name; a field that it has not is empty. */
  static List<Map<String, String>> decode(Path file, String... fields)
      throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of(
                "tshark",
                "-n",
                "-r",
                file.toString(),
                "-o",
                "tcp.check_checksum:TRUE",
                "-o",
                "ip.check_checksum:TRUE"));
    for (String guess : PAYLOAD_GUESSES) {
      command.addAll(List.of("--disable-protocol", guess));
    }
    command.addAll(List.of("-T", "fields", "-E", "separator=|", "-E", "occurrence=f"));
    for (String field : fields) {
      command.addAll(List.of("-e", field));
    }
    List<Map<String, String>> rows = new ArrayList<>();
    for (String line : run(command).split("\n", -1)) {
      if (line.isEmpty()) {
        continue;
      }
      String[] values = line.split("\\|", -1);
      assertEquals(fields.length, values.length, line);
      Map<String, String> row = new HashMap<>();
      for (int i = 0; i < fields.length; i++) {
        row.put(fields[i], values[i]);
      }
      rows.add(row);
    }
    return rows;
  }

  private static String run(List<String> command) throws IOException, InterruptedException {
    Path errors = Files.createTempFile("tshark", ".err");
    Process process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
    process.getOutputStream().close();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertTrue(process.waitFor(SECONDS, TimeUnit.SECONDS), "tshark does not end");
    assertEquals(0, process.exitValue(), Files.readString(errors));
    Files.delete(errors);
    return out;
  }
}
