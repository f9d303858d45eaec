package ib.itests.interop;

import static org.junit.Assert.assertTrue;

import java.util.Arrays;
import java.util.List;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/** librdmacm's ucmatose, udaddy, rdma_server and rdma_client in both directions (T3, T4, T6). */
@RunWith(Parameterized.class)
public class Messages extends ByAddress {
  private static final int UDADDY_PORT = 7174; // the original's only one
  private final String program;

  public Messages(String program, String options, boolean ipv6) {
    super(options, ipv6);
    this.program = program;
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
              {"rdma", "", false},
            }));
  }

  @Override
  int port(int free) {
    return program.equals("udaddy") ? UDADDY_PORT : free;
  }

  @Override
  String server(int port, String address) {
    return switch (program) {
      case "udaddy" -> "udaddy " + options + " -b " + address;
      case "rdma" -> "rdma_server -p " + port + " -s " + address;
      default -> "ucmatose -p " + port + " " + options + " -b " + address;
    };
  }

  @Override
  String client(int port, String address) {
    return switch (program) {
      case "udaddy" -> "udaddy " + options + " -s " + address;
      case "rdma" -> "rdma_client -p " + port + " -s " + address;
      default -> "ucmatose -p " + port + " " + options + " -s " + address;
    };
  }

  @Override
  void check(String client, String server) {
    String both = client + "\n" + server;
    if (program.equals("rdma")) {
      assertTrue(both, client.contains("rdma_client: end 0"));
      assertTrue(both, server.contains("rdma_server: end 0"));
      return;
    }
    for (String printed : List.of(client, server)) {
      assertTrue(both, printed.contains("test complete"));
      assertTrue(both, printed.contains("return status 0"));
      boolean data = !options.contains("-C 0");
      assertTrue(printed, printed.contains("data transfers complete") == data);
    }
    assertTrue(server, program.equals("udaddy") || server.contains("disconnected"));
  }
}
