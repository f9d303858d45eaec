package ib.itests.interop;

import static org.junit.Assert.assertTrue;

import java.util.Arrays;
import java.util.List;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/** librdmacm's rstream and riostream in both directions (T8): both sides compare every byte. */
@RunWith(Parameterized.class)
public class Streams extends ByAddress {
  private final String program;

  public Streams(String program, String options, boolean ipv6) {
    super(options, ipv6);
    this.program = program;
  }

  @Parameters(name = "{0} {1} IPv6 {2}")
  public static List<Object[]> cases() {
    return Lane.chosen(
        Arrays.asList(
            new Object[][] {
              {"rstream", "-S 4096 -C 20 -I 10", false},
              {"rstream", "-S 300000 -C 3 -I 3", false},
              {"rstream", "-S 64 -C 200 -I 3", true},
              {"riostream", "-S 4096 -C 20 -I 10", false},
              {"riostream", "-S 300000 -C 3 -I 3", false},
              {"riostream", "-S 64 -C 200 -I 3", true},
            }));
  }

  @Override
  String server(int port, String address) {
    return program + " -T v -p " + port + " -b " + address + " " + options;
  }

  @Override
  String client(int port, String address) {
    return program + " -T v -p " + port + " -s " + address + " " + options;
  }

  @Override
  void check(String client, String server) {
    for (String printed : List.of(client, server)) {
      assertTrue(printed, printed.contains("name      bytes   xfers   iters   total"));
      assertTrue(printed, printed.contains("custom    "));
      assertTrue(printed, !printed.contains("verification failed"));
    }
  }
}
