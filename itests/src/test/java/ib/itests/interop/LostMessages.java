package ib.itests.interop;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import ib.itests.Program;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.After;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/**
 * T14: the first message of each kind is lost, at our end of the link: it is sent again once, and
 * the programs see nothing of it. A lost DREQ is not among them: Linux's program is gone then.
 */
@RunWith(Parameterized.class)
public class LostMessages {
  private static final int FIRST_PORT = 7_700;
  private static int last = FIRST_PORT;
  private final boolean linuxServes;
  private final String message;
  private final int port = ++last;

  public LostMessages(String name, String message, boolean linuxServes) {
    assertEquals("T14", name);
    this.message = message;
    this.linuxServes = linuxServes;
  }

  /** Each takes 4 to 7 s: for the full matrix. */
  @Parameters(name = "{0} lost {1}, Linux serves: {2}")
  public static List<Object[]> cases() {
    List<Object[]> cases = new ArrayList<>();
    if (Matrix.FULL) {
      for (boolean linuxServes : List.of(false, true)) {
        for (String message : List.of("REQ", "REP", "RTU", "DREP")) {
          cases.add(new Object[] {"T14", message, linuxServes});
        }
      }
    }
    return Lane.chosen(cases);
  }

  /** The active side, here the client, begins to disconnect, so it sends all but REP and DREP. */
  private String rule() {
    boolean active = message.equals("REQ") || message.equals("RTU");
    String direction = active == linuxServes ? "out" : "in";
    int skip = message.equals("RTU") || message.equals("DREP") ? 1 : 0;
    return "ib:fault add rxe0 loss dir=" + direction + " qp=1 count=1 skip=" + skip;
  }

  @Test
  public void sentAgainOnce() throws Exception {
    Lane.LANE.meet(false);
    Lane.LANE.inTime();
    Map<String, Long> there = Managers.there();
    Map<String, Long> here = Managers.here();
    Lane.LANE.run(rule());
    String client = linuxServes ? linuxServes() : weServe();
    assertTrue(client, client.contains("ping data: rdma-ping-4: "));
    Lane.LANE.shell().runUntil("ib:fault list -j rxe0", LostMessages::hit);
    if (message.equals("REQ") || message.equals("REP")) {
      assertEquals("sent again", 1, sentAgain(there, here));
    }
  }

  /** The client repeats the REQ, the server the REP. */
  private long sentAgain(Map<String, Long> there, Map<String, Long> here) {
    if (message.equals("REQ") == linuxServes) {
      return Managers.grown(here, Managers.here(), "sent." + message) - 1;
    }
    String name = "tx_retries." + message.toLowerCase(Locale.ROOT);
    return Managers.grown(there, Managers.there(), name);
  }

  private static boolean hit(String list) {
    return list.replaceAll("\\s", "").contains("\"hit\":1");
  }

  private String weServe() throws Exception {
    Lane.LANE.run("interop:begin T14 'rping -s -v -p " + port + " -a " + LinuxPeer.HERE + "'");
    Lane.LANE.shell().awaitText("rping: listening on " + LinuxPeer.HERE + ", port " + port + "\n");
    Program theirs =
        Lane.LANE.peer.exec("rping -c -C 5 -v -V -p " + port + " -a " + LinuxPeer.HERE + " 2>&1");
    Lane.LANE.run("interop:finish T14 0");
    assertEquals(theirs.toString(), 0, theirs.status());
    return theirs.out();
  }

  private String linuxServes() throws Exception {
    CompletableFuture<Program> theirs =
        CompletableFuture.supplyAsync(
            () -> Lane.LANE.peer.exec("rping -s -v -p " + port + " -a " + LinuxPeer.ADDRESS),
            LinuxPeer.BESIDE);
    Lane.LANE.peer.must(
        "for i in $(seq 300); do rdma res show cm_id | grep -q LISTEN && exit 0; sleep 0.1; done;"
            + " exit 1");
    String printed = Lane.LANE.run("rping -c -C 5 -v -V -p " + port + " -a " + LinuxPeer.ADDRESS);
    Program ended = theirs.get(Lane.END_S, TimeUnit.SECONDS);
    assertEquals(ended + "\n" + printed, 0, ended.status());
    return printed;
  }

  @After
  public void calm() {
    Lane.LANE.run("ib:fault clear rxe0");
    Managers.nothingIsLeft();
  }
}
