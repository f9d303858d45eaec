package ib.driver.soft.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.IbInvalidException;
import ib.driver.soft.fabric.Fabric;
import ib.driver.soft.fabric.FabricPort;
import ib.driver.soft.fabric.Subnet;
import ib.driver.soft.sm.BuiltinSm;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Topologies as ibnetdiscover prints them")
final class NetFileTest {
  private static final String TWO_SWITCHES =
      """
      #
      # Topology file: generated on Sat Nov 21 17:09:05 2026
      #
      vendid=0x2c9
      devid=0x5346
      sysimgguid=0x200
      switchguid=0x200(200)
      Switch\t4 "S-0000000000000200"\t\t# "left" enhanced port 0 lid 9 lmc 0
      [1]\t"H-0000000000001000"[1](1001) \t\t# "a" lid 1 4xEDR
      [4]\t"S-0000000000000300"[4]\t\t# "right" lid 10 4xHDR

      switchguid=0x300(300)
      Switch\t4 "S-0000000000000300"\t\t# "right" enhanced port 0 lid 10 lmc 0
      [1]\t"H-0000000000001100"[1](1101) \t\t# "b" lid 2 1xQDR
      [4]\t"S-0000000000000200"[4]\t\t# "left" lid 9 4xHDR

      caguid=0x1000
      Ca\t1 "H-0000000000001000"\t\t# "a"
      [1](1001) \t"S-0000000000000200"[1]\t\t# lid 1 lmc 0 "left" lid 9 4xEDR

      caguid=0x1100
      Ca\t1 "H-0000000000001100"\t\t# "b"
      [1](1101) \t"S-0000000000000300"[1]\t\t# lid 2 lmc 0 "right" lid 10 1xQDR
      """;

  @Test
  @DisplayName("Read, brought up by the built-in subnet manager, written, read again: the same")
  void roundTrip() {
    Fabric fabric = BuiltinSm.newFabric();
    Subnet subnet = fabric.describe("file", NetFile.read(TWO_SWITCHES));
    List<FabricPort> ports = new ArrayList<>();
    ports.addAll(fabric.plug("a", 1, 1, "elsewhere"));
    ports.addAll(fabric.plug("other", 0x1100, 1, "elsewhere"));
    ports.forEach(FabricPort::plugCable);
    assertEquals(List.of(1, 2), ports.stream().map(FabricPort::lid).toList());
    String first = NetText.write(subnet.nodes(), true);
    assertTrue(first.contains("\"right\" lid 10 4xHDR"), first);
    assertTrue(first.contains("\"b\" lid 2 1xQDR"), first);
    assertEquals(shape(first), shape(NetText.write(up(NetFile.read(first)), true)));
    ports.forEach(FabricPort::close);
    fabric.forget(subnet);
    assertEquals(0, fabric.size());
  }

  private static List<Node> up(List<Node> nodes) {
    for (Node n : nodes) {
      n.ports().stream()
          .filter(p -> p.peer() != null)
          .forEach(p -> p.phys(ib.core.verbs.PhysState.LINK_UP));
    }
    return nodes;
  }

  private static List<String> shape(String text) {
    return text.lines().map(l -> l.replaceAll("lid \\d+", "lid")).toList();
  }

  @Test
  @DisplayName("A6: names that differ in the last character have GUIDs and port GUIDs of their own")
  void namesAlone() {
    List<Node> nodes =
        NetFile.read(
            """
            Switch\t4 "Switch1"
            [1]\t"Hca1"[1]
            [2]\t"Hca2"[2]

            Switch\t4 "Switch2"

            Hca\t2 "Hca1"
            Hca\t2 "Hca2"
            """);
    assertEquals(
        List.of(0x200000L, 0x200001L, 0x100000L, 0x100003L),
        nodes.stream().map(Node::guid).toList());
    assertEquals(0x100002L, nodes.get(2).port(2).guid());
    assertEquals(0x100004L, nodes.get(3).port(1).guid());
  }

  @Test
  @DisplayName("A6: a GUID in parentheses is the port's, whichever end of the cable says so")
  void portGuids() {
    List<Node> nodes =
        NetFile.read(
            """
            switchguid=0x200(200)
            Switch\t4 "S-0000000000000200"
            [1]\t"H-0000000000001000"[1](1000)
            [2]\t"H-0000000000001000"[2](fffe00001001)
            caguid=0x1000
            Ca\t2 "H-0000000000001000"
            [2](fffe00001001)\t"S-0000000000000200"[2]
            """);
    assertEquals(0x1000L, nodes.get(1).port(1).guid());
    assertEquals(0xfffe_0000_1001L, nodes.get(1).port(2).guid());
    assertEquals(0xfffe_0000_1001L, nodes.get(1).port(2).guids()[0]);
    assertEquals(0x200L, nodes.get(0).port(1).guid());
  }

  @Test
  @DisplayName("A6: a second node with the same GUID is refused, and both are named")
  void duplicates() {
    String two =
        "caguid=0x10\nCa 2 \"a\"\n[1] \"s\"[1]\ncaguid=0x%s\nCa 1 \"b\"\n%s\nSwitch 4 \"s\"";
    for (String[] each :
        List.of(
            new String[] {"line 5", "line 2", "10", ""},
            new String[] {"line 6", "a[1]", "20", "[1](11) \"s\"[2]"},
            new String[] {"line 6", "line 2", "20", "[1](10) \"s\"[2]"},
            new String[] {"line 5", "GUID 0", "0", ""})) {
      IbInvalidException e =
          assertThrows(
              IbInvalidException.class, () -> NetFile.read(String.format(two, each[2], each[3])));
      assertTrue(e.getMessage().contains(each[0]), e.getMessage());
      assertTrue(e.getMessage().contains(each[1]), e.getMessage());
    }
  }

  @Test
  @DisplayName("B5: what ibnetdiscover writes with -f, -g and -s is the same subnet")
  void forms() {
    String full = TWO_SWITCHES.replaceAll("(?m)(\\dx[A-Z]+)$", "$1 s=4 w=2 v=4");
    String grouped =
        "Non-Chassis Nodes\n\nChassis 1 (guid 0x2c9)\n"
            + TWO_SWITCHES
                .replaceAll("(?m)^\\[(\\d)\\](?=\t)", "[$1][ext $1]")
                .replaceAll("(\"S-\\w+\")\\[(\\d)\\]", "$1[$2][ext $2]");
    String found =
        "DR path slid 0; dlid 0; 0,1 -> new remote switch {0200} portnum 0 lid 9-9 \"a\"\n";
    String plain = NetText.write(up(NetFile.read(TWO_SWITCHES)), true);
    assertTrue(plain.contains("4xEDR") && plain.contains("1xQDR"), plain);
    assertTrue(
        grouped.contains("[1][ext 1]\t\"H-") && grouped.contains("[1][ext 1]\t\t#"), grouped);
    for (String form : List.of(full, grouped, found + TWO_SWITCHES)) {
      assertEquals(shape(plain), shape(NetText.write(up(NetFile.read(form)), true)), form);
    }
  }

  @Test
  @DisplayName(
      "B5: a rate that is not understood is refused with its line, not replaced by another")
  void rates() {
    for (String rate : List.of("4xFOO", "5xEDR", "4xYDR", "fast", "4xEDR s=4", "4x EDR", "EDR")) {
      String bad = TWO_SWITCHES.replaceFirst("4xEDR", rate);
      IbInvalidException e = assertThrows(IbInvalidException.class, () -> NetFile.read(bad), rate);
      assertTrue(e.getMessage().contains("line 9 of"), e.getMessage());
    }
    assertEquals(4, NetFile.read(TWO_SWITCHES.replace("4xEDR", "4xFDR10")).size());
  }

  @Test
  @DisplayName("A mistake is reported with its line")
  void refusals() {
    for (String bad :
        List.of(
            "nonsense",
            "Switch 300 \"S-1\"",
            "Switch 4 \"S-1\"\n[5] \"S-1\"[1]",
            "Switch 4 \"S-1\"\n[1] \"S-9\"[1]",
            "Switch 4 \"S-1\"\n[1] \"S-1\"[2]\n[1] \"S-1\"[3]",
            "Switch 4 \"S-1\"\n[1] \"S-1\"[1]",
            "Switch 4 \"S-1\"\n[99999999999] \"S-1\"[1]",
            "switchguid=0x11112222333344445",
            "Switch 4 \"S-1\"\nSwitch 4 \"S-1\"")) {
      IbInvalidException e = assertThrows(IbInvalidException.class, () -> NetFile.read(bad));
      assertTrue(e.getMessage().contains("line "), e.getMessage());
    }
  }
}
