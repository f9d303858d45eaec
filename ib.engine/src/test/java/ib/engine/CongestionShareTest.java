package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.PostStatus;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WorkCompletion;
import ib.engine.qp.HcaConfig;
import ib.engine.run.RunList;
import ib.engine.time.VirtualClock;
import ib.engine.wire.Packet;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * In virtual time: a router that sends one packet in each microsecond, and marks packets by random
 * early detection. The acknowledgements take no time.
 */
@DisplayName("issue 13, section 7: two flows share a queue that marks")
class CongestionShareTest {
  private static final int MIN_MARKED = 16; // packets in the queue; with more, some are marked
  private static final int MAX_UNMARKED = 80; // packets in the queue; with more, all are marked
  private static final int WINDOW = 128; // packets, of each flow, as rxe has it
  private static final int PACKET_NS = 1_000;
  private static final int BYTES = 64 << 10;
  private static final int DEPTH = 8;

  private final VirtualClock clock = new VirtualClock();
  private final Rig rig = new Rig(clock, false, config(0x10), config(0x20));
  private final RunList run = new RunList(1 << 20);
  private final QueuePair[] flows = new QueuePair[2];
  private final int[] peers = new int[2]; // queue pair numbers
  private final long[] delivered = new long[2];
  private final WorkCompletion[] wc = {new WorkCompletion()};
  private long idle; // microseconds without a packet in the queue
  private long queued; // sum of the queue's lengths

  @AfterEach
  void close() {
    rig.close();
  }

  private static HcaConfig config(long guid) {
    return HcaConfig.of(guid, guid + 1).withPace(1 << 20, 1 << 18, 2 * WINDOW, 64, WINDOW);
  }

  private void connect(SplittableRandom random) {
    for (int i = 0; i < 2; i++) {
      rig.connect(QpType.RC, DEPTH, 14, 7, 7);
      flows[i] = rig.a().qp;
      peers[i] = rig.b().qp.qpn();
    }
    rig.wire.segments(true);
    rig.wire.holds(
        p -> {
          boolean request = p.dlid == rig.b().lid();
          int more = rig.wire.held.size() - MIN_MARKED;
          p.congested = request && more > random.nextInt(MAX_UNMARKED - MIN_MARKED);
          return request;
        });
  }

  private void post(int flow) {
    QueuePair qp = flows[flow];
    qp.wrStart();
    qp.wrId(flow).wrFlags(SendFlags.SIGNALED);
    qp.wrRdmaWrite(rig.b().mr.rkey(), rig.b().mr.iova());
    qp.wrSetSge(rig.a().mr.lkey(), rig.a().mr.iova(), BYTES);
    assertEquals(PostStatus.OK, qp.wrComplete());
  }

  private void begin(int flow) {
    for (int i = 0; i < DEPTH; i++) {
      post(flow);
    }
  }

  /** Lets the router send for some microseconds; the senders post again what has completed. */
  private void serve(int microseconds) {
    for (int i = 0; i < microseconds; i++) {
      queued += rig.wire.held.size();
      Packet first = rig.wire.held.peek();
      if (first == null) {
        idle++;
      } else {
        delivered[first.destQpn == peers[0] ? 0 : 1] += first.psnCount;
        rig.wire.deliverHeld(p -> p == first, run);
      }
      clock.advance(PACKET_NS);
      rig.settle();
      while (rig.a().sendCq.poll(wc, 1) == 1) {
        post((int) wc[0].wrId());
      }
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(ints = {1, 2, 3, 4})
  @DisplayName(
      "a second flow gets its half within 20 % after 5 ms; the queue stays short, and is never empty")
  void share(int seed) {
    connect(new SplittableRandom(seed));
    begin(0);
    serve(2_000);
    begin(1);
    serve(5_000);
    delivered[0] = 0;
    delivered[1] = 0;
    idle = 0;
    queued = 0;
    serve(20_000);
    double ratio = (double) delivered[1] / delivered[0];
    assertTrue(ratio > 0.8 && ratio < 1.25, "the second flow has " + ratio + " of the first");
    assertEquals(0, idle);
    long mean = queued / 20_000;
    assertTrue(mean < WINDOW / 2, mean + " packets in the queue; two whole windows without marks");
  }
}
