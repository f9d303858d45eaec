package ib.itests.interop;

import static org.junit.Assert.assertTrue;

import java.util.Arrays;
import java.util.List;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/** librdmacm's ucmatose and udaddy in both directions (T3, T4). */
@RunWith(Parameterized.class)
public class Messages extends ByAddress {
  private static final int UDADDY_PORT = 7174; // the original's only one
  private final boolean datagrams;

  public Messages(String program, String options, boolean ipv6) {
    super(options, ipv6);
    datagrams = program.equals("udaddy");
  }

  @Parameters(name = "{0} {1} IPv6 {2}")
  public static List<Object[]> cases() {
    return Lane.chosen(
        Arrays.asList(
            new Object[][] {
              {"ucmatose", "-c 10 -C 10 -S 1000", false},
              {"ucmatose", "-c 2 -C 0 -t 104 -a 14", true},
              {"udaddy", "-c 10 -C 100", false},
              {"udaddy", "-c 1 -C 10 -S 1024", true},
            }));
  }

  @Override
  int port(int free) {
    return datagrams ? UDADDY_PORT : free;
  }

  private String program(int port) {
    return datagrams ? "udaddy" : "ucmatose -p " + port;
  }

  @Override
  String server(int port, String address) {
    return program(port) + " " + options + " -b " + address;
  }

  @Override
  String client(int port, String address) {
    return program(port) + " " + options + " -s " + address;
  }

  @Override
  void check(String client, String server) {
    for (String printed : List.of(client, server)) {
      assertTrue(client + "\n" + server, printed.contains("test complete"));
      assertTrue(client + "\n" + server, printed.contains("return status 0"));
      boolean data = !options.contains("-C 0");
      assertTrue(printed, printed.contains("data transfers complete") == data);
    }
    assertTrue(server, datagrams || server.contains("disconnected"));
  }
}
