package ib.tools.shell;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class LikenessTest {
  private static final List<String> NAMES =
      List.of("ibv_devices", "ibv_devinfo", "ibstat", "ibstatus", "perfquery", "plug", "unplug");

  @Test
  @DisplayName("U6: a letter too few, too many or wrong")
  void near() {
    assertEquals(List.of("ibv_devices"), Likeness.find("ibv_device", NAMES));
    assertEquals(List.of("perfquery"), Likeness.find("perfqueri", NAMES));
    assertEquals(List.of("ibstat"), Likeness.find("ibsta", NAMES));
    assertEquals(List.of("plug"), Likeness.find("plugg", NAMES));
  }

  @Test
  @DisplayName("U6: a beginning")
  void prefix() {
    assertEquals(List.of("ibv_devices", "ibv_devinfo"), Likeness.find("ibv_", NAMES));
  }

  @Test
  @DisplayName("U6: what is like nothing gets no suggestion")
  void far() {
    assertEquals(List.of(), Likeness.find("ls", NAMES));
    assertEquals(List.of(), Likeness.find("nosuch", NAMES));
    assertEquals(List.of(), Likeness.find("ibv_device", List.of()));
  }

  @Test
  @DisplayName("the distance counts letters added, removed and changed")
  void distance() {
    assertEquals(0, Likeness.distance("", ""));
    assertEquals(3, Likeness.distance("", "abc"));
    assertEquals(3, Likeness.distance("kitten", "sitting"));
    assertEquals(3, Likeness.distance("sitting", "kitten"));
  }
}
