package ib.tools.rdmacm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertLinesMatch;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import ib.cm.rdma.PortSpace;
import ib.cm.rdma.QpFactory;
import ib.cm.rdma.RdmaCm;
import ib.cm.rdma.RdmaConnection;
import ib.cm.rdma.RdmaHandler;
import ib.cm.rdma.RdmaOptions;
import ib.cm.rdma.RdmaRequest;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.IbDevice;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.tools.output.Printable;
import ib.tools.rdma.Rdma;
import ib.tools.rdmacm.CmWorld.Run;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("rdma resource lists connections and listeners by address, as iproute2's")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
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

  /** Makes a queue pair of type UC. */
  private static final class Maker implements QpFactory {
    private @Nullable ProtectionDomain pd;
    private @Nullable CompletionQueue cq;

    @Override
    public QueuePair make(IbDevice device, int port) {
      ProtectionDomain domain = device.allocPd();
      CompletionQueue queue = device.createCq(new CqInit(2));
      pd = domain;
      cq = queue;
      return domain.createQp(new QpInit(QpType.UC, queue, new QpCap(1, 1, 1, 1, 0)));
    }

    @Override
    public void destroyed(QueuePair qp) {
      Objects.requireNonNull(cq).close();
      Objects.requireNonNull(pd).close();
    }
  }

  @Test
  @DisplayName("K22: of a connection of type UC it names the type, and lines are chosen by it")
  void types() throws Exception {
    InetSocketAddress at = new InetSocketAddress(InetAddress.getByName(world.address()), 7195);
    BlockingQueue<RdmaConnection> accepted = new LinkedBlockingQueue<>();
    Consumer<RdmaRequest> accepts =
        r -> accepted.add(r.accept(RdmaOptions.rc(), new Maker(), RdmaHandler.NONE));
    try (RdmaCm cm = RdmaCm.open(world.fabric().core(), world.manager(), "uc")) {
      cm.listen(at, PortSpace.TCP, Set.of(QpType.UC), 1, accepts);
      RdmaConnection mine = cm.connect(at, RdmaOptions.uc(), new Maker());
      RdmaConnection theirs = accepted.poll(1, TimeUnit.MINUTES);
      assertNotNull(theirs, "accepted");
      theirs.established().get(1, TimeUnit.MINUTES);
      String both = "cm-idn \\d+ lqpn \\d+ qp-type UC state CONNECT ps TCP comm \\[uc] .*";
      assertLinesMatch(
          List.of("link soft0/1 " + both, "link soft1/1 " + both),
          rdma("res show cm_id qp-type UC"));
      assertEquals(List.of(), rdma("res show cm_id qp-type RC"));
      mine.close();
      theirs.close();
    }
    world.close();
  }
}
