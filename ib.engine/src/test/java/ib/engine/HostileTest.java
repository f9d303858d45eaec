package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.Access;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.WorkCompletion;
import ib.core.wire.BthOpcode;
import ib.core.wire.PayloadRule;
import ib.engine.qp.HcaConfig;
import ib.engine.time.VirtualClock;
import ib.engine.wire.LinkCodec;
import ib.engine.wire.Packet;
import ib.engine.wire.PacketOwner;
import ib.engine.wire.RunContext;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Well-formed packets of a peer that means no good, from a seed: any opcode, near the expected
 * sequence number, with keys right and wrong. {@code -Dib.hostile.packets} says how many, {@code
 * -Dib.hostile.seed} which.
 */
@DisplayName("F-01, F-09, F-38: whatever well-formed packets come, the engine stands")
class HostileTest {
  private static final int PACKETS = Integer.getInteger("ib.hostile.packets", 100_000);
  private static final long SEED = Long.getLong("ib.hostile.seed", 4791);
  private static final int MTU = 1024;
  private static final byte GUARD = 0x5a;

  private final SplittableRandom random = new SplittableRandom(SEED);
  private final Rig rig =
      new Rig(new VirtualClock(), false, HcaConfig.of(0x10, 0x11), HcaConfig.of(0x20, 0x21));
  private final LinkCodec codec = new LinkCodec();
  private final MemorySegment bytes = MemorySegment.ofArray(new byte[8192]);
  private final MemorySegment junk = MemorySegment.ofArray(new byte[PayloadRule.MAX_MTU]);
  private final WorkCompletion[] polled = new WorkCompletion[8];
  private int releasedTwice;
  private int underWay;
  private int posted;
  private int completed;
  private int expectedPsn;
  private int lives;

  private final PacketOwner owner =
      new PacketOwner() {
        @Override
        protected void released(Packet packet, RunContext run) {
          releasedTwice += packet.busy() ? 0 : 1;
          packet.free();
          underWay--;
        }

        @Override
        protected @Nullable Packet replicate(Packet original) {
          return null;
        }
      };

  private Packet packet(MemoryRegion[] regions) {
    Packet p = new Packet(owner);
    BthOpcode[] all = BthOpcode.values();
    BthOpcode opcode = all[random.nextInt(all.length)];
    if (random.nextInt(4) > 0) { // mostly of the right service
      BthOpcode fitting = BthOpcode.of(random.nextInt(0x20) | service());
      opcode = fitting == null ? opcode : fitting;
    }
    p.opcode = opcode.value();
    p.slid = random.nextInt(20) == 0 ? 9 : rig.a().lid();
    p.dlid = rig.b().lid();
    p.pkey = random.nextInt(20) == 0 ? 0x1234 : 0xffff;
    p.qkey = random.nextInt(10) == 0 ? 1 : Rig.QKEY;
    p.sourceQpn = random.nextInt(1 << 24);
    p.destQpn = random.nextInt(50) == 0 ? random.nextInt(1 << 24) : rig.b().qp.qpn();
    p.psn = expectedPsn + (random.nextInt(4) == 0 ? random.nextInt(9) - 4 : 0) & 0xffffff;
    p.ackRequest = random.nextBoolean();
    p.solicited = random.nextBoolean();
    p.syndrome = random.nextInt(256);
    p.msn = random.nextInt(1 << 24);
    p.immData = random.nextInt();
    p.feth = random.nextInt(64);
    p.swapAdd = random.nextLong();
    p.compare = random.nextLong();
    MemoryRegion region = regions[random.nextInt(regions.length)];
    p.rkey = random.nextInt(10) == 0 ? random.nextInt() : region.rkey();
    p.remoteAddress =
        switch (random.nextInt(8)) {
          case 0 -> random.nextLong();
          case 1 -> region.iova() + region.length() - random.nextInt(64);
          default -> region.iova() + 8L * random.nextInt(256);
        };
    int length = payload(opcode);
    p.dmaLength =
        random.nextInt(8) == 0 ? random.nextInt() : Math.max(length, random.nextInt(4096));
    if (length > 0) {
      p.payload.add(junk, 0, length);
    }
    return p;
  }

  private int service() {
    return switch (rig.b().qp.type()) {
      case RC -> BthOpcode.Service.RC.bits();
      case UC -> BthOpcode.Service.UC.bits();
      default -> BthOpcode.Service.UD.bits();
    };
  }

  private int payload(BthOpcode opcode) {
    int some = random.nextInt(4) == 0 ? random.nextInt(4097) : random.nextInt(65);
    return switch (opcode.payload()) {
      case NONE -> 0;
      case EIGHT -> 8;
      case SIXTEEN -> 16;
      case FULL -> random.nextInt(4) == 0 ? some : MTU;
      default -> some;
    };
  }

  private void arrive(Packet p) {
    int length = codec.encode(p, bytes, 0);
    Packet received = new Packet(owner);
    received.occupy();
    RunContext run = rig.b().hca.newRunContext();
    assertEquals(null, codec.decode(bytes, 0, length, received));
    underWay++;
    rig.b().hca.port(1).receive(received, run);
    run.finish();
    rig.settle();
    assertEquals(0, releasedTwice);
    assertEquals(0, underWay, "the packet came back");
  }

  private void again(QpType type) {
    rig.a().qp.close();
    rig.b().qp.close();
    rig.connect(type, 8, 0, 7, 7);
    expectedPsn = 0xfffffe;
    drain();
    posted = 0;
    completed = 0;
    for (int i = 0; i < 4; i++) {
      receive();
    }
  }

  private void receive() {
    Rig.Side b = rig.b();
    posted += b.qp.postReceive(1, b.mr.lkey(), b.mr.iova() + 8192, 2048) == 0 ? 1 : 0;
  }

  private void drain() {
    int n;
    do {
      n = rig.b().recvCq.poll(polled, polled.length);
      completed += n;
    } while (n > 0);
  }

  private static MemorySegment guard(MemoryRegion region) {
    region.segment().fill(GUARD);
    return region.segment();
  }

  private static boolean untouched(MemorySegment guard) {
    for (long i = 0; i < guard.byteSize(); i++) {
      if (guard.get(ValueLayout.JAVA_BYTE, i) != GUARD) {
        return false;
      }
    }
    return true;
  }

  /** Runs; returns whether what may not be written was not. */
  private boolean stands(QpType type, int rights) {
    for (int i = 0; i < polled.length; i++) {
      polled[i] = new WorkCompletion();
    }
    rig.wire.segments(true);
    rig.wire.loses(p -> p.slid == rig.b().lid()); // responses are lost
    rig.connect(type, 8, 0, 7, 7);
    again(type);
    MemoryRegion guarded = rig.b().pd.allocMemory(4096, 8, rights);
    MemoryRegion local = rig.b().pd.allocMemory(4096, 8, Access.LOCAL_WRITE);
    MemoryRegion other = rig.b().device.allocPd().allocMemory(4096, 8, Rig.ALL_ACCESS);
    MemorySegment[] guards = {guard(guarded), guard(local), guard(other)};
    MemoryRegion[] regions = {rig.b().mr, rig.b().mr, rig.b().mr, guarded, local, other};
    for (int i = 0; i < PACKETS; i++) {
      Packet p = packet(regions);
      arrive(p);
      expectedPsn = expectedPsn == p.psn ? expectedPsn + 1 & 0xffffff : expectedPsn;
      drain();
      assertTrue(completed <= posted, "seed " + SEED + " packet " + i);
      if (rig.b().qp.state() != QpState.RTS || random.nextInt(64) == 0) {
        again(type);
        lives++;
      } else if (random.nextBoolean()) {
        receive();
      }
    }
    boolean untouched = Arrays.stream(guards).allMatch(HostileTest::untouched);
    rig.close();
    return untouched;
  }

  @ParameterizedTest
  @CsvSource({"RC", "UC", "UD"})
  @DisplayName("no exception, no packet lost, no byte written without rights, one completion each")
  void stands(QpType type) {
    assertTrue(stands(type, Access.REMOTE_READ), "memory was written, seed " + SEED);
    assertTrue(lives > 100, lives + " lives");
  }

  @ParameterizedTest
  @CsvSource({"RC", "UC"})
  @DisplayName("canary: with the right to write, the same packets do write")
  void canary(QpType type) {
    assertFalse(stands(type, Access.LOCAL_WRITE | Access.REMOTE_WRITE));
  }
}
