package ib.itests.interop;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.util.Arrays;
import java.util.List;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/** librdmacm's rping in both directions (T1). */
@RunWith(Parameterized.class)
public class Rpings extends ByAddress {
  public Rpings(String program, String options, boolean ipv6) {
    super(options, ipv6);
    assertEquals("rping", program);
  }

  @Parameters(name = "{0} {1} IPv6 {2}")
  public static List<Object[]> cases() {
    return Lane.chosen(
        Arrays.asList(
            new Object[][] {
              {"rping", "-C 20 -S 4096", false},
              {"rping", "-C 3", true},
              {"rping", "-q -C 10", false}, // T2: Linux's client moves its queue pair itself
            }));
  }

  @Override
  String server(int port, String address) {
    String size = options.contains("-S") ? " " + options.replaceAll(".*-S", "-S") : "";
    return "rping -s -v -p " + port + " -a " + address + size;
  }

  @Override
  String client(int port, String address) {
    String mine = address.equals(LinuxPeer.ADDRESS) ? options.replace("-q ", "") : options;
    return "rping -c -v -V -p " + port + " -a " + address + " " + mine;
  }

  /** All pings came back. */
  @Override
  void check(String client, String server) {
    int count = Integer.parseInt(options.replaceAll(".*-C (\\d+).*", "$1"));
    for (int i = 0; i < count; i++) {
      String text = "ping data: rdma-ping-" + i + ": ";
      assertTrue(client + "\n" + server, client.contains(text) && server.contains(text));
    }
    assertTrue(client + "\n" + server, !client.contains("mismatch"));
  }

  @Override
  void served(String ours) {
    assertTrue(ours, ours.contains("server DISCONNECT EVENT..."));
  }
}
