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

/**
 * librdmacm's rping in both directions (T1): the peer's kernel and its librdmacm are unmodified,
 * and connect by address and port.
 */
@RunWith(Parameterized.class)
public class Rpings {
  private static int port = 7_200;

  private final String options;
  private final boolean ipv6;

  public Rpings(String program, String options, boolean ipv6) {
    assertEquals("rping", program);
    this.options = options;
    this.ipv6 = ipv6;
  }

  @Parameters(name = "{0} {1} IPv6 {2}")
  public static List<Object[]> cases() {
    return Lane.chosen(
        Arrays.asList(
            new Object[][] {
              {"rping", "-C 20 -S 4096", false},
              {"rping", "-C 3", true},
            }));
  }

  @Before
  public void meet() {
    Lane.LANE.meet(ipv6);
    port++;
  }

  private String here() {
    return ipv6 ? "fd77::1" : LinuxPeer.HERE;
  }

  private String there() {
    return ipv6 ? "fd77::2" : LinuxPeer.ADDRESS;
  }

  private static String[] size(String options) {
    return options.contains("-S") ? new String[] {options.replaceAll(".*-S", "-S")} : new String[0];
  }

  private String server(String address) {
    return "rping -s -v -p " + port + " -a " + address + " " + String.join(" ", size(options));
  }

  private String client(String address) {
    return "rping -c -v -V -p " + port + " -a " + address + " " + options;
  }

  /** All pings came back. */
  private void check(String client, String server) {
    int count = Integer.parseInt(options.replaceAll(".*-C (\\d+).*", "$1"));
    for (int i = 0; i < count; i++) {
      String text = "ping data: rdma-ping-" + i + ": ";
      assertTrue(client + "\n" + server, client.contains(text) && server.contains(text));
    }
    assertTrue(client + "\n" + server, !client.contains("mismatch"));
  }

  @Test
  public void weServe() throws Exception {
    Lane.LANE.inTime();
    CompletableFuture<String> ours =
        CompletableFuture.supplyAsync(() -> Lane.LANE.run(server(here())), LinuxPeer.BESIDE);
    Lane.LANE.shell().awaitText(", port " + port + "\n");
    Program theirs = Lane.LANE.peer.exec(client(here()));
    String printed = ours.get(Lane.END_S, TimeUnit.SECONDS);
    assertEquals(theirs + "\n" + printed, 0, theirs.status());
    check(theirs.out(), printed);
    assertTrue(printed, printed.contains("server DISCONNECT EVENT..."));
  }

  @Test
  public void linuxServes() throws Exception {
    Lane.LANE.inTime();
    String line = server(there());
    CompletableFuture<Program> theirs =
        CompletableFuture.supplyAsync(() -> Lane.LANE.peer.exec(line), LinuxPeer.BESIDE);
    Lane.LANE.peer.must(
        "for i in $(seq 600); do rdma res show cm_id | grep -q LISTEN && exit 0; sleep 0.1; done;"
            + " exit 1");
    String printed = Lane.LANE.run(client(there()));
    Program ended = theirs.get(Lane.END_S, TimeUnit.SECONDS);
    assertEquals(ended + "\n" + printed, 0, ended.status());
    check(printed, ended.out());
  }
}
