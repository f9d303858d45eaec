package ib.tools.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.mad.smp.PortInfo;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("findings B4: XDR, whose fields older ports do not have")
final class AttributeTextTest {
  private final MemorySegment info = MemorySegment.ofArray(new byte[64]);

  @Test
  @DisplayName("a port that can do XDR has three lines more")
  void xdr() {
    PortInfo.LINK_SPEED_ACTIVE.set(info, 4);
    PortInfo.LINK_SPEED_EXT_ACTIVE.set(info, 8);
    assertEquals("106.25 Gbps", AttributeText.speed(info));
    assertFalse(AttributeText.port(info, false).contains("Active2:"), "no second extended speed");
    PortInfo.LINK_SPEED_EXT_SUPPORTED_2.set(info, 1);
    PortInfo.LINK_SPEED_EXT_ENABLED_2.set(info, 1);
    assertTrue(AttributeText.port(info, false).contains("No Extended Speed 2"));
    PortInfo.LINK_SPEED_EXT_ACTIVE_2.set(info, 1);
    assertEquals("212.5 Gbps", AttributeText.speed(info));
    assertTrue(
        AttributeText.port(info, false)
            .endsWith(
                """
                LinkSpeedExtActive2:.............212.5 Gbps
                LinkSpeedExtSupported2:..........212.5 Gbps
                LinkSpeedExtEnabled2:............212.5 Gbps"""),
        () -> AttributeText.port(info, false));
  }
}
