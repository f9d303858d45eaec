package ib.tools.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.IbCore;
import ib.core.spi.DeviceRegistration;
import ib.core.spi.StandaloneCore;
import ib.driver.soft.SoftNode;
import ib.driver.soft.fabric.Fabric;
import ib.driver.soft.sm.BuiltinSm;
import ib.tools.getopt.CommandException;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Beneath the door, {@code SoftFabric}: a device of that answers pings itself, as the driver's
 * management agent; these nodes leave them to {@code ibping -S}.
 */
@DisplayName("issue 5, section 3: ibping")
@Timeout(600)
class IbpingTest {
  private final StandaloneCore standalone = StandaloneCore.create();
  private final IbCore core = standalone.core();
  private final Fabric fabric = BuiltinSm.newFabric();
  private final SoftNode a = new SoftNode(fabric, "a", 0x02c90300000a0000L);
  private final SoftNode b = new SoftNode(fabric, "b", 0x02c90300000b0000L);
  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
  private DeviceRegistration plugA;
  private DeviceRegistration plugB;

  @BeforeEach
  void plug() {
    plugA = standalone.drivers().register(a);
    plugB = standalone.drivers().register(b);
  }

  @AfterEach
  void unplug() {
    plugB.unregister();
    plugA.unregister();
    a.close();
    b.close();
    standalone.close();
  }

  private String ping(String line) {
    PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
    return Ibping.run(core, out, out, line.split(" "));
  }

  private boolean serving() {
    return core.clients().stream().anyMatch(c -> c.name().equals("ibping -S"));
  }

  @Test
  @DisplayName("M3, M4: pongs come back from where ibping -S runs; without it all are lost")
  void pong() throws Exception {
    int lid = core.device("b").orElseThrow().port(1).lid();
    String none = ping("-C a -c 1 -t 50 " + lid);
    assertTrue(none.contains("1 packets transmitted, 0 received, 100% packet loss"), none);
    Thread server =
        Thread.ofPlatform()
            .daemon()
            .start(() -> Ibping.run(core, System.err, System.err, "-S", "-C", "b"));
    while (!serving() && !Thread.currentThread().isInterrupted()) {
      Thread.onSpinWait();
    }
    // refused until the other thread has come to serve
    for (int i = 0; i < 1_000 && ping("-C a -f -c 1 -t 20000 " + lid).contains(" 0 rec"); i++) {
      Thread.yield();
    }
    String all = ping("-C a -f -c 5 -t 20000 " + lid);
    assertTrue(all.contains("--- b.(none) (Lid " + lid + ") ibping statistics ---"), all);
    assertTrue(all.contains("5 packets transmitted, 5 received, 0% packet loss"), all);
    ping("-C a -c 1 -t 20000 " + lid);
    String out = printed.toString(StandardCharsets.UTF_8);
    assertTrue(out.contains("Pong from b.(none) (Lid " + lid + ")"), out);
    server.interrupt();
    server.join();
    assertFalse(serving());
  }

  @Test
  @DisplayName("U9: a ping that nothing answers says so in one sentence, without exceptions' names")
  void noAnswer() {
    ping("-C a -c 1 -t 50 77");
    String out = printed.toString(StandardCharsets.UTF_8);
    String says = "no answer within 50 ms; ibnetdiscover lists the LIDs that are there";
    assertEquals(List.of("ibwarn: ibping: Lid 77: " + says), out.lines().toList());
  }

  @Test
  @DisplayName("B13: a command that has no answer says so without names of Java")
  void noAnswerOfManagement() {
    for (boolean route : List.of(true, false)) {
      Command command = route ? Commands.IBROUTE : Commands.SMPQUERY;
      String[] line = {"-C", "a", "-t", "50", route ? "77" : "NI", "77"};
      CommandException e = assertThrows(CommandException.class, () -> command.run(core, line));
      String says = e.getMessage();
      assertTrue(says.contains("Lid 77): no response from QP 0 at LID 77 in 3 attempts"), says);
      assertFalse(says.contains("ib.core") || says.contains("Exception"), says);
      assertFalse(says.contains("MAD agent") || says.contains("["), says);
    }
  }

  @Test
  @DisplayName("an invalid LID and an unknown device are refused")
  void refused() {
    assertThrows(CommandException.class, () -> ping("-C a x"));
    assertThrows(CommandException.class, () -> ping("-C nobody 1"));
  }
}
