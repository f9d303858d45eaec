package ib.itests.interop;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;
import static org.junit.Assume.assumeFalse;
import static org.junit.Assume.assumeTrue;

import ib.itests.Program;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.Before;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/** librdmacm's mckey in both directions: one side joins a group and receives, the other sends. */
@RunWith(Parameterized.class)
public class Groups {
  private final String options;

  public Groups(String program, String options, boolean ipv6) {
    assertEquals("mckey", program);
    assertEquals("Linux has no IPv6 groups on RoCE", false, ipv6);
    this.options = options;
  }

  /** Linux's sender pauses for 3 s, so one case is enough but for the full matrix. */
  @Parameters(name = "{0} {1} IPv6 {2}")
  public static List<Object[]> cases() {
    List<Object[]> cases = new ArrayList<>();
    cases.add(new Object[] {"mckey", "-C 20 -S 500", false});
    if (Matrix.FULL) {
      cases.add(new Object[] {"mckey", "-C 5 -o", false});
    }
    return Lane.chosen(cases);
  }

  @Before
  public void meet() {
    Lane.LANE.meet(false);
  }

  private String receive(String group, String address) {
    return "mckey -m " + group + " " + options.replace(" -o", "") + " -b " + address;
  }

  /** With -o Linux's sender is a member of the group that does not receive. */
  private String send(String group, String address) {
    return receive(group, address) + (options.contains("-o") ? " -s -o" : " -s");
  }

  private void check(Program theirs, String ours) {
    String both = theirs + "\n" + ours;
    assertEquals(both, 0, theirs.status());
    for (String printed : List.of(theirs.out(), ours)) {
      assertTrue(both, printed.contains("data transfers complete"));
      assertTrue(both, printed.contains("return status 0"));
    }
  }

  @Test
  public void weReceive() throws Exception {
    assumeTrue(
        "Linux sends nothing then",
        Lane.LANE.peer.sendsWithoutReceiving() || !options.contains("-o"));
    Lane.LANE.inTime();
    // in a session of its own: a message that is lost must not stop the shell
    Lane.LANE.run("interop:begin mckey '" + receive("239.1.2.3", LinuxPeer.HERE) + "'");
    String joined = "joined dgid: ::ffff:239.1.2.3 mlid 0x0 sl 0";
    Lane.LANE.peer.awaitGroupHere("239.1.2.3");
    Program theirs = Lane.LANE.peer.exec(send("239.1.2.3", LinuxPeer.ADDRESS));
    String ours = Lane.LANE.run("interop:finish mckey 20");
    assertTrue(ours, ours.contains(joined));
    check(theirs, ours);
    assertFalse("the group is left", Lane.LANE.peer.isInGroupHere("239.1.2.3"));
  }

  @Test
  public void linuxReceives() throws Exception {
    assumeFalse("our mckey has no -o", options.contains("-o"));
    Lane.LANE.inTime();
    CompletableFuture<Program> theirs =
        CompletableFuture.supplyAsync(
            () -> Lane.LANE.peer.exec(receive("239.1.2.4", LinuxPeer.ADDRESS)), LinuxPeer.BESIDE);
    Lane.LANE.peer.must(
        "for i in $(seq 600); do grep -qi 040201EF /proc/net/igmp && exit 0; sleep 0.1; done;"
            + " exit 1");
    String ours = Lane.LANE.run(receive("239.1.2.4", LinuxPeer.HERE) + " -s");
    check(theirs.get(Lane.END_S, TimeUnit.SECONDS), ours);
  }
}
