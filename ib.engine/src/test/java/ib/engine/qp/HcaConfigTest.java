package ib.engine.qp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import ib.core.verbs.Limit;
import ib.core.verbs.LinkLayer;
import ib.core.verbs.Mtu;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class HcaConfigTest {
  private static final int BUDGET = 4096;
  private static final int JUMBO = 4096;
  private static final int MAX_WINDOW = 1 << 20;

  private final HcaConfig config = HcaConfig.of(0x10, 0x11, 0x12);

  @Test
  @DisplayName("a limit of which nothing is said is that of the defaults, a changed one is changed")
  void limits() {
    HcaConfig changed = config.withLimits(Map.of(Limit.MAX_QP, 7L));

    assertEquals(7, changed.limit(Limit.MAX_QP));
    assertEquals(config.limit(Limit.MAX_CQ), changed.limit(Limit.MAX_CQ));
    assertEquals(HcaConfig.defaults().get(Limit.MAX_QP), config.limit(Limit.MAX_QP));
    assertEquals(2, changed.portCount());
  }

  @Test
  @DisplayName("a limit that has no default is 0")
  void noLimit() {
    for (Limit limit : Limit.values()) {
      assertEquals(HcaConfig.defaults().getOrDefault(limit, 0L), config.limit(limit), limit::name);
    }
  }

  @Test
  @DisplayName("a port has 128 GIDs, on Ethernet 1,024")
  void gids() {
    HcaConfig ethernet = config.withLink(LinkLayer.ETHERNET, "2", Mtu.MTU_1024);

    assertEquals(128, config.gidCount());
    assertEquals(1024, ethernet.gidCount());
    assertEquals("2", ethernet.firmware());
    assertEquals(Mtu.MTU_1024, ethernet.mtuMax());
  }

  @Test
  @DisplayName("the least and the most of each measure are taken, one beyond is refused")
  void pace() {
    assertEquals(2, config.withPace(BUDGET, JUMBO, 1, 1, 2).windowPackets());
    assertEquals(MAX_WINDOW, config.withPace(BUDGET, JUMBO, 1, 1, MAX_WINDOW).windowPackets());
    refused(BUDGET - 1, JUMBO, 1, 1, 2);
    refused(BUDGET, 0, 1, 1, 2);
    refused(BUDGET, JUMBO + 1, 1, 1, 2);
    refused(BUDGET, JUMBO, 3, 1, 2);
    refused(BUDGET, JUMBO, 1, 3, 2);
    refused(BUDGET, JUMBO, 1, 1, 1);
    refused(BUDGET, JUMBO, 1, 1, MAX_WINDOW + 1);
  }

  private void refused(int budget, int jumbo, int requests, int responses, int window) {
    assertThrows(
        IllegalArgumentException.class,
        () -> config.withPace(budget, jumbo, requests, responses, window));
  }
}
