package ib.tools.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.DeviceInfo;
import ib.tools.diags.Ibstat;
import ib.tools.getopt.CommandException;
import ib.tools.output.Printable;
import ib.tools.output.Usage;
import ib.tools.testing.FakeCore;
import ib.tools.testing.Golden;
import ib.tools.testing.Rxe;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("issue 2, section 4: ibv_devices and ibv_devinfo, byte for byte")
class DevinfoTest {
  private final FakeCore core = new FakeCore(Rxe.rxe0());

  /** As the shell prints it. */
  private static String printed(Object value) {
    return ((Printable) value).text() + "\n";
  }

  private static CommandException failure(FakeCore core, String... args) {
    return assertThrows(CommandException.class, () -> Devinfo.run(core, args));
  }

  @Test
  void devices() {
    assertEquals(Golden.of("ibv_devices"), printed(DeviceList.run(core)));
    FakeCore two = new FakeCore(Rxe.hca("soft0", 1, 1), Rxe.rxe0());
    assertEquals(
        List.of("rxe0", "soft0"), DeviceList.run(two).stream().map(r -> r.name()).toList());
    assertEquals("rxe0\nsoft0\n", printed(Ibstat.ibstat(two, "-l")));
  }

  @Test
  void brief() {
    assertEquals(Golden.of("ibv_devinfo"), printed(Devinfo.run(core)));
    assertEquals(Golden.of("ibv_devinfo"), printed(Devinfo.run(core, "--ib-dev=rxe0", "-i1")));
  }

  @Test
  void verbose() {
    assertEquals(Golden.of("ibv_devinfo_v"), printed(Devinfo.run(core, "-v")));
  }

  @Test
  void list() {
    assertEquals(Golden.of("ibv_devinfo_l"), printed(Devinfo.run(core, "-l")));
    FakeCore two = new FakeCore(Rxe.rxe0(), Rxe.hca("soft0", 1, 1));
    assertEquals("2 HCAs found:\n\trxe0\n\tsoft0\n\n", printed(Devinfo.run(two, "--list")));
    assertEquals("soft0", ((DeviceInfo) Devinfo.run(two, "-l").get(1)).name());
  }

  @Test
  @DisplayName("an unknown device: the original's words and status")
  void unknown() {
    CommandException e = failure(core, "-d", "nosuch");
    assertEquals(Golden.of("ibv_devinfo_bad"), e.getMessage() + "\n");
    assertEquals(255, e.getAsInt());
    assertEquals("No IB devices found", failure(new FakeCore()).getMessage());
  }

  @Test
  @DisplayName("a wrong port")
  void wrongPort() {
    CommandException e = failure(core, "-i", "2");
    assertEquals("Invalid port requested for device", e.getMessage());
    assertEquals(4, e.getAsInt());
    assertEquals(
        "ibv_devinfo: option '--ib-port' is '0', it must be a number from 1 to 255\n"
            + Usage.of("ibv_devinfo"),
        failure(core, "-i", "0").getMessage());
  }

  @Test
  @DisplayName("wrong options: getopt's message, the original's usage, status 1")
  void usage() {
    CommandException e = failure(core, "-x");
    assertEquals("ibv_devinfo: invalid option -- 'x'\n" + Usage.of("ibv_devinfo"), e.getMessage());
    assertTrue(
        e.getMessage()
            .contains("Usage: ibv_devinfo             print the ca attributes\n\nOptions:\n"));
    assertEquals(1, e.getAsInt());
    assertThrows(CommandException.class, () -> DeviceList.run(core, "-x"));
  }

  @Test
  @DisplayName("the InfiniBand link layer: LIDs, and GIDs in full without a type")
  void infiniband() {
    FakeCore ib = new FakeCore(Rxe.hca("soft0", 0, 2));
    String text = printed(Devinfo.run(ib, "-v"));
    assertTrue(text.contains("\t\t\tsm_lid:\t\t\t1\n\t\t\tport_lid:\t\t3\n"), text);
    assertTrue(text.contains("\t\t\tlink_layer:\t\tInfiniBand\n"), text);
    assertTrue(text.contains("\t\t\tGID[  0]:\t\tfe80:0000:0000:0000:02c9:0300:000a:0001\n"), text);
    assertTrue(text.contains("\n\n\t\tport:\t2\n"), text);
  }

  @Test
  @DisplayName("two devices are parted by the blank line of the first")
  void two() {
    FakeCore two = new FakeCore(Rxe.rxe0(), Rxe.rxe0());
    assertEquals(Golden.of("ibv_devinfo").repeat(2), printed(Devinfo.run(two)));
  }

  @Test
  void json() {
    assertEquals(
        "[{\"name\":\"rxe0\",\"nodeGuid\":\"5054:00ff:fe12:3456\"}]\n",
        printed(DeviceList.run(core, "-j")));
    String json = printed(Devinfo.run(core, "-vj"));
    assertTrue(json.startsWith("[{\"hca_id\":\"rxe0\",\"transport\":\"InfiniBand\","), json);
    assertTrue(json.contains("\"max_mr_size\":18446744073709551615"), json);
    assertTrue(
        json.contains("\"gids\":{\"0\":\"fe80::5054:ff:fe12:3456\",\"1\":\"::ffff:10.77.0.2\"}"),
        json);
  }
}
