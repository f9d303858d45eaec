package ib.web.screens;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.spi.DeviceSlot;
import ib.core.spi.FaultInjection;
import ib.core.spi.QpDiagnosis;
import ib.core.verbs.CqInit;
import ib.driver.soft.standalone.SoftFabric;
import ib.tools.getopt.CommandException;
import ib.web.page.Markup;
import ib.web.page.Query;
import ib.web.page.RefusedException;
import ib.web.page.Screen;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("The screens over commands")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ScreensTest {
  private static String draw(Screen screen, String... query) {
    Map<String, String> values = new HashMap<>();
    for (int i = 0; i < query.length; i += 2) {
      values.put(query[i], query[i + 1]);
    }
    Markup out = new Markup();
    screen.drawControls(out, new Query(values));
    screen.drawLive(out, new Query(values));
    return out.toString();
  }

  @Test
  @DisplayName(
      "faults: the form adds a rule, its button removes it, a wrong word is refused in words")
  void faults() {
    try (SoftFabric soft = SoftFabric.open("s0")) {
      FaultInjection injection = soft.service("s0", FaultInjection.class);
      FaultsScreen screen = new FaultsScreen(() -> List.of(injection));
      Map<String, String> form = Map.of("act", "add", "device", "s0", "kind", "loss", "rate", "5%");
      assertEquals("rule 1 of s0: loss rate=0.05", screen.act(new Query(form)));
      assertTrue(draw(screen).contains("<td>loss rate=0.05</td>"), draw(screen));
      Map<String, String> wrong = Map.of("act", "add", "device", "s0", "kind", "loss", "rate", "x");
      CommandException e = assertThrows(CommandException.class, () -> screen.act(new Query(wrong)));
      assertTrue(String.valueOf(e.getMessage()).contains("rate is 'x'"), e.getMessage());
      Query remove = new Query(Map.of("act", "clear", "device", "s0", "number", "1"));
      assertEquals("1 removed", screen.act(remove));
      assertEquals(List.of(), injection.list());
      assertThrows(RefusedException.class, () -> screen.act(new Query(Map.of("act", "x"))));
    }
  }

  @Test
  @DisplayName("queue pairs: a row for each, and what ib:why finds for the chosen one")
  void pairs() {
    try (SoftFabric soft = SoftFabric.open("s0")) {
      QpDiagnosis diagnosis = soft.service("s0", QpDiagnosis.class);
      PairsScreen screen = new PairsScreen(soft.core(), () -> List.of(diagnosis));
      String all = draw(screen);
      assertTrue(all.contains("data-show=\"s0 0x000001\"><td>s0</td><td>0x000001</td>"), all);
      assertFalse(all.contains("id=\"panel\""), all);
      String why = draw(screen, "show", "s0 0x000001");
      assertTrue(why.contains("<pre>QP 0x000001 GSI RTS on s0"), why);
      String none = draw(screen, "show", "s0 0x99");
      assertTrue(none.contains("knows QP 0x000099"), none);
      String hostile = draw(screen, "show", "<b> 1");
      assertFalse(hostile.contains("<b>"), hostile);
    }
  }

  /** A slot, for its name. */
  private record Slot(String name) implements DeviceSlot {
    @Override
    public boolean plugged() {
      return false;
    }

    @Override
    public void plug() {}

    @Override
    public void unplug() {}
  }

  @Test
  @DisplayName("contract: an object that a client has left is listed with its client")
  void leaks() {
    try (SoftFabric soft = SoftFabric.open("s0")) {
      ContractScreen screen = new ContractScreen(soft.core(), () -> List.of(new Slot("s0")));
      assertTrue(draw(screen).contains("0 objects leaked"), draw(screen));
      soft.device("s0").createCq(new CqInit(8));
      soft.unplug("s0");
      String html = draw(screen);
      assertTrue(html.contains("1 objects leaked"), html);
      assertTrue(html.contains("<td>s0</td><td>CQ "), html);
    }
  }
}
