package ib.itests.interop;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;
import static org.junit.Assume.assumeTrue;

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

/** Many connections at once (T2, T9, T13, T16). */
@RunWith(Parameterized.class)
public class Crowds {
  private static final int FIRST_PORT = 7_500;
  private static final String NETEM = "netem limit 10000 loss 20% delay 2ms 1ms";
  private static int last = FIRST_PORT;
  private final String name;
  private final int port = ++last;

  public Crowds(String name, String options) {
    assertEquals("", options);
    this.name = name;
  }

  /** Those of more than two seconds are for the full matrix. */
  @Parameters(name = "{0}")
  public static List<Object[]> cases() {
    List<Object[]> cases = new ArrayList<>();
    cases.add(new Object[] {"T9 Linux's cmtime, 50", ""});
    if (Matrix.FULL) {
      cases.add(new Object[] {"T2 fifty clients", ""});
      cases.add(new Object[] {"T9 Linux's cmtime, 1000", ""});
      cases.add(new Object[] {"T13 loss", ""});
      cases.add(new Object[] {"T16 removed device", ""});
    }
    return Lane.chosen(cases);
  }

  @Test
  public void ends() throws Exception {
    Lane.LANE.meet(false);
    Lane.LANE.inTime();
    switch (name.split(" ")[0]) {
      case "T2" -> fiftyClients();
      case "T9" -> linuxClient(Integer.parseInt(name.replaceAll(".* ", "")));
      case "T13" -> loss();
      default -> removedDevice();
    }
  }

  @After
  public void nothingIsLeft() {
    Managers.nothingIsLeft();
  }

  /** Runs a server there; {@return what becomes of it}. */
  private static CompletableFuture<Program> server(String line) {
    CompletableFuture<Program> theirs =
        CompletableFuture.supplyAsync(() -> Lane.LANE.peer.exec(line), LinuxPeer.BESIDE);
    Lane.LANE.peer.must(
        "for i in $(seq 300); do rdma res show cm_id | grep -q LISTEN && exit 0; sleep 0.1; done;"
            + " exit 1");
    return theirs;
  }

  private static void end(String program, CompletableFuture<Program> server) throws Exception {
    Lane.LANE.peer.signal("TERM", program);
    server.get(Lane.END_S, TimeUnit.SECONDS);
  }

  /**
   * T2: 50 clients at once at one server of Linux. That is ucmatose: rping's server, which takes 3
   * at a time, crashes under so many (rdma-core 44).
   */
  private void fiftyClients() throws Exception {
    CompletableFuture<Program> theirs =
        server("ucmatose -c 50 -C 3 -p " + port + " -b " + LinuxPeer.ADDRESS);
    String line = "ucmatose -c 1 -C 3 -p " + port + " -s " + LinuxPeer.ADDRESS;
    String printed = Lane.LANE.run("interop:together 50 '" + line + "'");
    Program ended = theirs.get(Lane.END_S, TimeUnit.SECONDS);
    assertEquals(ended + printed, 0, ended.status());
    assertEquals(printed, 50, printed.lines().filter(l -> l.equals("return status 0")).count());
    assertEquals(
        printed, 50, printed.lines().filter(l -> l.equals("data transfers complete")).count());
  }

  /** T9: Linux makes connections at once to our server: all are made, and none needs a retry. */
  private void linuxClient(int count) throws Exception {
    assumeTrue("its cmtime needs its own server", Lane.LANE.peer.cmtimeAlone());
    Map<String, Long> before = Managers.there();
    Map<String, Long> mine = Managers.here();
    String line = "cmtime -p " + port + " -b " + LinuxPeer.HERE;
    Lane.LANE.run("interop:begin T9 '" + line + "'");
    Lane.LANE.shell().awaitText("listening on " + LinuxPeer.HERE + ", port " + port + "\n");
    Program theirs =
        Lane.LANE.peer.exec("cmtime -c " + count + " -p " + port + " -s " + LinuxPeer.HERE);
    String ours = Lane.LANE.run("interop:finish T9 0");
    Map<String, Long> after = Managers.there();
    assertEquals(theirs + "\n" + ours, 0, theirs.status());
    assertEquals(count, Managers.grown(before, after, "tx_msgs.rtu"));
    assertEquals(0, Managers.allGrown(before, after, "tx_retries."));
    assertEquals(count, Managers.grown(mine, Managers.here(), "sent.REP"));
  }

  /**
   * T13: a fifth of what the peer sends is lost: all connections are made, and no byte is wrong.
   */
  private void loss() throws Exception {
    assumeTrue("its cmtime needs its own server", Lane.LANE.peer.cmtimeAlone());
    Lane.LANE.peer.must("tc qdisc replace dev eth0 root " + NETEM);
    try {
      Lane.LANE.run("interop:listen " + LinuxPeer.HERE + " " + port + " accept");
      Program theirs = Lane.LANE.peer.exec("cmtime -c 200 -p " + port + " -s " + LinuxPeer.HERE);
      String ours = Lane.LANE.run("interop:leave " + port);
      assertEquals(theirs + "\n" + ours, 0, theirs.status());
      // where the RTU is lost, too, the DREQ comes first: such a connection is open only for Linux
      assertTrue(ours, ours.contains("{DISCONNECTED 0 in ERR=200}"));

      String server = "rping -s -p " + port + " -a " + LinuxPeer.HERE;
      Lane.LANE.run("interop:begin T13 '" + server + "'");
      Lane.LANE
          .shell()
          .awaitText("rping: listening on " + LinuxPeer.HERE + ", port " + port + "\n");
      Program pings =
          Lane.LANE.peer.exec("rping -c -C 20 -v -V -p " + port + " -a " + LinuxPeer.HERE);
      Lane.LANE.run("interop:finish T13 0");
      assertEquals(pings.toString(), 0, pings.status());
      assertTrue(pings.toString(), pings.out().contains("ping data: rdma-ping-19: "));
    } finally {
      Lane.LANE.peer.must("tc qdisc del dev eth0 root");
    }
  }

  /** T16: Linux's device goes under 100 connections, each of which hears its DREQ. */
  private void removedDevice() throws Exception {
    CompletableFuture<Program> theirs = server("cmtime -p " + port + " -b " + LinuxPeer.ADDRESS);
    Lane.LANE.run("interop:connect 100 " + LinuxPeer.ADDRESS + " " + port + " 16");
    String heard = "interop:heard " + port;
    Lane.LANE.shell().runUntil(heard, says -> says.contains("established 100"));
    try {
      // it waits until the program has closed the device
      Lane.LANE.peer.must("rdma link delete rxe0 >/dev/null 2>&1 & true");
      Lane.LANE.shell().runUntil(heard, says -> says.contains("{DISCONNECTED 0 in ERR=100}"));
    } finally {
      end("cmtime", theirs);
      Lane.LANE.peer.must(
          "for i in $(seq 200); do rdma link add rxe0 type rxe netdev eth0 2>/dev/null && exit 0;"
              + " sleep 0.1; done; exit 1");
    }
    Lane.LANE.run("interop:leave " + port);
    Program theirPing = Lane.LANE.peer.exec("rping -c -C 1 -p 7999 -a " + LinuxPeer.HERE + " 2>&1");
    assertTrue(theirPing.toString(), theirPing.out().contains("REJECTED, error 8"));
  }
}
