package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.spi.PacketCapture;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.PortCounter;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.RecvWr;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WorkCompletion;
import ib.engine.qp.HcaConfig;
import ib.engine.time.VirtualClock;
import ib.engine.verbs.Probe;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * One seeded program by each way through the engine (D4, D5): what a consumer sees of it is the
 * same. Poster and peer take turns on one thread, so that the program is the same as well.
 */
class BothWaysTest {
  private static final int ROUNDS = 45;
  private static final int SPAN = 8192;

  /**
   * As many as the packets of a queue pair suffice for: of a longer batch the first part is
   * acknowledged before the rest is sent, which depends on how much is in a packet.
   */
  private static final int MAX_BATCH = 4;

  private static final long MS = 1_000_000;
  private static final int LOSS = 12; // one in so many packets

  /** How requests are executed. */
  private enum Way {
    /** At the peer, out of the builder, by the thread that posts them. */
    MAKER(true),
    /** At the peer, out of the ring, by a thread that held the claim when they were posted. */
    HELPER(true),
    /** As packets, because the medium decides about them. */
    PACKETS(true),
    /** As packets, because they are captured. */
    CAPTURED(true),
    /** In turns each of those above. */
    CHANGING(true),
    /** As packets, of which some are lost. */
    LOSSY(false);

    final boolean counts; // no packet is lost or sent twice: only losses are counted otherwise

    Way(boolean counts) {
      this.counts = counts;
    }

    Way in(int round) {
      return this == CHANGING ? values()[round / 3 % CHANGING.ordinal()] : this;
    }
  }

  /** What a consumer sees of a run. */
  private record Outcome(
      Map<String, List<String>> completions,
      List<String> events,
      List<Object> counters,
      long memory,
      long packets) {}

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  @DisplayName("D5, D11: completions, memory, events and counters are the same by each way")
  void same(long seed) {
    Outcome direct = new Run(seed, Way.MAKER).outcome();
    assertTrue(direct.completions.get("1 send").size() > ROUNDS);
    for (Way way : Way.values()) {
      Outcome other = new Run(seed, way).outcome();
      assertEquals(direct.completions, other.completions, way + "");
      assertEquals(direct.events, other.events, way + "");
      assertEquals(direct.memory, other.memory, way + "");
      if (way.counts) {
        assertEquals(direct.counters, other.counters, way + "");
      }
      boolean alike = way == Way.MAKER || way == Way.HELPER;
      assertEquals(alike, 2 * other.packets < 3 * direct.packets, way + ": " + other.packets);
    }
  }

  /** One run of the program. */
  private static final class Run {
    private final VirtualClock clock = new VirtualClock();
    private final Rig rig;
    private final Way way;
    private final SplittableRandom random;
    private final SplittableRandom weather;
    private final Map<String, List<String>> completions = new TreeMap<>();
    private final List<PacketCapture.Session> sessions = new ArrayList<>();
    private Way before = Way.MAKER;
    private int awaited; // completions of signaled sends
    private int came;

    Run(long seed, Way way) {
      this.way = way;
      random = new SplittableRandom(seed);
      weather = new SplittableRandom(-seed);
      HcaConfig[] both = {HcaConfig.of(0x10, 0x11), HcaConfig.of(0x20, 0x21)};
      rig = new Rig(clock, false, both).connect(QpType.RC);
    }

    Outcome outcome() {
      try (rig) {
        rig.sides.forEach(s -> fill(s.mr.segment()));
        for (int round = 0; round < ROUNDS; round++) {
          round(way.in(round), round == ROUNDS - 1);
        }
        change(Way.MAKER);
        List<Object> counters = new ArrayList<>();
        List<String> events = new ArrayList<>();
        long memory = 0;
        for (Rig.Side s : rig.sides) {
          counters.add(s.hca.counters(1));
          counters.add(s.hca.portCounters(1, PortCounter.Form.EXTENDED));
          s.device.events().forEach(e -> events.add(s.lid() + ": " + e.type()));
          memory = 31 * memory + sum(s.mr.segment());
          events.add(s.lid() + ": " + s.qp.state());
        }
        assertEquals(QpState.ERR, rig.a().qp.state(), "the last request has no right");
        return new Outcome(completions, events, counters, memory, rig.wire.transmitted.get());
      } finally {
        sessions.forEach(PacketCapture.Session::close);
      }
    }

    /** In the last round nothing is lost: who has refused a request does not say so twice. */
    private void round(Way chosen, boolean last) {
      Way now = last && chosen == Way.LOSSY ? Way.PACKETS : chosen;
      change(now);
      int batch = 1 + random.nextInt(MAX_BATCH);
      for (Rig.Side s : rig.sides) {
        for (int i = 0; i < batch; i++) {
          s.qp.postReceive(receive(s.mr, i));
        }
      }
      posted(now, rig.a(), rig.b(), batch, last);
      if (!last) {
        posted(now, rig.b(), rig.a(), batch, false);
      }
    }

    /** A receive of one element, or scattered. */
    private RecvWr receive(MemoryRegion mr, int id) {
      RecvWr wr = new RecvWr(2).wrId(id);
      long to = mr.iova() + random.nextInt(SPAN);
      int first = random.nextInt(4) == 0 ? random.nextInt(SPAN / 2) : SPAN;
      return wr.addSge(mr.lkey(), to, first).addSge(mr.lkey(), to + 2 * SPAN, SPAN - first);
    }

    private void change(Way now) {
      if (now == before) {
        return;
      }
      before = now;
      boolean packets = now == Way.PACKETS || now == Way.LOSSY;
      rig.wire.loses(packets ? p -> now == Way.LOSSY && weather.nextInt(LOSS) == 0 : null);
      sessions.forEach(PacketCapture.Session::close);
      sessions.clear();
      if (now == Way.CAPTURED) {
        for (Rig.Side s : rig.sides) {
          sessions.add(s.capture.start(new CaptureFile().sink(), PacketCapture.Filter.ALL));
        }
      }
    }

    private void posted(Way now, Rig.Side s, Rig.Side other, int batch, boolean broken) {
      boolean held = now == Way.HELPER;
      if (held) {
        Probe.hold(s.qp);
      }
      post(s, other, batch, broken);
      if (held) {
        Rig.assertEmpty(s.sendCq);
        Probe.letGo(s.qp);
      }
      rig.settle();
      drain();
      for (int i = 0; i < 1_000 && came < awaited; i++) {
        clock.advance(MS);
        rig.settle();
        drain();
      }
      assertEquals(awaited, came, way + ": completions of sends");
    }

    private void post(Rig.Side s, Rig.Side other, int batch, boolean broken) {
      s.qp.wrStart();
      for (int i = 0; i < batch; i++) {
        boolean last = i == batch - 1;
        boolean signaled = random.nextBoolean() || last;
        awaited += signaled ? 1 : 0;
        s.qp.wrId(100 + i).wrFlags(signaled ? SendFlags.SIGNALED : 0);
        request(s, other, broken && last, broken && last ? 2 : random.nextInt(8));
      }
      assertEquals(0, s.qp.wrComplete());
    }

    private void request(Rig.Side s, Rig.Side other, boolean broken, int kind) {
      long local = s.mr.iova() + 8 * SPAN;
      long remote = other.mr.iova() + 4 * SPAN + random.nextInt(SPAN);
      int rkey = other.mr.rkey() ^ (broken ? 1 : 0);
      int length = random.nextInt(4) == 0 ? random.nextInt(100) : random.nextInt(SPAN / 2);
      switch (kind) {
        case 0 -> s.qp.wrSend();
        case 1 -> s.qp.wrSendImm(random.nextInt());
        case 2 -> s.qp.wrRdmaWrite(rkey, remote);
        case 3 -> s.qp.wrRdmaWriteImm(rkey, remote, random.nextInt());
        case 4, 5 -> {
          if (kind == 4) {
            s.qp.wrSend();
          } else {
            s.qp.wrRdmaWrite(rkey, remote);
          }
          s.qp.wrSetInline(s.mr.segment(), 8 * SPAN + random.nextInt(SPAN), length % 128);
          return;
        }
        case 7 -> {
          s.qp.wrAtomicFetchAdd(rkey, other.mr.iova() + 14 * SPAN, random.nextInt());
          s.qp.wrSetSge(s.mr.lkey(), s.mr.iova() + 15 * SPAN + 8L * random.nextInt(SPAN / 8), 8);
          return;
        }
        default -> {
          s.qp.wrRdmaRead(rkey, remote + 2 * SPAN);
          local += 2 * SPAN; // what is sent in the same batch is not overtaken by what is read
        }
      }
      s.qp.wrSetSge(s.mr.lkey(), local + random.nextInt(SPAN), length / 2);
      s.qp.wrAddSge(s.mr.lkey(), local + random.nextInt(SPAN), length - length / 2);
    }

    private void drain() {
      WorkCompletion[] wc = {new WorkCompletion()};
      for (Rig.Side s : rig.sides) {
        while (s.sendCq.poll(wc, 1) > 0) {
          completed(s.lid() + " send", wc[0]);
          came++;
        }
        while (s.recvCq.poll(wc, 1) > 0) {
          completed(s.lid() + " receive", wc[0]);
        }
      }
    }

    private void completed(String queue, WorkCompletion wc) {
      completions.computeIfAbsent(queue, q -> new ArrayList<>()).add(wc.toString());
    }

    private void fill(MemorySegment memory) {
      for (long i = 0; i < 16L * SPAN; i += Long.BYTES) {
        memory.set(ValueLayout.JAVA_LONG, i, random.nextLong());
      }
    }
  }

  private static long sum(MemorySegment memory) {
    long sum = 0;
    for (long i = 0; i < 16L * SPAN; i += Long.BYTES) {
      sum = 31 * sum + memory.get(ValueLayout.JAVA_LONG, i);
    }
    return sum;
  }
}
