package ib.driver.soft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import ib.core.verbs.PortState;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("B5: a link trains to what both ends have enabled, and comes to ACTIVE again")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class LinkTrainingTest extends OpensmWorld {
  LinkTrainingTest() {
    super(2);
  }

  private void trained(int width, int speed) {
    OpensmTest.await(
        "width " + width + ", speed " + speed,
        () ->
            devices.get(1).queryPort(1).state() == PortState.ACTIVE
                && devices.get(1).queryPort(1).activeWidth() == width
                && devices.get(1).queryPort(1).activeSpeed() == speed);
  }

  private void ibportstate(String what) throws Exception {
    String said = Opensm.tool(port, "soft0", dir, ("ibportstate 49151 2 " + what).split(" "));
    assertFalse(said.contains("iberror"), said);
  }

  @Test
  @DisplayName(
      "B5: ibportstate width, speed and espeed take effect with reset; agent and device agree")
  void ibportstate() throws Exception {
    trained(2, 32);
    ibportstate("width 1");
    ibportstate("reset");
    trained(1, 32);
    ibportstate("espeed 30"); // none
    ibportstate("speed 3");
    ibportstate("reset");
    trained(1, 2);
    ibportstate("width 255"); // all that is supported
    ibportstate("speed 15");
    ibportstate("espeed 31");
    ibportstate("reset");
    trained(2, 32);
    String said = Opensm.tool(port, "soft0", dir, "ibportstate", "49151", "2");
    assertEquals(2, said.lines().filter(l -> l.matches("LinkWidthActive:\\.+4X")).count(), said);
    assertFalse(said.contains("validate_"), said);
  }

  @Test
  @DisplayName("B5: enable does not bring a link up whose cable is not in")
  void withoutCable() throws Exception {
    devices.get(1).change(ConfigReader.read("soft1", java.util.Map.of("link", "down")));
    ibportstate("enable");
    assertEquals(PortState.DOWN, devices.get(1).queryPort(1).state());
  }
}
