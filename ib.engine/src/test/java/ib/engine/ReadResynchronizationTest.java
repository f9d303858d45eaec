package ib.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.core.verbs.PostStatus;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WrOpcode;
import ib.core.wire.BthOpcode;
import ib.engine.qp.HcaConfig;
import ib.engine.time.VirtualClock;
import ib.engine.wire.Packet;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("issue 3, section 1: read response resynchronisation (IBA 9.7.5.2.7)")
class ReadResynchronizationTest {
  private static final int MTU = 1024;
  private static final int PSN = 0xfffffe;

  private final VirtualClock clock = new VirtualClock();
  private final Rig rig = new Rig(clock, false, HcaConfig.of(0x10, 0x11), HcaConfig.of(0x20, 0x21));

  /** A read request as it was seen: its PSN and how many bytes it asks for. */
  private record Asked(int psn, int bytes) {}

  @AfterEach
  void close() {
    rig.close();
  }

  private void read(int packets) {
    Rig.Side a = rig.a();
    SendWr wr = new SendWr(1).wrId(1).opcode(WrOpcode.RDMA_READ).flags(SendFlags.SIGNALED);
    wr.rkey(rig.b().mr.rkey()).remoteAddr(rig.b().mr.iova());
    wr.addSge(a.mr.lkey(), a.mr.iova(), packets * MTU);
    assertEquals(PostStatus.OK, a.qp.postSend(wr));
    rig.settle();
  }

  @ParameterizedTest(name = "response {0} of 10 is lost")
  @ValueSource(ints = {0, 1, 3, 8})
  @DisplayName("a gap: what is missing is asked for again at once, once, and no more than that")
  void gap(int lost) {
    rig.connect(QpType.RC, 16, 14, 7, 7);
    rig.wire.segments(true);
    rig.b().mr.segment().fill((byte) 7);
    List<Asked> asked = new ArrayList<>();
    int[] responses = {0};
    rig.wire.loses(
        p -> {
          if (p.opcode == BthOpcode.RC_RDMA_READ_REQUEST.value()) {
            asked.add(new Asked(p.psn, p.dmaLength));
          }
          boolean response = p.opcode >= 0x0d && p.opcode <= 0x10;
          return response && responses[0]++ == lost;
        });
    read(10);
    assertEquals(WcStatus.SUCCESS, Rig.next(rig.a().sendCq).status(), "no timer was needed");
    List<Asked> expected =
        List.of(new Asked(PSN, 10 * MTU), new Asked(PSN + lost & 0xffffff, (10 - lost) * MTU));
    assertEquals(expected, asked);
    long same =
        rig.a()
            .mr
            .segment()
            .asSlice(0, 10L * MTU)
            .mismatch(rig.b().mr.segment().asSlice(0, 10L * MTU));
    assertEquals(-1, same);
    assertEquals(1L, rig.a().hca.counters(1).get("completer_retry_err"));
  }

  @Test
  @DisplayName(
      "the last response is lost: nothing shows it but the timer, then it alone is asked for")
  void lastOne() {
    rig.connect(QpType.RC, 16, 8, 7, 7);
    rig.wire.segments(true);
    List<Asked> asked = new ArrayList<>();
    int[] last = {0};
    rig.wire.loses(
        p -> {
          if (p.opcode == BthOpcode.RC_RDMA_READ_REQUEST.value()) {
            asked.add(new Asked(p.psn, p.dmaLength));
          }
          return p.opcode == BthOpcode.RC_RDMA_READ_RESPONSE_LAST.value() && last[0]++ == 0;
        });
    read(4);
    Rig.assertEmpty(rig.a().sendCq);
    for (int i = 0; i < 3; i++) {
      clock.advance(4096 << 8);
      rig.settle();
    }
    assertEquals(WcStatus.SUCCESS, Rig.next(rig.a().sendCq).status());
    assertEquals(List.of(new Asked(PSN, 4 * MTU), new Asked(PSN + 3 & 0xffffff, MTU)), asked);
  }

  @ParameterizedTest
  @EnumSource(
      value = BthOpcode.class,
      names = {"RC_RDMA_READ_RESPONSE_FIRST", "RC_RDMA_READ_RESPONSE_MIDDLE"})
  @DisplayName("a replay from the middle may begin with FIRST or with MIDDLE")
  void replayBegins(BthOpcode with) {
    rig.connect(QpType.RC, 16, 8, 7, 7);
    Forge forge = new Forge(rig, rig.a(), rig.b());
    read(3);
    respond(forge, BthOpcode.RC_RDMA_READ_RESPONSE_FIRST, 0);
    respond(forge, BthOpcode.RC_RDMA_READ_RESPONSE_LAST, 2); // the second is lost
    Rig.assertEmpty(rig.a().sendCq);
    respond(forge, with, 1);
    respond(forge, BthOpcode.RC_RDMA_READ_RESPONSE_LAST, 2);
    assertEquals(WcStatus.SUCCESS, Rig.next(rig.a().sendCq).status());
  }

  private static void respond(Forge forge, BthOpcode opcode, int offset) {
    Packet p = forge.packet(opcode, PSN + offset, MTU);
    p.syndrome = 0x1f;
    forge.arrive(p);
  }
}
