package ib.itests.interop;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import ib.itests.Program;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.Before;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/** librdmacm's rstream in both directions (T8): both sides compare every byte. */
@RunWith(Parameterized.class)
public class Streams {
  private static int port = 7_500;

  private final String options;
  private final boolean ipv6;

  public Streams(String program, String options, boolean ipv6) {
    assertEquals("rstream", program);
    this.options = options;
    this.ipv6 = ipv6;
  }

  @Parameters(name = "{0} {1} IPv6 {2}")
  public static List<Object[]> cases() {
    return Lane.chosen(
        Arrays.asList(
            new Object[][] {
              {"rstream", "-S 4096 -C 20 -I 10", false},
              {"rstream", "-S 300000 -C 3 -I 3", false},
              {"rstream", "-S 64 -C 200 -I 3", true},
            }));
  }

  @Before
  public void meet() {
    Lane.LANE.meet(ipv6);
    port++;
  }

  private String server(String address) {
    return "rstream -T v -p " + port + " -b " + address + " " + options;
  }

  private String client(String address) {
    return "rstream -T v -p " + port + " -s " + address + " " + options;
  }

  private static void check(Program theirs, String ours) {
    assertEquals(theirs + "\n" + ours, 0, theirs.status());
    for (String printed : List.of(theirs.out(), ours)) {
      assertTrue(printed, printed.contains("name      bytes   xfers   iters   total"));
      assertTrue(printed, printed.contains("custom    "));
      assertTrue(printed, !printed.contains("verification failed"));
    }
  }

  @Test
  public void weServe() throws Exception {
    Lane.LANE.inTime();
    String here = ipv6 ? "fd77::1" : LinuxPeer.HERE;
    CompletableFuture<String> ours =
        CompletableFuture.supplyAsync(() -> Lane.LANE.run(server(here)), LinuxPeer.BESIDE);
    Lane.LANE.shell().awaitText(", port " + port + "\n");
    Program theirs = Lane.LANE.peer.exec(client(here));
    check(theirs, ours.get(Lane.END_S, TimeUnit.SECONDS));
  }

  @Test
  public void linuxServes() throws Exception {
    Lane.LANE.inTime();
    String there = ipv6 ? "fd77::2" : LinuxPeer.ADDRESS;
    CompletableFuture<Program> theirs =
        CompletableFuture.supplyAsync(() -> Lane.LANE.peer.exec(server(there)), LinuxPeer.BESIDE);
    Lane.LANE.peer.must(
        "for i in $(seq 600); do rdma res show cm_id | grep -q LISTEN && exit 0; sleep 0.1; done;"
            + " exit 1");
    String ours = Lane.LANE.run(client(there));
    check(theirs.get(Lane.END_S, TimeUnit.SECONDS), ours);
  }
}
