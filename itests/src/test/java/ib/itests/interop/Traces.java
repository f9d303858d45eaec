package ib.itests.interop;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import ib.itests.Program;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.After;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/** What the packets of the peer, and ours, say on the wire, as tcpdump sees them there (T3, T5). */
@RunWith(Parameterized.class)
public class Traces {
  private static final String FILE = "/tmp/trace";
  private static final String THEIRS = "src host " + LinuxPeer.ADDRESS + " and udp port 4791 and ";
  // UDP's header, BTH and DETH, the MAD's header, and the REQ's byte 95
  private static final String REQ = "udp[8]=0x64 and udp[44:2]=0x10 ";
  private static final String ENDS = "udp[8]=0x64 and (udp[44:2]=0x15 or udp[44:2]=0x16)";
  // Linux asks for 16 where the program says 14: rdma_rxe's own ACK delay is 15 (CM-37)
  private static final String ACK_TIMEOUT_16 = "and (udp[147] & 0xf8) = 0x80";
  private static final String ACK_TIMEOUT_14 = "and (udp[147] & 0xf8) = 0x70";
  private static final String OTHER_TOS = "(ip[1] & 0xfc) != 0x68";
  private static final String LEFT = "igmp[0]=0x22 and igmp[8]=3 and igmp[12:4]=0xef010205";
  private static final int PORT = 7_800;
  private final String name;

  public Traces(String name, String options) {
    assertEquals("", options);
    this.name = name;
  }

  /** More than two seconds each: for the full matrix. */
  @Parameters(name = "{0}")
  public static List<Object[]> cases() {
    List<Object[]> cases = new ArrayList<>();
    if (Matrix.FULL) {
      cases.add(new Object[] {"T3 ucmatose, we serve", ""});
      cases.add(new Object[] {"T3 ucmatose, Linux serves", ""});
      cases.add(new Object[] {"T5 mckey", ""});
    }
    return Lane.chosen(cases);
  }

  @Test
  public void packets() throws Exception {
    Lane.LANE.meet(false);
    Lane.LANE.inTime();
    switch (name) {
      case "T5 mckey" -> leaves();
      case "T3 ucmatose, we serve" -> weServe();
      default -> linuxServes();
    }
  }

  @After
  public void nothingIsLeft() {
    Lane.LANE.peer.signal("TERM", "tcpdump");
    Managers.nothingIsLeft();
  }

  private static void watch(String filter) {
    Lane.LANE.peer.must(
        "tcpdump -i eth0 --immediate-mode -U -w "
            + FILE
            + " '"
            + filter
            + "' >/dev/null 2>/tmp/tcpdump & for i in $(seq 200); do"
            + " grep -q 'listening on' /tmp/tcpdump && exit 0; sleep 0.05; done; exit 1");
  }

  /** {@return how many of the packets fit} */
  private static int count(String filter) {
    String line = "tcpdump -n -r " + FILE + " '" + filter + "' 2>/dev/null | wc -l";
    return Integer.parseInt(Lane.LANE.peer.must(line).strip());
  }

  private static String ucmatose(String address, String which) {
    return "ucmatose -p " + PORT + " -c 3 -C 5 -t 104 -a 14 " + which + " " + address;
  }

  /** Waits until tcpdump has written as many packets as that. */
  private static void await(String filter, int atLeast) {
    Lane.LANE.peer.must(
        "for i in $(seq 100); do [ $(tcpdump -n -r "
            + FILE
            + " '"
            + filter
            + "' 2>/dev/null | wc -l) -ge "
            + atLeast
            + " ] && exit 0; sleep 0.05; done; exit 1");
  }

  /** T3: TOS 104 stands in every packet of Linux's client, the ACK time-out in its REQs. */
  private void weServe() throws Exception {
    watch("udp port 4791");
    CompletableFuture<String> ours =
        CompletableFuture.supplyAsync(
            () -> Lane.LANE.run(ucmatose(LinuxPeer.HERE, "-b")), LinuxPeer.BESIDE);
    Lane.LANE.shell().awaitText("listening on " + LinuxPeer.HERE + ", port " + PORT + "\n");
    Program theirs = Lane.LANE.peer.exec(ucmatose(LinuxPeer.HERE, "-s"));
    String printed = ours.get(Lane.END_S, TimeUnit.SECONDS);
    assertEquals(theirs + "\n" + printed, 0, theirs.status());
    await(ENDS, 6); // of three connections
    assertTrue(count(THEIRS + REQ) >= 3);
    assertEquals(count(THEIRS + REQ), count(THEIRS + REQ + ACK_TIMEOUT_16));
    assertEquals(0, count(THEIRS + OTHER_TOS));
  }

  /** T3: what our client asks for stands in Linux's answers, too. */
  private void linuxServes() throws Exception {
    watch("udp port 4791");
    CompletableFuture<Program> theirs =
        CompletableFuture.supplyAsync(
            () -> Lane.LANE.peer.exec(ucmatose(LinuxPeer.ADDRESS, "-b")), LinuxPeer.BESIDE);
    Lane.LANE.peer.must(
        "for i in $(seq 300); do rdma res show cm_id | grep -q LISTEN && exit 0; sleep 0.1; done;"
            + " exit 1");
    String printed = Lane.LANE.run(ucmatose(LinuxPeer.ADDRESS, "-s"));
    Program ended = theirs.get(Lane.END_S, TimeUnit.SECONDS);
    assertEquals(ended + "\n" + printed, 0, ended.status());
    await(ENDS, 6);
    String ours = "src host " + LinuxPeer.HERE + " and udp port 4791 and ";
    assertTrue(count(ours + REQ) >= 3);
    assertEquals(count(ours + REQ), count(ours + REQ + ACK_TIMEOUT_14));
    assertEquals(0, count(ours + OTHER_TOS));
    assertEquals(0, count(THEIRS + OTHER_TOS));
  }

  /** T5: when our receiver ends, the group is left by IGMP. */
  private void leaves() throws Exception {
    watch("igmp");
    CompletableFuture<String> ours =
        CompletableFuture.supplyAsync(
            () -> Lane.LANE.run("mckey -m 239.1.2.5 -C 1 -b " + LinuxPeer.HERE), LinuxPeer.BESIDE);
    Lane.LANE.shell().awaitText("joined dgid: ::ffff:239.1.2.5 mlid 0x0 sl 0");
    assertEquals(0, count(LEFT));
    String line = "mckey -m 239.1.2.5 -C 1 -s -b " + LinuxPeer.ADDRESS;
    Program theirs = Lane.LANE.peer.exec(line);
    assertEquals(theirs.toString(), 0, theirs.status());
    ours.get(Lane.END_S, TimeUnit.SECONDS);
    await(LEFT + " and src host " + LinuxPeer.HERE, 1);
  }
}
