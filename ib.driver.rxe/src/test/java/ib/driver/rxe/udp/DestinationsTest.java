package ib.driver.rxe.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("issue 13, point 5: a peers' table that does not evict")
final class DestinationsTest {
  private static final long FOUR = 0xffff_0000_0000L;
  private static final int PEERS = 1_000;
  private static final int STRANGERS = 200_000;

  private final Destinations peers =
      new Destinations(UdpOptions.Gso.AUTO, UdpOptions.ROCE_PORT, 0, new UdpCounters());
  private final Random random = new Random(5);

  private long low() {
    return FOUR | random.nextInt() & 0xffff_ffffL;
  }

  @Test
  @DisplayName("1,000 random peers: each keeps its object, and to find it allocates nothing")
  void kept() {
    List<Destinations.Destination> all = new ArrayList<>();
    for (int i = 0; i < PEERS; i++) {
      all.add(peers.get(0, low()));
    }
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long least = Long.MAX_VALUE;
    for (int round = 0; round < 5; round++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < PEERS; i++) {
        Destinations.Destination each = all.get(i);
        if (!peers.get(each.high(), each.low()).equals(each)) {
          throw new AssertionError("peer " + i + " was evicted");
        }
      }
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    assertTrue(least < PEERS, least + " bytes");
    assertSame(all.get(7), peers.known(all.get(7).high(), all.get(7).low()));
  }

  @Test
  @DisplayName("200,000 strangers: the table stays bounded, and takes peers as before")
  void bounded() {
    for (int i = 0; i < STRANGERS; i++) {
      peers.get(0, low());
    }
    assertEquals(1 << 14, peers.places());
    Destinations.Destination last = peers.get(0, FOUR | 1);
    assertSame(last, peers.get(0, FOUR | 1));
  }

  @Test
  @DisplayName("four threads that enter the same peers: each is found by all afterwards")
  void threads() throws Exception {
    List<Thread> all = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      all.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    for (int round = 0; round < 20; round++) {
                      for (int i = 0; i < PEERS; i++) {
                        peers.get(0, FOUR | i * 0x10001L);
                      }
                    }
                  }));
    }
    for (Thread t : all) {
      t.join();
    }
    for (int i = 0; i < PEERS; i++) {
      assertNotNull(peers.known(0, FOUR | i * 0x10001L), "peer " + i);
    }
  }
}
