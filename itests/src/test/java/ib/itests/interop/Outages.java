package ib.itests.interop;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import ib.itests.Program;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/**
 * The peer's program is killed, or the peer reboots, in the middle of traffic both ways: the
 * command here ends and says why, nothing is left of it, and the next one works. The last of the
 * lane: what ran on the peer is gone.
 */
@RunWith(Parameterized.class)
public class Outages {
  private static final long BOOT_S = 240;
  private static final long MANY = 500; // packets

  /**
   * The time-out of 268 ms is longer than an answer of a loaded peer takes: when it is over before,
   * rdma_rxe comes out of step (see {@link Repeats}). Eight of them are over soon after the kill.
   */
  private static final String LONG_RUN = " -b -u 16 -s 4000 -D 90 -d rxe0 -x ";

  // 12, no answer, of what was sent, or 5, flushed, of what was to be received
  private static final Pattern FAILED = Pattern.compile("Failed status (12|5):");
  private static final String HUNG_UP = "Failed to exchange data";
  private final String outage;
  private final String program;

  public Outages(String outage, String program) {
    this.outage = outage;
    this.program = program;
  }

  @Parameters(name = "{0} {1}")
  public static List<Object[]> cases() {
    return Lane.chosen(
        Arrays.asList(
            new Object[][] {
              {"killed client", "ib_send_bw"},
              {"killed server", "ib_send_bw"},
              {"killed server", "ib_write_bw"},
              {"reboot", "ib_send_bw"}
            }));
  }

  private String here() {
    return program + LONG_RUN + Lane.LANE.gidIndex(false);
  }

  private String there() {
    return program + " -F" + LONG_RUN + Lane.gidIndexThere(false);
  }

  /** What the runtime has of the device. */
  private static String resources() {
    String line = Lane.LANE.run("rdma res");
    return line.substring(Math.max(0, line.indexOf("rxe0:"))).lines().findFirst().orElse("");
  }

  /** Waits until the run is under way; says how both ends stand if it is not in time. */
  private static void awaitTraffic(
      CompletableFuture<String> here, CompletableFuture<Program> there) {
    long before = Lane.LANE.peer.sentThere();
    long start = System.nanoTime();
    while (Lane.LANE.peer.sentThere() - before < MANY) {
      if (System.nanoTime() - start > TimeUnit.MINUTES.toNanos(5)) {
        long sent = Lane.LANE.peer.sentThere() - before;
        String ends = "\nhere: " + here.getNow("runs") + "\nthere: " + there.getNow(null);
        Program linux = Lane.LANE.peer.exec("rdma res show qp; rdma statistic show");
        fail("Linux has sent " + sent + " packets in a minute" + ends + "\n" + linux);
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
  }

  private void end() {
    if (outage.equals("reboot")) {
      Program booted = Lane.LANE.peer.run(BOOT_S, "reboot");
      assertEquals(booted.toString(), 0, booted.status());
      ScenarioBundle.put(Lane.LANE);
    } else {
      Lane.LANE.peer.signal("KILL", program);
    }
  }

  @Test
  public void outlived() throws Exception {
    Lane.LANE.inTime();
    String before = resources();
    boolean weServe = outage.equals("killed client");
    String server = weServe ? here() : there();
    CompletableFuture<String> here;
    CompletableFuture<Program> there;
    if (weServe) {
      here = CompletableFuture.supplyAsync(() -> Lane.LANE.run(server), LinuxPeer.BESIDE);
      Lane.LANE.peer.awaitListenerHere(Lane.PORT);
      String client = there() + " " + LinuxPeer.HERE;
      there = CompletableFuture.supplyAsync(() -> Lane.LANE.peer.exec(client), LinuxPeer.BESIDE);
    } else {
      there = CompletableFuture.supplyAsync(() -> Lane.LANE.peer.exec(server), LinuxPeer.BESIDE);
      Lane.LANE.peer.awaitListener(Lane.PORT);
      String client = here() + " " + LinuxPeer.ADDRESS;
      here = CompletableFuture.supplyAsync(() -> Lane.LANE.run(client), LinuxPeer.BESIDE);
    }
    awaitTraffic(here, there);
    end();
    String printed = here.get(Lane.END_S, TimeUnit.SECONDS);
    assertTrue(printed, FAILED.matcher(printed).find() || printed.contains(HUNG_UP));
    if (!outage.equals("reboot")) { // who has no power says nothing
      Program ended = there.get(Lane.END_S, TimeUnit.SECONDS);
      assertTrue(ended.toString(), ended.status() != 0);
    }
    assertEquals("what is left", before, resources());
    String next = "ibv_rc_pingpong -c -n 20 -d rxe0 -g ";
    PingPongs.check(
        Lane.LANE.visit(
            next + Lane.LANE.gidIndex(false) + " " + LinuxPeer.ADDRESS,
            next + Lane.gidIndexThere(false)));
  }
}
