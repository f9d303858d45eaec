package ib.ulp.ipoib;

import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.ulp.ipoib.link.Host;
import ib.ulp.ipoib.link.Link;
import ib.ulp.ipoib.link.LinkConfig;
import ib.ulp.ipoib.loop.Loop;
import ib.ulp.ipoib.net.Backend;
import ib.ulp.ipoib.net.NetIf;
import ib.ulp.ipoib.testing.Lab;
import ib.ulp.ipoib.wire.Ip;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("issue 13, point 6: a packet passes the threads of the two interfaces and no other")
@Timeout(600)
class WakeTest {
  private static final long PATIENCE_NS = 600_000_000_000L;
  private static final Ip PEER = Ip.parse("10.96.0.2");
  private static final int PINGS = 500;

  private final Map<String, Integer> wakers = new ConcurrentHashMap<>();

  /** The stack in this JVM, which notes which threads wake its loop. */
  private Backend noting() {
    Backend plain = Backend.inJvm();
    Loop.Sleeper sleeper = plain.sleeper();
    return new Backend() {
      @Override
      public Loop.Sleeper sleeper() {
        return new Loop.Sleeper() {
          @Override
          public void sleep(long nanos) {
            sleeper.sleep(nanos);
          }

          @Override
          public void wake() {
            wakers.merge(Thread.currentThread().getName(), 1, Integer::sum);
            sleeper.wake();
          }
        };
      }

      @Override
      public Host attach(Link link) {
        return plain.attach(link);
      }

      @Override
      public void close() {
        plain.close();
      }
    };
  }

  private int wakes(String start) {
    return wakers.entrySet().stream()
        .filter(e -> e.getKey().startsWith(start))
        .mapToInt(Map.Entry::getValue)
        .sum();
  }

  @ParameterizedTest(name = "connected: {0}")
  @ValueSource(booleans = {false, true})
  @DisplayName("the sender's thread wakes the receiver's; completion vectors sleep on")
  void sender(boolean connected) throws Exception {
    LinkConfig config = LinkConfig.DEFAULT.withConnected(connected);
    try (Lab lab = new Lab(2, config, name -> noting())) {
      NetIf a = lab.stack("ib0");
      a.address(Ip.parse("10.96.0.1"), 24);
      lab.stack("ib1").address(PEER, 24);
      lab.up("ib0");
      lab.up("ib1");
      assertTrue(a.ping(PEER, 56, PATIENCE_NS).get() > 0);
      if (connected) {
        Lab.await(
            () -> lab.device("ib0").connections().toString().contains("ESTABLISHED"), "connection");
        assertTrue(a.ping(PEER, 56, PATIENCE_NS).get() > 0);
      }
      wakers.clear();
      for (int i = 0; i < PINGS; i++) {
        assertTrue(a.ping(PEER, 56, PATIENCE_NS).get() > 0);
      }
      assertTrue(wakes("ipoib-ib") > PINGS / 2, wakers::toString);
      assertTrue(wakes("ib-") < PINGS / 10, wakers::toString);
    }
  }
}
