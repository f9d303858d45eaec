package ib.driver.rxe.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.wire.BthOpcode;
import ib.engine.wire.Packet;
import ib.engine.wire.PacketOwner;
import ib.engine.wire.RunContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("RFC 3168 section 5: the two bits for congestion")
final class EcnTest {
  private static final PacketOwner OWNER =
      new PacketOwner() {
        @Override
        protected void released(Packet packet, RunContext run) {}

        @Override
        protected @Nullable Packet replicate(Packet original) {
          return null;
        }
      };

  @ParameterizedTest
  @CsvSource({
    "RC_SEND_ONLY, 0, 2",
    "RC_SEND_ONLY, 104, 106",
    "RC_SEND_ONLY, 105, 105",
    "RC_SEND_ONLY, 107, 107",
    "RC_ACKNOWLEDGE, 0, 2",
    "UC_SEND_ONLY, 0, 0",
    "UD_SEND_ONLY, 0, 0",
    "UD_SEND_ONLY, 3, 3",
    "CNP, 0, 0"
  })
  @DisplayName("packets of reliable connections ask for marks, unless their route has bits")
  void capable(BthOpcode opcode, int route, int sent) {
    Packet p = new Packet(OWNER);
    p.opcode = opcode.value();
    p.trafficClass = route;
    assertEquals(sent, Ecn.capable(p));
  }

  @Test
  @DisplayName("what a receiver reads: asked for, and marked")
  void read() {
    assertFalse(Ecn.isCapable(0x68));
    assertTrue(Ecn.isCapable(0x69));
    assertTrue(Ecn.isCapable(0x6a));
    assertFalse(Ecn.isCongested(0x6a));
    assertTrue(Ecn.isCongested(0x6b));
  }
}
