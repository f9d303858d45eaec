package ib.cm.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.testing.HeapHistogram;
import ib.core.verbs.IbDevice;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What an idle connection takes. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class IdleTest {
  private static final int CONNECTIONS = 1_000;

  /** A connection without its queue pair, which is the driver's: half of what API-10 allows. */
  private static final int MAX_BYTES = 4 * 1024;

  @Test
  @DisplayName("API-10: an idle connection takes at most 8 KiB of heap at each end, and no thread")
  void small() throws Exception {
    Pool mine = new Pool(QpType.RC);
    Pool theirs = new Pool(QpType.RC);
    try (World world = new World()) {
      RdmaHandler closes =
          new RdmaHandler() {
            @Override
            public void ended(RdmaConnection c, RdmaEnd how) {
              c.close();
            }
          };
      RdmaListener listener =
          world.server.listen(
              new InetSocketAddress(0),
              PortSpace.TCP,
              0,
              request -> request.accept(RdmaOptions.rc(), theirs, closes));
      List<RdmaConnection> made = new ArrayList<>();
      made.add(world.client.connect(world.at(listener), RdmaOptions.rc(), mine)); // classes load
      int threads = Thread.getAllStackTraces().size();
      HeapHistogram before = HeapHistogram.now();
      for (int i = 0; i < CONNECTIONS; i++) {
        made.add(world.client.connect(world.at(listener), RdmaOptions.rc(), mine));
      }
      HeapHistogram added = HeapHistogram.now().minus(before);
      long each = added.sum(name -> true).bytes() / (2 * CONNECTIONS);
      List<String> most = new ArrayList<>();
      added
          .classes()
          .forEach(
              (name, size) -> {
                long of = size.bytes() / (2 * CONNECTIONS);
                if (of > 15) {
                  most.add(String.format("%5d %s", of, name));
                }
              });
      most.sort(Comparator.reverseOrder());
      long own = each - queuePair(world);
      assertTrue(
          own > 500 && own <= MAX_BYTES,
          own + " of " + each + " bytes:\n" + String.join("\n", most));
      assertTrue(Thread.getAllStackTraces().size() < threads + CONNECTIONS / 20, "threads");
      for (RdmaConnection c : made) {
        c.close();
      }
      theirs.empty();
      mine.empty();
      listener.close();
      assertEquals(CONNECTIONS + 1, mine.made());
    }
  }

  /** {@return the heap of a queue pair that is not connected} */
  private static long queuePair(World world) throws Exception {
    Pool pool = new Pool(QpType.RC);
    IbDevice device = world.fabric.device("soft0");
    List<QueuePair> made = new ArrayList<>();
    made.add(pool.make(device, 1));
    HeapHistogram before = HeapHistogram.now();
    for (int i = 0; i < CONNECTIONS; i++) {
      made.add(pool.make(device, 1));
    }
    long each = HeapHistogram.now().minus(before).sum(name -> true).bytes() / CONNECTIONS;
    for (QueuePair qp : made) {
      qp.close();
      pool.destroyed(qp);
    }
    return each;
  }
}
