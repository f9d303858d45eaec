package ib.driver.soft.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.IbInvalidException;
import ib.driver.soft.fabric.Fabric;
import ib.driver.soft.fabric.FabricPort;
import ib.driver.soft.fabric.Subnet;
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
    Fabric fabric = new Fabric();
    Subnet subnet = fabric.describe("file", NetFile.read(TWO_SWITCHES));
    List<FabricPort> ports = new ArrayList<>();
    ports.addAll(fabric.plug("a", 1, 1, "elsewhere"));
    ports.addAll(fabric.plug("other", 0x1100, 1, "elsewhere"));
    ports.forEach(FabricPort::plugCable);
    assertEquals(List.of(1, 2), ports.stream().map(FabricPort::lid).toList());
    String first = NetFile.write(subnet.nodes());
    assertTrue(first.contains("\"right\" lid 49150 4xHDR"), first);
    assertTrue(first.contains("\"b\" lid 2 1xQDR"), first);
    assertEquals(shape(first), shape(NetFile.write(up(NetFile.read(first)))));
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
  @DisplayName("What is wrong is told with its line")
  void refusals() {
    for (String bad :
        List.of(
            "nonsense",
            "Switch 300 \"S-1\"",
            "Switch 4 \"S-1\"\n[5] \"S-1\"[1]",
            "Switch 4 \"S-1\"\n[1] \"S-9\"[1]",
            "Switch 4 \"S-1\"\n[1] \"S-1\"[2]\n[1] \"S-1\"[3]",
            "Switch 4 \"S-1\"\nSwitch 4 \"S-1\"")) {
      IbInvalidException e = assertThrows(IbInvalidException.class, () -> NetFile.read(bad));
      assertTrue(e.getMessage().contains("line "), e.getMessage());
    }
  }
}
