package ib.cm;

import ib.core.verbs.AnyContext;
import ib.core.verbs.IbExistsException;
import java.net.InetAddress;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The local ports of the connections that the programs of a midlayer have begun. No two connections
 * to the same destination have the same local port, so that address and port tell peers apart at
 * the destination; connections to different destinations may share one, as with Linux (RD-5). A
 * port is taken until the connection is closed.
 *
 * <p>Any thread may call. The monitor of this object guards the set; no other lock is taken inside.
 */
public final class LocalPorts {
  private static final int FIRST = 32_768; // Linux's net.ipv4.ip_local_port_range
  private static final int LAST = 60_999;

  private final Set<LocalPort> taken = new HashSet<>();

  /** Creates a book of no ports. */
  public LocalPorts() {}

  /**
   * A port that is taken.
   *
   * @param serviceId the destination's service: port space and port
   * @param destination the destination's address; null when it is unknown
   * @param port the local port, 1 to 65535
   */
  public record LocalPort(long serviceId, @Nullable InetAddress destination, int port) {}

  /**
   * {@return the ports that programs do not choose themselves, 32768 to 60999, in turn from a
   * random one on}
   */
  @AnyContext
  public static IntStream candidates() {
    int count = LAST - FIRST + 1;
    int start = ThreadLocalRandom.current().nextInt(count);
    return IntStream.range(start, start + count).map(i -> FIRST + i % count);
  }

  /**
   * Takes a port for a connection.
   *
   * @param serviceId the destination's service: port space and port
   * @param destination the destination's address; null when it is unknown
   * @param wanted the port, 1 to 65535; 0 for any of {@link #candidates} that is free
   * @return give it back with {@link #release}
   * @throws IbExistsException when another connection to the destination has the port, or when all
   *     28,232 are taken
   */
  public LocalPort take(long serviceId, @Nullable InetAddress destination, int wanted) {
    IntStream from = wanted == 0 ? candidates() : IntStream.of(wanted);
    synchronized (this) {
      return from.mapToObj(port -> new LocalPort(serviceId, destination, port))
          .filter(taken::add)
          .findFirst()
          .orElseThrow(() -> inUse(wanted));
    }
  }

  private static IbExistsException inUse(int wanted) {
    return wanted == 0
        ? new IbExistsException(
            "local port",
            "each of " + FIRST + " to " + LAST + " has a connection to this destination",
            "close connections, or choose a port below " + FIRST + " with RdmaOptions.from")
        : new IbExistsException(
            "local port " + wanted,
            "another connection to this destination has it",
            "0 for any free port");
  }

  /** Gives a port back; does nothing when that was done. */
  public synchronized void release(LocalPort port) {
    taken.remove(port);
  }
}
