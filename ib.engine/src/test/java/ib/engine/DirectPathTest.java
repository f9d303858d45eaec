package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.PhysState;
import ib.core.verbs.PortCounter;
import ib.core.verbs.PortState;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import ib.engine.qp.HcaConfig;
import ib.engine.time.VirtualClock;
import ib.engine.wire.Opcode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that are executed at the peer without a packet, beside the same requests in packets. */
class DirectPathTest {
  private static final int ROUNDS = Integer.getInteger("ib.direct.rounds", 400);
  private static final int SPAN = 8192;

  private static Rig rig() {
    VirtualClock clock = new VirtualClock();
    return new Rig(clock, false, HcaConfig.of(0x10, 0x11), HcaConfig.of(0x20, 0x21))
        .connect(QpType.RC);
  }

  private static void write(Rig rig, int length) {
    Rig.Side a = rig.a();
    a.qp.wrStart();
    a.qp.wrId(1).wrFlags(SendFlags.SIGNALED);
    a.qp.wrRdmaWrite(rig.b().mr.rkey(), rig.b().mr.iova());
    a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), length);
    assertEquals(0, a.qp.wrComplete());
    assertEquals(WcStatus.SUCCESS, Rig.next(a.sendCq).status());
  }

  @Test
  @DisplayName(
      "D5: no packet where the medium needs none; packets as soon as it decides about them")
  void packets() {
    try (Rig rig = rig()) {
      write(rig, 5000);
      assertEquals(0, rig.wire.transmitted.get());
      rig.wire.loses(p -> false); // the medium decides about packets
      write(rig, 5000);
      assertEquals(2, rig.wire.transmitted.get());
      rig.wire.loses(null);
      rig.wire.segments(true);
      write(rig, 5000);
      assertEquals(2 + 5 + 1, rig.wire.transmitted.get());
    }
  }

  @Test
  @DisplayName("D5: the MSN of an acknowledgement counts the messages that took no packet")
  void messages() {
    try (Rig rig = rig()) {
      for (int i = 0; i < 3; i++) {
        write(rig, 64);
      }
      List<Integer> numbers = new ArrayList<>();
      rig.wire.loses(
          p -> {
            if (p.opcode == (Opcode.RC | Opcode.ACKNOWLEDGE)) {
              numbers.add(p.msn);
            }
            return false;
          });
      write(rig, 64);
      assertEquals(List.of(4), numbers);
    }
  }

  @Test
  @DisplayName(
      "B9: that there is no way without packets is not asked again before something changes")
  void wayless() {
    try (Rig rig = rig()) {
      rig.wire.segments(true);
      write(rig, 64);
      long before = rig.wire.asked.get();
      for (int i = 0; i < 300; i++) {
        write(rig, 64);
      }
      assertEquals(before, rig.wire.asked.get());
      rig.wire.segments(false);
      long packets = rig.wire.transmitted.get();
      write(rig, 64);
      assertEquals(packets, rig.wire.transmitted.get(), "at once when something has changed");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"down", "lid", "pkey", "peer reset"})
  @DisplayName("what was found out once is asked again when something has changed")
  void changed(String what) {
    try (Rig rig = rig()) {
      write(rig, 64); // from here on it knows the way
      SoftHca other = rig.b().hca;
      switch (what) {
        case "down" -> other.port(1).state(PortState.DOWN, PhysState.POLLING);
        case "lid" -> other.port(1).lid(77, 0);
        case "pkey" -> other.port(1).pkey(0, 0x8123);
        default -> rig.b().qp.modify(new QpAttr().state(QpState.RESET));
      }
      rig.a().qp.wrStart();
      rig.a().qp.wrId(1).wrFlags(SendFlags.SIGNALED);
      rig.a().qp.wrRdmaWrite(rig.b().mr.rkey(), rig.b().mr.iova());
      rig.a().qp.wrSetSge(rig.a().mr.lkey(), rig.a().mr.iova(), 64);
      assertEquals(0, rig.a().qp.wrComplete());
      Rig.assertEmpty(rig.a().sendCq);
      assertTrue(rig.wire.transmitted.get() > 0);
    }
  }

  /** The results of a run. */
  private record Outcome(List<String> completions, Object counters, long memory, long packets) {}

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  @DisplayName("D5, D11: completions, memory and counters are those of packets")
  void same(long seed) {
    Outcome direct = run(seed, false);
    Outcome packets = run(seed, true);
    assertEquals(packets.completions, direct.completions);
    assertEquals(packets.counters, direct.counters);
    assertEquals(packets.memory, direct.memory);
    assertTrue(packets.packets > 10 * direct.packets, direct.packets + " packets");
  }

  private static Outcome run(long seed, boolean packets) {
    SplittableRandom random = new SplittableRandom(seed);
    List<String> completions = new ArrayList<>();
    try (Rig rig = rig()) {
      rig.wire.loses(packets ? p -> false : null);
      fill(rig.a().mr.segment(), random);
      fill(rig.b().mr.segment(), random);
      for (int round = 0; round < ROUNDS; round++) {
        int batch = round == ROUNDS - 1 ? 1 : 1 + random.nextInt(5); // no pool runs dry
        for (Rig.Side s : List.of(rig.a(), rig.b())) {
          for (int i = 0; i < batch; i++) {
            s.qp.postReceive(i, s.mr.lkey(), s.mr.iova() + random.nextInt(SPAN), SPAN);
          }
        }
        post(rig.a(), rig.b(), batch, round == ROUNDS - 1, random);
        post(rig.b(), rig.a(), batch, false, random);
        rig.settle();
        rig.sides.forEach(s -> drain(s, completions));
      }
      List<Object> counters = new ArrayList<>();
      rig.sides.forEach(s -> counters.add(s.hca.counters(1)));
      rig.sides.forEach(s -> counters.add(s.hca.portCounters(1, PortCounter.Form.EXTENDED)));
      long memory = sum(rig.a().mr.segment()) ^ 31 * sum(rig.b().mr.segment());
      return new Outcome(completions, counters, memory, rig.wire.transmitted.get());
    }
  }

  private static void post(
      Rig.Side s, Rig.Side other, int batch, boolean broken, SplittableRandom random) {
    s.qp.wrStart();
    for (int i = 0; i < batch; i++) {
      boolean last = i == batch - 1;
      s.qp.wrId(100 + i).wrFlags(random.nextBoolean() || last ? SendFlags.SIGNALED : 0);
      long local = s.mr.iova() + 8 * SPAN;
      long remote = other.mr.iova() + 4 * SPAN + random.nextInt(SPAN);
      int rkey = other.mr.rkey() ^ (broken && last ? 1 : 0);
      switch (broken && last ? 2 : random.nextInt(5)) {
        case 0 -> s.qp.wrSend();
        case 1 -> s.qp.wrSendImm(random.nextInt());
        case 2 -> s.qp.wrRdmaWrite(rkey, remote);
        case 3 -> s.qp.wrRdmaWriteImm(rkey, remote, random.nextInt());
        default -> {
          s.qp.wrRdmaRead(rkey, remote + 2 * SPAN);
          local += 2 * SPAN; // what is sent in the same batch is not overtaken by what is read
        }
      }
      int length = random.nextInt(4) == 0 ? 1 + random.nextInt(100) : random.nextInt(SPAN / 2);
      s.qp.wrSetSge(s.mr.lkey(), local + random.nextInt(SPAN), length / 2);
      s.qp.wrAddSge(s.mr.lkey(), local + random.nextInt(SPAN), length - length / 2);
    }
    s.qp.wrComplete();
  }

  private static void drain(Rig.Side s, List<String> into) {
    WorkCompletion[] wc = {new WorkCompletion()};
    while (s.sendCq.poll(wc, 1) > 0 || s.recvCq.poll(wc, 1) > 0) {
      into.add(s.lid() + ": " + wc[0]);
    }
  }

  private static void fill(MemorySegment memory, SplittableRandom random) {
    for (long i = 0; i < 16L * SPAN; i += Long.BYTES) {
      memory.set(ValueLayout.JAVA_LONG, i, random.nextLong());
    }
  }

  private static long sum(MemorySegment memory) {
    long sum = 0;
    for (long i = 0; i < memory.byteSize(); i += Long.BYTES) {
      sum = 31 * sum + memory.get(ValueLayout.JAVA_LONG, i);
    }
    return sum;
  }
}
