package ib.tools.diags;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.PortAttr;
import ib.tools.getopt.CommandException;
import ib.tools.output.Printable;
import ib.tools.testing.FakeCore;
import ib.tools.testing.Rxe;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("issue 5, section 3: ibstat and ibstatus, in the originals' form")
class IbstatTest {
  private final FakeCore core = new FakeCore(Rxe.hca("soft0", 0, 1), Rxe.hca("two", 1, 2));

  private String ibstat(String line) {
    return text(Ibstat.ibstat(core, line.isEmpty() ? new String[0] : line.split(" ")));
  }

  private static String text(Object value) {
    return value instanceof Printable p ? p.text() : value.toString();
  }

  @Test
  @DisplayName("ibstat prints what infiniband-diags 44 prints, field by field")
  void adapter() {
    assertEquals(
        """
        CA 'soft0'
        \tCA type:\s
        \tNumber of ports: 1
        \tFirmware version: 0.0.0
        \tHardware version: 0
        \tNode GUID: 0x02c90300000a0001
        \tSystem image GUID: 0x02c90300000a0001
        \tPort 1:
        \t\tState: Active
        \t\tPhysical state: LinkUp
        \t\tRate: 2
        \t\tBase lid: 3
        \t\tLMC: 0
        \t\tSM lid: 1
        \t\tCapability mask: 0x00000002
        \t\tPort GUID: 0x02c90300000a0001
        \t\tLink layer: InfiniBand""",
        ibstat("soft0"));
  }

  @Test
  @DisplayName("-l lists names, -p port GUIDs, -s leaves the ports out, an operand picks a port")
  void forms() {
    assertEquals("soft0\ntwo", ibstat("-l"));
    assertEquals("0x02c90300000a0002\n0x02c90300000a0002", ibstat("-p two"));
    assertEquals(7, ibstat("-s soft0").lines().count());
    assertEquals(List.of("Port 2:", "State: Active"), ibstat("two 2").lines().limit(2).toList());
  }

  @ParameterizedTest
  @CsvSource({"three, IB device can't be found", "two 3, has no port number 3"})
  @DisplayName("a missing device is named, with status 255 as in the original")
  void notThere(String line, String why) {
    CommandException e = assertThrows(CommandException.class, () -> ibstat(line));
    assertEquals(255, e.getAsInt());
    assertTrue(e.getMessage().contains(why), e.getMessage());
  }

  @Test
  @DisplayName("ibstatus prints the blocks of the original script")
  void status() {
    assertEquals(
        """
        Infiniband device 'two' port 2 status:
        \tdefault gid:\t fe80:0000:0000:0000:02c9:0300:000a:0002
        \tbase lid:\t 0x3
        \tsm lid:\t\t 0x1
        \tstate:\t\t 4: ACTIVE
        \tphys state:\t 5: LinkUp
        \trate:\t\t 2.5 Gb/sec (1X SDR)
        \tlink_layer:\t InfiniBand
        """,
        text(Ibstat.ibstatus(core, "two:2")));
    assertEquals(3 * 8 + 2, text(Ibstat.ibstatus(core)).lines().count());
  }

  @ParameterizedTest
  @CsvSource({
    "1, 1, 2.5 Gb/sec (1X SDR)",
    "2, 1, 10 Gb/sec (4X SDR)",
    "2, 4, 40 Gb/sec (4X QDR)",
    "2, 16, 56 Gb/sec (4X FDR)",
    "8, 32, 300 Gb/sec (12X EDR)",
    "16, 64, 100 Gb/sec (2X HDR)",
  })
  @DisplayName("widths and speeds in their numbers (ib_port_width, ib_port_speed)")
  void rates(int width, int speed, String text) {
    PortAttr attr = PortAttr.builder().activeWidth(width).activeSpeed(speed).build();
    assertEquals(text, LinkRate.of(attr).text());
  }
}
