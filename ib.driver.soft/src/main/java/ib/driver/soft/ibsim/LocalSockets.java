package ib.driver.soft.ibsim;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The bound UDP ports of this host, where the host lists them (Linux): a client that was killed
 * does not disconnect, and without traffic to it no send fails.
 */
final class LocalSockets {
  private static final List<Path> TABLES =
      List.of(Path.of("/proc/net/udp"), Path.of("/proc/net/udp6"));
  private static final long FRESH_NS = 100_000_000L;

  private Set<Integer> bound = Set.of();
  private Set<Integer> boundBefore = Set.of(); // a table that changes while it is read has gaps
  private boolean told;
  private long readBeforeNs = System.nanoTime();
  private long readNs = System.nanoTime() - FRESH_NS;

  LocalSockets() {}

  /** {@return whether the client that had a port at {@code sinceNs} may still have it} */
  boolean bound(int port, long sinceNs, long nowNs) {
    if (nowNs - readNs >= FRESH_NS) {
      readBeforeNs = readNs;
      readNs = nowNs;
      boundBefore = bound;
      read();
    }
    return !told
        || readBeforeNs - sinceNs <= 0
        || bound.contains(port)
        || boundBefore.contains(port);
  }

  private void read() {
    Set<Integer> found = new HashSet<>();
    told = false;
    for (Path table : TABLES) {
      try {
        for (String line : Files.readAllLines(table)) {
          String[] words = line.trim().split("\\s+", 3);
          int colon = words.length > 1 ? words[1].lastIndexOf(':') : -1;
          if (colon > 0 && !line.contains("local_address")) {
            found.add(Integer.parseInt(words[1].substring(colon + 1), 16));
          }
        }
        told = true;
      } catch (IOException e) {
        told |= false; // no such table here
      }
    }
    bound = found;
  }
}
