package ib.tools.pingpong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.Mtu;
import ib.tools.getopt.CommandException;
import ib.tools.output.Usage;
import ib.tools.testing.Golden;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("issue 2, section 4: the ping-pongs' options are the originals'")
class SettingsTest {
  private static Settings parse(Kind kind, String... args) {
    return Settings.parse(kind, Set.of("soft0", "soft1")::contains, args);
  }

  private static String failure(Kind kind, String... args) {
    CommandException e = assertThrows(CommandException.class, () -> parse(kind, args));
    assertEquals(1, e.getAsInt());
    return e.getMessage() + "\n";
  }

  @ParameterizedTest
  @CsvSource({"RC, ibv_rc_pingpong_help", "UD, ibv_ud_pingpong_help", "SRQ, ibv_srq_pingpong_help"})
  @DisplayName("--help, as recorded, and our own options behind it")
  void help(Kind kind, String golden) {
    String says = failure(kind, "--help");
    assertTrue(says.startsWith(Golden.of(golden)), says);
    for (String ours : List.of("--bind=<address>", "--no-warmup", "--json")) {
      assertTrue(says.contains(ours), says);
    }
  }

  @Test
  void defaults() {
    Settings s = parse(Kind.RC);
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
    assertEquals(1024, parse(Kind.UD).size());
  }

  @Test
  void all() {
    Settings s =
        parse(
            Kind.RC,
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
    assertEquals(List.of("soft0", "soft1"), parse(Kind.RC, "-d", "soft0", "soft1").devices());
    assertEquals(List.of("soft0", "soft1"), parse(Kind.UC, "-d", "soft0", "-d", "soft1").devices());
    assertEquals(List.of("soft0", "soft0"), parse(Kind.UD, "-d", "soft0", "soft0").devices());
    assertTrue(parse(Kind.RC, "-d", "soft0", "soft1").bothEnds());
    assertEquals("soft9", parse(Kind.RC, "-d", "soft0", "soft9").host());
    assertTrue(failure(Kind.RC, "soft1").contains("which device is the other end?"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "-p65536 | option '--port' is '65536', it must be a number from 0 to 65535",
        "-i0 | option '--ib-port' is '0', it must be a number from 1 to 255",
        "-m100 | there is no MTU of 100 bytes",
        "-nx | option '--iters' is 'x', it must be a number, 1 or more",
        "-n0 | option '--iters' is '0', it must be a number, 1 or more",
        "-s-1 | option '--size' is '-1', it must be a number from 0 to 1073741824",
        "-r0 | option '--rx-depth' is '0', it must be a number from 1 to 2147483646",
        "-l16 | option '--sl' is '16', it must be a number from 0 to 15",
        "a b | one operand too many: 'b'",
        "-dsoft0 -dsoft1 host | two devices at most, or one and a host",
        "-da -db -dc | two devices at most, or one and a host"
      })
  @DisplayName("wrong values: the reason, and the usage, which the originals print alone")
  void wrongValues(String line, String why) {
    assertEquals(
        "ibv_rc_pingpong: " + why + "\n" + Usage.of("ibv_rc_pingpong") + "\n",
        failure(Kind.RC, line.split(" ")));
  }

  @Test
  @DisplayName("ibv_srq_pingpong: queue pairs, and a receive for each")
  void shared() {
    assertEquals(16, parse(Kind.SRQ).queuePairs());
    assertEquals(256, parse(Kind.SRQ, "-q", "256").queuePairs());
    assertEquals(1, parse(Kind.RC).queuePairs());
    assertEquals(
        "ibv_srq_pingpong: option '--num-qp' is '257', it must be a number from 1 to 256\n"
            + Usage.of("ibv_srq_pingpong")
            + "\n",
        failure(Kind.SRQ, "-q", "257"));
    assertEquals(
        "rx_depth 15 is too small for 16 QPs -- must have at least one receive per QP.\n",
        failure(Kind.SRQ, "-r", "15"));
    assertTrue(failure(Kind.RC, "-q1").startsWith("ibv_rc_pingpong: invalid option -- 'q'"));
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
      assertEquals(expected, failure(Kind.UC, "-" + option));
    }
    assertTrue(
        failure(Kind.UD, "-m1024").startsWith("ibv_ud_pingpong: invalid option -- 'm'\nUsage:"));
    assertEquals("DM memory region can't be on demand\n", failure(Kind.RC, "-oj"));
    assertEquals("prefetch is valid only with on-demand memory region\n", failure(Kind.RC, "-P"));
    assertTrue(parse(Kind.RC, "-O", "-P").modes().odp());
    assertTrue(parse(Kind.RC, "-j").modes().deviceMemory());
  }
}
