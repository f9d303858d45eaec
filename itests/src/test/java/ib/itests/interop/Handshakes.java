package ib.itests.interop;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import ib.itests.Program;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.After;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/** Connections by address that only one side can begin, or that are not made (T9, T10, T15). */
@RunWith(Parameterized.class)
public class Handshakes {
  private static final int FIRST_PORT = 7_400;
  private static int last = FIRST_PORT;
  private final String name;
  private final int port = ++last;

  public Handshakes(String name, String options) {
    assertEquals("", options);
    this.name = name;
  }

  @Parameters(name = "{0}")
  public static List<Object[]> cases() {
    return Lane.chosen(
        Arrays.asList(
            new Object[][] {
              {"T9 cmtime", ""}, {"T10 nothing listens", ""}, {"T15 killed client", ""}
            }));
  }

  @After
  public void nothingIsLeft() {
    Managers.nothingIsLeft();
  }

  @Test
  public void ends() throws Exception {
    Lane.LANE.meet(false);
    Lane.LANE.inTime();
    switch (name.split(" ")[0]) {
      case "T9" -> manyConnections();
      case "T10" -> nothingListens();
      default -> killedClient();
    }
  }

  /** T9: our client makes 100 connections at once to Linux's server. */
  private void manyConnections() throws Exception {
    String line = "cmtime -p " + port + " -b " + LinuxPeer.ADDRESS;
    CompletableFuture<Program> theirs =
        CompletableFuture.supplyAsync(
            () -> Lane.LANE.peer.exec("timeout 40 " + line), LinuxPeer.BESIDE);
    Lane.LANE.peer.must(
        "for i in $(seq 300); do rdma res show cm_id | grep -q LISTEN && exit 0; sleep 0.1; done;"
            + " exit 1");
    String printed = Lane.LANE.run("cmtime -c 100 -p " + port + " -s " + LinuxPeer.ADDRESS);
    assertTrue(printed, printed.contains("disconnect   :"));
    assertTrue(printed, printed.contains("destroy      :"));
    assertFalse(printed, printed.contains("were not made"));
    Lane.LANE.peer.signal("TERM", "cmtime");
    theirs.get(Lane.END_S, TimeUnit.SECONDS);
  }

  /** T10: each side hears reason 8 of the other one. */
  private void nothingListens() {
    String rejected = "cma event RDMA_CM_EVENT_REJECTED, error 8";
    Program theirs =
        Lane.LANE.peer.exec("rping -c -C 1 -p " + port + " -a " + LinuxPeer.HERE + " 2>&1");
    assertTrue(theirs.toString(), theirs.status() != 0 && theirs.out().contains(rejected));
    String ours = Lane.LANE.run("rping -c -C 1 -p " + port + " -a " + LinuxPeer.ADDRESS);
    assertTrue(ours, ours.contains(rejected));
    String why = Lane.LANE.run("ib:why -c " + LinuxPeer.ADDRESS + ":" + port);
    assertTrue(why, why.contains("likely: rejected, reason 8: nothing listens to the port"));
  }

  /** T15: Linux's client is killed while it is connected: our server hears its DREQ, and ends. */
  private void killedClient() throws Exception {
    String line = "rping -s -v -p " + port + " -a " + LinuxPeer.HERE;
    CompletableFuture<String> ours =
        CompletableFuture.supplyAsync(() -> Lane.LANE.run(line), LinuxPeer.BESIDE);
    Lane.LANE.shell().awaitText("listening on " + LinuxPeer.HERE + ", port " + port + "\n");
    Program killed =
        Lane.LANE.peer.exec("timeout -s KILL 5 rping -c -p " + port + " -a " + LinuxPeer.HERE);
    assertTrue(killed.toString(), killed.status() != 0);
    String printed = ours.get(Lane.END_S, TimeUnit.SECONDS);
    assertTrue(printed, printed.contains("server ping data: rdma-ping-0"));
    assertTrue(printed, printed.contains("server DISCONNECT EVENT..."));
  }
}
