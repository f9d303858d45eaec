package ib.itests.interop;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import ib.itests.Program;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.After;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/** Programs that refuse, do not answer, or are killed (T11, T12, T15). */
@RunWith(Parameterized.class)
public class Silences {
  private static final int FIRST_PORT = 7_600;
  private static int last = FIRST_PORT;
  private final String name;
  private final int port = ++last;

  public Silences(String name, String options) {
    assertEquals("", options);
    this.name = name;
  }

  /** That of more than two seconds is for the full matrix. */
  @Parameters(name = "{0}")
  public static List<Object[]> cases() {
    List<Object[]> cases = new ArrayList<>();
    cases.add(new Object[] {"T11 refused with data", ""});
    cases.add(new Object[] {"T15 client killed before the answer", ""});
    cases.add(new Object[] {"T15 server killed before it accepts", ""});
    cases.add(new Object[] {"T15 server killed while connected", ""});
    if (Matrix.FULL) {
      cases.add(new Object[] {"T12 never accepted", ""});
    }
    return Lane.chosen(cases);
  }

  @Test
  public void ends() throws Exception {
    Lane.LANE.meet(false);
    Lane.LANE.inTime();
    switch (name.replaceAll("T[0-9]+ ", "")) {
      case "refused with data" -> refused();
      case "server killed before it accepts" -> killedServer(true);
      case "server killed while connected" -> killedServer(false);
      default -> killedClient(name.startsWith("T12"));
    }
  }

  @After
  public void nothingIsLeft() {
    Managers.nothingIsLeft();
  }

  private String listen(String how) {
    return Lane.LANE.run("interop:listen " + LinuxPeer.HERE + " " + port + " " + how);
  }

  private String heard() {
    return "interop:heard " + port;
  }

  private void leave() {
    Lane.LANE.run("interop:leave " + port);
  }

  private String client() {
    return "rping -c -p " + port + " -a " + LinuxPeer.HERE + " 2>&1";
  }

  private static CompletableFuture<Program> beside(String line) {
    return CompletableFuture.supplyAsync(() -> Lane.LANE.peer.exec(line), LinuxPeer.BESIDE);
  }

  private static void signal(String how) {
    Lane.LANE.peer.signal(how, "rping");
  }

  private static void awaitThere(String condition) {
    Lane.LANE.peer.must(
        "cd /sys/class/infiniband/rxe0/ports/1; for i in $(seq 400); do "
            + condition
            + " && exit 0; sleep 0.05; done; exit 1");
  }

  private static String reached(String counter, long count) {
    return "[ $(cat cm_" + counter + ") -ge " + count + " ]";
  }

  /** T11: our program rejects with 148 bytes of data, and Linux's hears reason 28. */
  private void refused() {
    listen("refuse");
    Program theirs = Lane.LANE.peer.exec(client());
    leave();
    assertTrue(
        theirs.toString(),
        theirs.out().contains("cma event RDMA_CM_EVENT_REJECTED, error 28")
            && theirs.status() != 0);
  }

  /**
   * T15: our program does not answer, and Linux's is killed meanwhile: it has given up (REJ 4).
   *
   * @param late T12: only after it has asked again, and heard that we are working on it (MRA)
   */
  private void killedClient(boolean late) throws Exception {
    Map<String, Long> there = Managers.there();
    Map<String, Long> here = Managers.here();
    listen("wait");
    CompletableFuture<Program> theirs = beside(client());
    Lane.LANE.shell().runUntil(heard(), says -> says.contains("requests 1,"));
    if (late) {
      awaitThere(reached("rx_msgs/mra", there.get("rx_msgs.mra") + 1));
    }
    signal("KILL");
    theirs.get(Lane.END_S, TimeUnit.SECONDS);
    long rejected = here.getOrDefault("received.REJ", 0L) + 1;
    Lane.LANE
        .shell()
        .runUntil("interop:counters", says -> says.contains("received.REJ=" + rejected + ","));
    String answer = Lane.LANE.run("interop:accept " + port);
    leave();
    assertTrue(answer, answer.contains("the peer has given up"));
    Map<String, Long> after = Managers.there();
    assertEquals(late ? 1 : 0, Managers.grown(there, after, "tx_retries.req"));
    assertEquals(late ? 1 : 0, Managers.grown(there, after, "rx_msgs.mra"));
    assertEquals(1, Managers.grown(there, after, "tx_msgs.rej"));
  }

  /**
   * T15: Linux's program is killed.
   *
   * @param pending before it has looked at our request (REJ 28); else when connected (DREQ)
   */
  private void killedServer(boolean pending) throws Exception {
    Map<String, Long> there = Managers.there();
    CompletableFuture<Program> theirs = beside("rping -s -p " + port + " -a " + LinuxPeer.ADDRESS);
    awaitThere("rdma res show cm_id | grep -q LISTEN");
    if (pending) {
      signal("STOP");
    }
    Lane.LANE.run("interop:connect 1 " + LinuxPeer.ADDRESS + " " + port + " 16");
    if (pending) {
      awaitThere(reached("rx_msgs/req", there.get("rx_msgs.req") + 1));
    } else {
      Lane.LANE.shell().runUntil(heard(), says -> says.contains("established 1,"));
    }
    signal("KILL");
    theirs.get(Lane.END_S, TimeUnit.SECONDS);
    String end = pending ? "{REJECTED 28 in ERR=1}" : "{DISCONNECTED 0 in ERR=1}";
    Lane.LANE.shell().runUntil(heard(), says -> says.contains(end));
    leave();
  }
}
