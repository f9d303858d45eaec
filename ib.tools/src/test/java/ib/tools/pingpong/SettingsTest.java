package ib.tools.pingpong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.Mtu;
import ib.core.verbs.QpType;
import ib.tools.getopt.CommandException;
import ib.tools.output.Usage;
import ib.tools.testing.Golden;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("issue 2, section 4: the ping-pongs' options are the originals'")
class SettingsTest {
  private static Settings parse(QpType type, String... args) {
    return Settings.parse(type, Set.of("soft0", "soft1")::contains, args);
  }

  private static String failure(QpType type, String... args) {
    CommandException e = assertThrows(CommandException.class, () -> parse(type, args));
    assertEquals(1, e.getAsInt());
    return e.getMessage() + "\n";
  }

  @ParameterizedTest
  @CsvSource({"RC, ibv_rc_pingpong_help", "UD, ibv_ud_pingpong_help"})
  @DisplayName("--help, as recorded")
  void help(QpType type, String golden) {
    assertEquals(Golden.of(golden), failure(type, "--help"));
  }

  @Test
  void defaults() {
    Settings s = parse(QpType.RC);
    assertEquals("ibv_rc_pingpong", s.program());
    assertEquals(List.of(), s.devices());
    assertNull(s.host());
    assertEquals(18515, s.port());
    assertEquals(1, s.ibPort());
    assertEquals(4096, s.size());
    assertEquals(Mtu.MTU_1024, s.mtu());
    assertEquals(500, s.rxDepth());
    assertEquals(1000, s.iters());
    assertEquals(-1, s.gidIndex());
    assertEquals(1024, parse(QpType.UD).size());
  }

  @Test
  void all() {
    Settings s =
        parse(
            QpType.RC,
            "-p",
            "1",
            "-d",
            "soft0",
            "-i2",
            "--size=0x10",
            "-m",
            "256",
            "-r3",
            "-n",
            "4",
            "-l5",
            "-ectN",
            "-g0",
            "host");
    assertEquals(List.of("soft0"), s.devices());
    assertEquals("host", s.host());
    assertEquals(1, s.port());
    assertEquals(2, s.ibPort());
    assertEquals(16, s.size());
    assertEquals(Mtu.MTU_256, s.mtu());
    assertEquals(3, s.rxDepth());
    assertEquals(4, s.iters());
    assertEquals(5, s.sl());
    assertEquals(0, s.gidIndex());
    assertTrue(
        s.modes().events() && s.modes().check() && s.modes().timestamps() && s.modes().newPost());
    assertFalse(s.bothEnds());
  }

  @Test
  @DisplayName("users J1: a second device runs both ends here")
  void bothEnds() {
    assertEquals(List.of("soft0", "soft1"), parse(QpType.RC, "-d", "soft0", "soft1").devices());
    assertEquals(
        List.of("soft0", "soft1"), parse(QpType.UC, "-d", "soft0", "-d", "soft1").devices());
    assertEquals(List.of("soft0", "soft0"), parse(QpType.UD, "-d", "soft0", "soft0").devices());
    assertTrue(parse(QpType.RC, "-d", "soft0", "soft1").bothEnds());
    assertEquals("soft9", parse(QpType.RC, "-d", "soft0", "soft9").host());
    assertTrue(failure(QpType.RC, "soft1").contains("which device is the other end?"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-p65536",
        "-i0",
        "-m100",
        "-nx",
        "-n0",
        "-s-1",
        "-r0",
        "-l16",
        "a b",
        "-dsoft0 -dsoft1 host",
        "-da -db -dc"
      })
  @DisplayName("wrong values: the usage")
  void wrongValues(String line) {
    assertEquals(Usage.of("ibv_rc_pingpong") + "\n", failure(QpType.RC, line.split(" ")));
  }

  @Test
  @DisplayName("options that only RC has")
  void rcOnly() {
    for (String option : List.of("o", "O", "P", "t", "j", "N")) {
      String expected =
          "ibv_uc_pingpong: invalid option -- '"
              + option
              + "'\n"
              + Usage.of("ibv_uc_pingpong")
              + "\n";
      assertEquals(expected, failure(QpType.UC, "-" + option));
    }
    assertTrue(
        failure(QpType.UD, "-m1024").startsWith("ibv_ud_pingpong: invalid option -- 'm'\nUsage:"));
    assertEquals("DM memory region can't be on demand\n", failure(QpType.RC, "-oj"));
    assertEquals("prefetch is valid only with on-demand memory region\n", failure(QpType.RC, "-P"));
    assertTrue(parse(QpType.RC, "-O", "-P").modes().odp());
    assertTrue(parse(QpType.RC, "-j").modes().deviceMemory());
  }
}
