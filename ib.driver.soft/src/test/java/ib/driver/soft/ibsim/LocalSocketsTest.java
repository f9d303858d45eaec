package ib.driver.soft.ibsim;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("reference 4.2: a client that was killed is found by its socket being gone")
final class LocalSocketsTest {
  private static final long STEP_NS = TimeUnit.MILLISECONDS.toNanos(200);

  @Test
  @DisplayName("who is missing in one look only is still there: the host's table has gaps")
  void twice() throws Exception {
    assumeTrue(Files.exists(Path.of("/proc/net/udp")), "no /proc/net/udp");
    LocalSockets sockets = new LocalSockets();
    long since = System.nanoTime();
    long now = since;
    int port;
    try (DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
      for (int look = 0; look < 4; look++) {
        now += STEP_NS;
        assertTrue(sockets.bound(port, since, now));
      }
    }
    now += STEP_NS;
    assertTrue(sockets.bound(port, since, now), "missed once");
    now += STEP_NS;
    assertFalse(sockets.bound(port, since, now), "missed twice");
  }
}
