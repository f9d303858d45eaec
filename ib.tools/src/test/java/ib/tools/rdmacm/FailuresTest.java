package ib.tools.rdmacm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.cm.CmTerms;
import ib.cm.rdma.PortSpace;
import ib.cm.rdma.RdmaCm;
import ib.cm.rdma.RdmaOptions;
import ib.tools.diags.Failures;
import ib.tools.getopt.CommandException;
import ib.tools.output.Printable;
import ib.tools.rdmacm.CmWorld.Run;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("issue 14, section 4: ib:why for a connection that failed")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FailuresTest {
  private final CmWorld world = new CmWorld(Rping::run);

  private String why(String line) {
    Object shown =
        Failures.run(List.of(world.manager()), Clock.systemDefaultZone(), line.split(" "));
    return ((Printable) shown).text();
  }

  @Test
  @DisplayName("no device, nothing listens, the program refuses, the device goes; the latest 64")
  void reasons() throws Exception {
    assertTrue(Failures.asked("-j", "-c") && !Failures.asked("7"));
    CommandException none = assertThrows(CommandException.class, () -> why("-c"));
    assertEquals("ib:why: no connection has failed lately", none.getMessage());
    world.start("-c -a 192.0.2.1").failed();
    String noDevice = why("-c 192.0.2.1");
    assertTrue(noDevice.contains("RDMA_CM_EVENT_ADDR_ERROR, error -19\n  likely: no "), noDevice);
    assertTrue(noDevice.contains("\n  try: ibv_devinfo -v"), noDevice);

    world.start("-c -p 7190 -a " + world.address()).failed();
    String nothing = why("-c :7190");
    assertTrue(nothing.contains(" on soft0 by rping:"), nothing);
    assertTrue(nothing.contains("error 8\n  likely: rejected, reason 8: nothing"), nothing);
    assertTrue(nothing.contains("\n  try: whether the server runs"), nothing);

    refusedAndSilent();
    String refused = why("-c :7191");
    assertTrue(refused.contains("error 28\n  likely: rejected, reason 28: the program"), refused);
    String silent = why("-c :7193");
    assertTrue(silent.contains("UNREACHABLE, error -110\n  likely: no answer to up to 1"), silent);

    Run server = world.start("-s -P -p 7192 -a " + world.address()).listening();
    Run pings = world.start("-c -v -p 7192 -a " + world.address()).begun();
    world.fabric().unplug("soft0");
    pings.failed();
    String removed = why("-c :7192");
    assertTrue(removed.contains("RDMA_CM_EVENT_DEVICE_REMOVAL, error 0"), removed);
    assertTrue(why("-c -j :7192").contains("\"likely\":\"the device goes\""), why("-c -j :7192"));
    server.interrupt();
    server.failed();
    for (int i = 0; i < 70; i++) {
      world.start("-c -a 192.0.2.2").failed();
    }
    assertEquals(64, world.manager().failures().size());
    assertTrue(!why("-c").contains("192.0.2.1:"), "the oldest have gone");
    world.close();
  }

  /** One listener refuses, another one says nothing. */
  private void refusedAndSilent() throws Exception {
    CmTerms soon = new CmTerms(7, 16, 10, 0, 0);
    InetAddress at = InetAddress.getByName(world.address());
    try (RdmaCm cm = RdmaCm.open(world.fabric().core(), world.manager(), "refuser")) {
      cm.listen(new InetSocketAddress(at, 7191), PortSpace.TCP, 0, r -> r.reject(new byte[0]));
      cm.listen(new InetSocketAddress(at, 7193), PortSpace.TCP, 0, r -> {});
      for (int port : new int[] {7191, 7193}) {
        TimedEnd end = new TimedEnd(new Program("refuser"));
        RdmaOptions how = RdmaOptions.rc().terms(soon);
        cm.start(new InetSocketAddress(at, port), how, end, end).ended().get();
      }
    }
  }
}
