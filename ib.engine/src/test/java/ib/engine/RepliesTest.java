package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.core.verbs.Access;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.wire.BthOpcode;
import ib.engine.qp.HcaConfig;
import ib.engine.time.VirtualClock;
import ib.engine.wire.Opcode;
import ib.engine.wire.Packet;
import ib.engine.wire.RunContext;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** IBA 9.7.5.1: the answers to requests that have one of their own, and to their duplicates. */
class RepliesTest {
  private static final int PSN = 0xfffffe; // of the rig
  private static final long SECOND = 1_000_000_000;

  private final VirtualClock clock = new VirtualClock();
  private final Rig rig = new Rig(clock, false, HcaConfig.of(0x10, 0x11), HcaConfig.of(0x20, 0x21));
  private final Rig.Side b = rig.b();
  private Forge forge;

  @BeforeEach
  void connect() {
    rig.connect(QpType.RC, 16, 14, 1, 0);
    forge = new Forge(rig, b, rig.a());
  }

  @AfterEach
  void close() {
    rig.close();
  }

  /** A request arrives; returns how many answers it has. */
  private int answers(BthOpcode opcode, Consumer<Packet> change) {
    forge.answers.clear();
    Packet p = forge.packet(opcode, PSN, opcode == BthOpcode.RC_ATOMIC_WRITE ? 8 : 0);
    p.feth = 1; // global visibility
    p.dmaLength = 8;
    p.swapAdd = 1;
    change.accept(p);
    forge.arrive(p);
    forge.answers.forEach(a -> assertEquals(PSN, a.psn()));
    return forge.answers.size();
  }

  private int answers(BthOpcode opcode) {
    return answers(opcode, p -> {});
  }

  @ParameterizedTest
  @EnumSource(names = {"RC_RDMA_READ_REQUEST", "RC_FLUSH", "RC_FETCH_ADD", "RC_ATOMIC_WRITE"})
  @DisplayName("IBA 9.7.5.1.9: a request is answered at once, and so is each duplicate")
  void duplicates(BthOpcode opcode) {
    for (int i = 0; i < 3; i++) {
      assertEquals(1, answers(opcode));
      boolean atomic = opcode == BthOpcode.RC_FETCH_ADD;
      assertEquals(
          atomic ? Opcode.ATOMIC_ACKNOWLEDGE : Opcode.READ_RESPONSE_ONLY,
          forge.answers.get(0).opcode());
      assertEquals(1, forge.answers.get(0).msn(), "it is one message");
    }
    if (opcode == BthOpcode.RC_FETCH_ADD) {
      assertEquals(1, b.mr.segment().get(ValueLayout.JAVA_LONG, 0), "executed once");
    }
  }

  @Test
  @DisplayName("IBA 9.7.5.1.9: what a duplicate asks for must be what was executed")
  void another() {
    assertEquals(1, answers(BthOpcode.RC_FETCH_ADD));
    assertEquals(0, answers(BthOpcode.RC_COMPARE_SWAP));
    assertEquals(0, answers(BthOpcode.RC_ATOMIC_WRITE));
    assertEquals(2L, b.hca.counters(1).get("drop_duplicate"));
    assertEquals(1, answers(BthOpcode.RC_FETCH_ADD));
    assertEquals(QpState.RTS, b.qp.state());
  }

  @Test
  @DisplayName("IBA 9.7.5.1.9: a duplicate read is answered as long as it has its rights")
  void rights() {
    assertEquals(1, answers(BthOpcode.RC_RDMA_READ_REQUEST));
    assertEquals(0, answers(BthOpcode.RC_RDMA_READ_REQUEST, p -> p.rkey ^= 1));
    assertEquals(0, answers(BthOpcode.RC_RDMA_READ_REQUEST, p -> p.remoteAddress--));
    assertEquals(0, answers(BthOpcode.RC_RDMA_READ_REQUEST, p -> p.dmaLength = 5000), "beyond it");
    assertEquals(1, answers(BthOpcode.RC_RDMA_READ_REQUEST));
    b.qp.modify(new QpAttr().state(QpState.RTS).accessFlags(Access.REMOTE_WRITE));
    assertEquals(0, answers(BthOpcode.RC_RDMA_READ_REQUEST));
    assertEquals(QpState.RTS, b.qp.state());
  }

  @Test
  @DisplayName("IBA 9.7.4: the key of a read of no bytes is not looked at, nor a duplicate's")
  void empty() {
    for (int i = 0; i < 2; i++) {
      assertEquals(
          1,
          answers(
              BthOpcode.RC_RDMA_READ_REQUEST,
              p -> {
                p.rkey ^= 1;
                p.dmaLength = 0;
              }));
    }
  }

  @Test
  @DisplayName("IBA A19: a flush of a whole region needs its key, whatever length it says")
  void wholeRegion() {
    int whole = 1 | 1 << 4;
    assertEquals(
        1,
        answers(
            BthOpcode.RC_FLUSH,
            p -> {
              p.feth = whole;
              p.dmaLength = 0;
              p.remoteAddress = 0;
            }));
    assertEquals(QpState.RTS, b.qp.state());
    connect();
    answers(
        BthOpcode.RC_FLUSH,
        p -> {
          p.feth = whole;
          p.dmaLength = 0;
          p.rkey ^= 1;
        });
    assertEquals(0x62, forge.answers.get(0).syndrome());
  }

  @Test
  @DisplayName("IBA A17.9.3: marked requests within 50 us cause one notification")
  void notifications() {
    clock.advance(SECOND);
    int[] at = {0, 49_999, 1, 10, 49_990};
    int[] sent = {1, 0, 1, 0, 1};
    for (int i = 0; i < at.length; i++) {
      clock.advance(at[i]);
      forge.answers.clear();
      Packet p = forge.packet(BthOpcode.RC_RDMA_WRITE_ONLY, PSN + i, 8);
      p.congested = true;
      RunContext run = b.hca.newRunContext();
      b.hca.port(1).receive(p, run); // the mark is one of a wire, not of the packet
      run.finish();
      long notices = forge.answers.stream().filter(a -> a.opcode() == Opcode.CNP).count();
      assertEquals(sent[i], notices, i + "");
    }
  }

  @Test
  @DisplayName("D4: an answer that finds no packet is sent when one comes back")
  void noPacket() {
    rig.wire.loses(null);
    rig.wire.holds(p -> p.slid == b.lid());
    for (int i = 0; i < 40; i++) {
      forge.arrive(forge.packet(BthOpcode.RC_RDMA_WRITE_ONLY, PSN, 8));
    }
    assertEquals(List.of(), forge.answers);
    int before = rig.wire.held.size();
    RunContext run = b.hca.newRunContext();
    for (int i = 0; i < before; i++) {
      rig.wire.held.remove().release(run);
    }
    run.finish();
    assertEquals(1, rig.wire.held.size(), before + " before, one of them for all the others");
  }
}
