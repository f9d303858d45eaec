package ib.tools.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.IbCore;
import ib.core.spi.FaultInjection;
import ib.core.spi.FaultRule;
import ib.driver.soft.standalone.SoftFabric;
import ib.tools.diags.Perfquery;
import ib.tools.getopt.CommandException;
import ib.tools.output.Printable;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("B10, B11: commands that ask the nodes of the fabric, and not this runtime")
@Timeout(600)
class NodeCountersTest {
  private static final Pattern RECEIVED = Pattern.compile("PortRcvPkts:[.]*([0-9]+)");

  private final SoftFabric fabric = SoftFabric.open("soft0", "soft1");
  private final IbCore core = fabric.core();
  private final String ofSwitch = String.valueOf(scan(true).lid());

  @AfterEach
  void close() {
    fabric.close();
  }

  /** The port by which a switch has its LID, or the port of soft1. */
  private Scan.Port scan(boolean wantsSwitch) {
    try (Smi smi = Smi.open(core, new LocalPort("soft0", 1), "test", Options.TIMEOUT_MS)) {
      return Scan.of(smi).nodes().stream()
          .filter(n -> wantsSwitch ? n.isSwitch() : n.description().equals("soft1"))
          .findFirst()
          .orElseThrow()
          .ports()
          .firstEntry()
          .getValue();
    } catch (NoAnswerException e) {
      throw new AssertionError(e);
    }
  }

  private String perfquery(String line) {
    Object value = Perfquery.run(core, line.split(" "));
    return value == null ? "" : ((Printable) value).text();
  }

  private long received(int port) {
    Matcher m = RECEIVED.matcher(perfquery("-x " + ofSwitch + " " + port));
    assertTrue(m.find());
    return Long.parseLong(m.group(1));
  }

  private FaultInjection faults() {
    return fabric.service("soft0", FaultInjection.class);
  }

  private String ibping(String line) {
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
    return Ibping.run(core, out, out, line.split(" "));
  }

  @Test
  @DisplayName("perfquery reads and resets the counters of a switch, by its LID or GUID")
  void ofSwitch() {
    int port = scan(false).remote().number();
    ibping("-C soft1 -f -c 200 " + core.device("soft0").orElseThrow().port(1).lid());
    long before = received(port);
    assertTrue(before >= 200, () -> "packets that soft1 has sent: " + before);
    assertNull(Perfquery.run(core, "-x", "-R", ofSwitch, String.valueOf(port)));
    long after = received(port);
    assertTrue(after < 200, () -> "reset: " + after);
    String guid = String.format("0x%x", scan(true).guid());
    assertTrue(perfquery("-G " + guid + " 1").startsWith("# Port counters: Lid " + ofSwitch));
    assertTrue(perfquery("-l " + ofSwitch + " 1-3").contains("port 3 "));
    assertTrue(perfquery("-a " + ofSwitch).contains("PortSelect:......................255"));
  }

  @Test
  @DisplayName("perfquery says that a port is not there, with the original's status")
  void notThere() {
    for (String line : List.of("-t 50 77", ofSwitch + " 99", "-G 0x1")) {
      CommandException e = assertThrows(CommandException.class, () -> perfquery(line));
      assertEquals(255, e.getAsInt(), line);
      assertTrue(String.valueOf(e.getMessage()).startsWith("perfquery: iberror: failed"), line);
    }
  }

  @Test
  @DisplayName("ibping -G asks the port of the GUID, and no other one")
  void guid() {
    String guid = String.format("0x%x", scan(false).guid());
    assertTrue(ibping("-c 1 -f -G " + guid).contains("1 packets transmitted, 1 received"));
    CommandException e = assertThrows(CommandException.class, () -> ibping("-c 1 -G 0x1"));
    assertTrue(String.valueOf(e.getMessage()).contains("can't resolve destination port 0x1"));
  }

  @Test
  @DisplayName("ibnodes: what ibhosts and ibswitches list")
  void nodes() {
    String all = Commands.IBNODES.run(core);
    assertEquals(Commands.IBHOSTS.run(core) + "\n" + Commands.IBSWITCHES.run(core), all);
    assertEquals(3, all.lines().count());
  }

  @Test
  @DisplayName(
      "ibqueryerrors: nothing, then the port that has dropped packets, until it is cleared")
  void errors() {
    String clean = Queryerrors.run(core, "-k");
    assertTrue(clean.contains("## Summary: 3 nodes checked, 0 bad nodes found"), clean);
    faults().add(FaultRule.parse("corrupt dir=out count=1"));
    ibping("-C soft0 -f -c 1 -t 20 " + core.device("soft1").orElseThrow().port(1).lid());
    CommandException bad = assertThrows(CommandException.class, () -> Queryerrors.run(core));
    assertEquals(1, bad.getAsInt());
    String report = String.valueOf(bad.getMessage());
    assertTrue(report.contains(" \"soft1\"\n   GUID 0x"), report);
    assertTrue(report.contains("1 bad nodes found"), report);
    String counter = report.replaceAll("(?s).*port 1: \\[(\\w+) .*", "$1");
    String without = Queryerrors.run(core, "-s", counter);
    assertTrue(without.contains("0 bad nodes found") && without.endsWith(counter), without);
    assertThrows(CommandException.class, () -> Queryerrors.run(core, "-k"));
    assertFalse(Queryerrors.run(core).contains("Errors"), "cleared");
  }

  @Test
  @DisplayName("the agent and perfquery say the same of the agent (CapMask)")
  void capMask() throws NoAnswerException {
    assertTrue(perfquery(ofSwitch).contains("(CapMask: 0x1300)"));
    assertEquals(1, Arrays.stream(perfquery(ofSwitch).split("CapMask")).skip(1).count());
  }
}
