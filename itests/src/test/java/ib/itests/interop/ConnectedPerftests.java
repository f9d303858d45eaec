package ib.itests.interop;

import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.util.Arrays;
import java.util.List;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/** perftest's programs with their queue pairs connected by RDMA CM, in both directions (T7). */
@RunWith(Parameterized.class)
public class ConnectedPerftests extends ByAddress {
  private static final String END = "-".repeat(87);
  private final String program;

  public ConnectedPerftests(String program, String options, boolean ipv6) {
    super(options, ipv6);
    assertFalse("the original knows IPv4 only here", ipv6);
    this.program = program;
  }

  @Parameters(name = "{0} {1} IPv6 {2}")
  public static List<Object[]> cases() {
    return Lane.chosen(Matrix.FULL ? Matrix.connected() : FEW);
  }

  private static final List<Object[]> FEW =
      Arrays.asList(
          new Object[][] {
            {"ib_write_bw", "-R -n 100 -s 65536", false},
            {"ib_read_bw", "-R -n 50 -s 65536 -q 4", false},
            {"ib_send_lat", "-R -n 20 -c UD", false},
            {"ib_atomic_bw", "-R -n 50", false},
            {"ib_send_bw", "-R -n 100 -s 1000 -q 16", false},
          });

  // their ACK time-out is long, see Lane.once; 6.06 takes ours as a client only
  private String line(int port) {
    return program + " -F -u 20 -p " + port + " " + options;
  }

  @Override
  String server(int port, String address) {
    boolean ours = address.equals(LinuxPeer.HERE);
    return line(port) + (ours ? " --bind_source_ip " + address : "");
  }

  @Override
  String client(int port, String address) {
    return line(port) + " " + address;
  }

  @Override
  void check(String client, String server) {
    for (String text : List.of(client, server)) {
      assertTrue(text, text.contains(" Data ex. method : rdma_cm"));
      assertTrue(
          text, text.contains(" rdma_cm QPs\t : " + (options.contains("-R") ? "ON" : "OFF")));
      String table = text.substring(Math.max(0, text.indexOf(" remote address:")));
      assertTrue(text, table.contains(" remote address:") && table.contains(END));
      assertTrue(text, !text.contains("rror") && !text.contains("ailed"));
    }
    assertTrue(client, client.contains("#bytes"));
  }
}
