package ib.tools.rdmacm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertLinesMatch;

import ib.tools.output.Printable;
import ib.tools.rdma.Rdma;
import ib.tools.rdmacm.CmWorld.Run;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("rdma resource lists connections and listeners by address, as iproute2's")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CmIdsTest {
  private final CmWorld world = new CmWorld(Rping::run);

  private List<String> rdma(String line) {
    Object shown =
        Rdma.run(
            world.fabric().core(),
            List.of(),
            List.of(world.manager()),
            System.out,
            line.split(" "));
    return ((Printable) shown).text().lines().filter(l -> !l.isEmpty()).toList();
  }

  @Test
  @DisplayName(
      "state, queue pair, port space, program and both addresses (golden cm_probe_removal)")
  void shown() throws Exception {
    Run server = world.start("-s -P -p 7190 -a " + world.address()).listening();
    String here = "[0-9a-f:]+";
    String listener =
        "link soft1/1 cm-idn \\d+ state LISTEN ps TCP comm \\[rping:\\d+] src-addr "
            + here
            + ":7190 dst-addr 0\\.0\\.0\\.0:0 ";
    assertLinesMatch(List.of(listener), rdma("res show cm_id"));
    Run client = world.start("-c -v -p 7190 -a " + world.address()).begun();
    String both = "lqpn \\d+ qp-type RC state CONNECT ps TCP comm \\[rping:\\d+] src-addr " + here;
    String active = "link soft0/1 cm-idn \\d+ " + both + ":\\d+ dst-addr " + here + ":7190 ";
    String passive = "link soft1/1 cm-idn \\d+ " + both + ":7190 dst-addr " + here + ":\\d+ ";
    assertLinesMatch(List.of(active, listener, passive), rdma("res show cm_id"));
    assertLinesMatch(List.of(active), rdma("res show cm_id dst-port 7190"));
    assertLinesMatch(List.of(listener), rdma("res show cm_id state LISTEN link soft1/1"));
    assertEquals("2", rdma("res show soft1").getFirst().replaceAll(".* cm_id (\\d+) .*", "$1"));
    assertEquals("1", rdma("res show soft0").getFirst().replaceAll(".* cm_id (\\d+) .*", "$1"));
    client.interrupt();
    assertEquals(130, client.failed().getAsInt());
    server.interrupt();
    assertEquals(130, server.failed().getAsInt());
    assertEquals(List.of(), rdma("res show cm_id"), "nothing is left");
    world.close();
  }
}
