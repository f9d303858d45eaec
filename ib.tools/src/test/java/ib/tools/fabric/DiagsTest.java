package ib.tools.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.tools.getopt.CommandException;
import ib.tools.testing.Golden;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("issue 5, section 3: the commands of infiniband-diags, byte for byte")
class DiagsTest {
  private final GoldenNet net = new GoldenNet();

  private String printed(Command command, String line) {
    return command.run(net, command.parse(line.isEmpty() ? new String[0] : line.split(" ")));
  }

  private static String undated(String text) {
    return text.replaceAll("generated on .*\n", "generated on\n");
  }

  private void same(Command command, String line, String golden) {
    assertEquals(undated(Golden.of("diags/" + golden)), undated(printed(command, line)) + "\n");
  }

  @ParameterizedTest
  @CsvSource({
    "nodeinfo 1, smpquery_nodeinfo_1",
    "NI 0x1, smpquery_nodeinfo_1",
    "nodeinfo 2, smpquery_nodeinfo_2",
    "'-D nodeinfo 0,1', smpquery_D_nodeinfo_0_1",
    "portinfo 1 1, smpquery_portinfo_1_1",
    "portinfo 2 3, smpquery_portinfo_2_3",
    "portinfo 2 4, smpquery_portinfo_2_4",
    "-G portinfo 0x100001 1, smpquery_portinfo_1_1",
    "nodedesc 2, smpquery_nodedesc_2",
    "switchinfo 2, smpquery_switchinfo_2",
    "pkeys 1 1, smpquery_pkeys_1_1",
    "gi 1, smpquery_gi_1",
    "sl2vl 1, smpquery_sl2vl_1",
    "vlarb 1, smpquery_vlarb_1",
    "VLArbitration 1 1, smpquery_vlarb_1_1",
    "vlarb 2, smpquery_vlarb_2",
    "vlarb 2 3, smpquery_vlarb_2_3",
    "mepi 1, smpquery_mepi_1",
    "MlnxExtPortInfo 2 3, smpquery_mepi_2_3",
    "-K portinfo 1 1, smpquery_K_portinfo_1_1",
  })
  @DisplayName("smpquery, recorded from infiniband-diags 44 on ibsim")
  void smpquery(String line, String golden) {
    same(Commands.SMPQUERY, line, golden);
  }

  @ParameterizedTest
  @CsvSource({
    "'', ibnetdiscover",
    "-f, ibnetdiscover_f",
    "-p, ibnetdiscover_p",
    "-l, ibnetdiscover_l"
  })
  @DisplayName("ibnetdiscover, recorded")
  void ibnetdiscover(String line, String golden) {
    same(Commands.IBNETDISCOVER, line, golden);
    assertEquals(List.of(), net.unanswered); // an adapter forwards nothing
  }

  @ParameterizedTest
  @CsvSource({"'', iblinkinfo", "-l, iblinkinfo_l", "-d, iblinkinfo_d"})
  @DisplayName("iblinkinfo, recorded")
  void iblinkinfo(String line, String golden) {
    same(Commands.IBLINKINFO, line, golden);
  }

  @ParameterizedTest
  @CsvSource({"2, ibroute_2", "-n 2, ibroute_n_2", "-M 2, ibroute_M_2"})
  @DisplayName("ibroute, recorded")
  void ibroute(String line, String golden) {
    same(Commands.IBROUTE, line, golden);
  }

  @ParameterizedTest
  @CsvSource({
    "-n 1 4, ibtracert_n_1_4",
    "1 2, ibtracert_1_2",
    "-G 0x100001 0x200000, ibtracert_1_2",
    "1 1, ibtracert_1_1"
  })
  @DisplayName("ibtracert, recorded")
  void ibtracert(String line, String golden) {
    same(Commands.IBTRACERT, line, golden);
  }

  @ParameterizedTest
  @CsvSource({
    "'', ibaddr",
    "2, ibaddr_2",
    "-L, ibaddr_L",
    "-l, ibaddr_l",
    "-g, ibaddr_g",
  })
  @DisplayName("ibaddr, recorded")
  void ibaddr(String line, String golden) {
    same(Commands.IBADDR, line, golden);
  }

  @Test
  @DisplayName("ibhosts, ibswitches and sminfo, recorded")
  void listsAndManager() {
    same(Commands.IBHOSTS, "", "ibhosts");
    same(Commands.IBSWITCHES, "", "ibswitches");
    same(Commands.SMINFO, "", "sminfo");
    same(Commands.SMINFO, "1", "sminfo");
  }

  @Test
  @DisplayName("smpquery pie: no port has it, which the output says in the original's words")
  void noExtended() {
    CommandException e =
        assertThrows(CommandException.class, () -> printed(Commands.SMPQUERY, "pie 1"));
    assertEquals(
        "smpquery: iberror: failed: operation pie: port info extended not supported",
        e.getMessage());
    assertEquals(255, e.getAsInt());
  }

  @Test
  @DisplayName("IBA 14.4.1: sminfo with a modifier sends a command to a subnet manager")
  void managerTold() {
    same(Commands.SMINFO, "-s 3 -p 7 1 5", "sminfo");
    same(Commands.SMINFO, "1 2", "sminfo");
    assertEquals(List.of("SM_INFO 5 by state 3", "SM_INFO 2 by state 2"), net.told);
    assertThrows(CommandException.class, () -> printed(Commands.SMINFO, "-s 4 1 5"));
    assertThrows(CommandException.class, () -> printed(Commands.SMINFO, "-p 16 1 5"));
  }

  @Test
  @DisplayName("a node that does not answer is named, with status 255")
  void noAnswer() {
    CommandException e =
        assertThrows(CommandException.class, () -> printed(Commands.SMPQUERY, "nodeinfo 99"));
    assertEquals(255, e.getAsInt());
    assertTrue(e.getMessage().contains("operation nodeinfo: node info query failed"));
    assertTrue(e.getMessage().contains("Lid 99"));
    assertThrows(CommandException.class, () -> printed(Commands.IBTRACERT, "1 77"));
    assertThrows(CommandException.class, () -> printed(Commands.IBROUTE, "1"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "nodeinfo",
        "nodeinfo x",
        "nodeinfo 0",
        "nodeinfo 49152",
        "what 1",
        "-D nodeinfo 0,255",
        "-D nodeinfo 0,,1",
        "-D nodeinfo 0,a"
      })
  @DisplayName("invalid operands are refused")
  void badOperands(String line) {
    assertThrows(CommandException.class, () -> printed(Commands.SMPQUERY, line));
  }

  @Test
  @DisplayName("a scan asks each end of a link once")
  void economy() {
    printed(Commands.IBHOSTS, "");
    // two for the own node and each end of a link, one for each switch and each port of interest
    assertTrue(net.questions <= 2 * 13 + 2 + 2 * 9 + 4, net.questions + " questions");
  }
}
