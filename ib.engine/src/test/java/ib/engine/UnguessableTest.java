package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.Access;
import ib.core.verbs.CqInit;
import ib.core.verbs.EventType;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import ib.core.verbs.WrOpcode;
import ib.engine.mr.Randomness;
import ib.engine.qp.HcaConfig;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The numbers that a device allocates, and an attacker inside the fabric (ReDMArk's A3). */
@DisplayName("D9: a device's numbers")
class UnguessableTest {
  private static final int DRAWS = Integer.getInteger("ib.engine.deviceDraws", 100_000);
  private static final int REGIONS = 1_000;
  private static final int ATTACKERS = 1_024;

  private final HcaConfig config = HcaConfig.of(0x10, 0x11);
  private final SoftHca hca =
      new SoftHca(config, List.of(new LoopWire().end()), (type, port) -> {});
  private final TestDevice device = new TestDevice("soft0", hca);

  @AfterEach
  void shutdown() {
    hca.shutdown();
  }

  private static void clean(String name, long[] values, int low, int bits) {
    assertEquals(List.of(), Randomness.judge(name, values, low, bits));
  }

  @Test
  @DisplayName("V1-V4: lkeys, rkeys, one after the other, and iovas of regions that come and go")
  void regions() {
    var pd = device.allocPd();
    MemorySegment memory = Arena.global().allocate(64, 64);
    long[] keys = new long[2 * DRAWS];
    long[] iovas = new long[DRAWS];
    Set<Integer> seen = new HashSet<>();
    for (int i = 0; i < DRAWS; i++) {
      MemoryRegion mr = pd.registerMemory(memory, Access.LOCAL_WRITE | Access.REMOTE_READ);
      keys[2 * i] = mr.lkey();
      keys[2 * i + 1] = mr.rkey();
      iovas[i] = mr.iova();
      assertTrue(seen.add(mr.lkey() >>> 8) && seen.add(mr.rkey() >>> 8), "an index came again");
      assertEquals(memory.address() & 4095, mr.iova() & 4095, "aligned like the memory");
      mr.close();
    }
    clean("keys", keys, 0, 32);
    clean("iovas", iovas, 12, 50);
  }

  @Test
  @DisplayName("V4: a zero-based region begins at 0")
  void zeroBased() {
    var pd = device.allocPd();
    var mr = pd.allocMemory(64, 64, Access.LOCAL_WRITE | Access.ZERO_BASED);
    assertEquals(0, mr.iova());
  }

  @Test
  @DisplayName("V5: queue pair numbers")
  void queuePairs() {
    var pd = device.allocPd();
    var cq = device.createCq(new CqInit(1));
    QpInit init = new QpInit(QpType.RC, cq, new QpCap(1, 1, 1, 1, 0));
    long[] numbers = new long[DRAWS];
    Set<Integer> seen = new HashSet<>();
    for (int i = 0; i < DRAWS; i++) {
      QueuePair qp = pd.createQp(init);
      numbers[i] = qp.qpn();
      assertTrue(seen.add(qp.qpn()), "a number came again");
      qp.close();
    }
    clean("qpn", numbers, 0, 24);
  }

  @Test
  @DisplayName("V6: the sequence numbers that programs begin with when they have no other wish")
  void sequenceNumbers() {
    long[] psns = new long[10 * DRAWS];
    for (int i = 0; i < psns.length; i++) {
      psns[i] = QueuePair.randomPsn();
    }
    clean("psn", psns, 0, 24);
  }

  @Test
  @DisplayName("A3, F-9: 1,024 queue pairs guess among 1,000 rkeys: one guess each, no hit")
  void attack() {
    try (Rig rig = Rig.two()) {
      List<MemoryRegion> victims = new ArrayList<>();
      for (int i = 0; i < REGIONS; i++) { // zero-based: the address is not part of the riddle
        victims.add(rig.b().pd.allocMemory(64, 64, Rig.ALL_ACCESS | Access.ZERO_BASED));
      }
      assertTrue(guess(rig, victims.getFirst().rkey()), "canary: with the right key it is a hit");
      victims.getFirst().segment().fill((byte) 0);
      SecureRandom random = new SecureRandom();
      for (int i = 0; i < ATTACKERS; i++) {
        assertFalse(guess(rig, random.nextInt()), "a hit, by chance once in 4,000 runs");
      }
      for (MemoryRegion v : victims) {
        assertEquals(-1, v.segment().mismatch(MemorySegment.ofArray(new byte[64])), "touched");
      }
      assertEquals(
          ATTACKERS,
          rig.b().device.events().stream()
              .filter(e -> e.type() == EventType.QP_ACCESS_ERR)
              .count());
    }
  }

  /** A new connection writes with a guessed key, twice; returns whether the first one got in. */
  private static boolean guess(Rig rig, int key) {
    rig.connect(QpType.RC, 2, 14, 1, 0);
    Rig.Side a = rig.a();
    a.mr.segment().set(ValueLayout.JAVA_LONG, 0, -1L);
    SendWr second = write(a, key).wrId(2);
    assertEquals(PostStatus.OK, a.qp.postSend(write(a, key).wrId(1).next(second)));
    WorkCompletion first = Rig.await(a.sendCq);
    WcStatus status = first.status();
    WcStatus after = Rig.await(a.sendCq).status();
    if (status != WcStatus.SUCCESS) {
      assertEquals(WcStatus.REM_ACCESS_ERR, status);
      assertEquals(WcStatus.WR_FLUSH_ERR, after, "no second guess");
      assertEquals(QpState.ERR, a.qp.state());
      assertEquals(QpState.ERR, rig.b().qp.state());
      assertEquals(PostStatus.OK, a.qp.postSend(write(a, key).wrId(3)));
      assertEquals(WcStatus.WR_FLUSH_ERR, Rig.await(a.sendCq).status(), "nor a later one");
    }
    a.qp.close();
    rig.b().qp.close();
    return status == WcStatus.SUCCESS;
  }

  private static SendWr write(Rig.Side a, int key) {
    return new SendWr(1)
        .opcode(WrOpcode.RDMA_WRITE)
        .flags(SendFlags.SIGNALED)
        .rkey(key)
        .remoteAddr(0)
        .addSge(a.mr.lkey(), a.mr.iova(), 8);
  }
}
