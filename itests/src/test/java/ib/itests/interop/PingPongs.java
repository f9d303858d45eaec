package ib.itests.interop;

import static org.junit.Assert.assertTrue;

import java.util.Arrays;
import java.util.List;
import org.junit.Before;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/**
 * The ping-pongs of rdma-core, in both directions, with validated data. Their time-out of 67 ms
 * cannot be changed and is soon over on a loaded machine, see {@link Lane#once}.
 */
@RunWith(Parameterized.class)
public class PingPongs {
  private final String program;
  private final String options;
  private final boolean ipv6;

  public PingPongs(String program, String options, boolean ipv6) {
    this.program = "ibv_" + program + "_pingpong";
    this.options = options;
    this.ipv6 = ipv6;
  }

  @Parameters(name = "{0} {1} IPv6 {2}")
  public static List<Object[]> cases() {
    return Lane.chosen(Matrix.FULL ? Matrix.pingPongs() : FEW);
  }

  private static final List<Object[]> FEW =
      Arrays.asList(
          new Object[][] {
            {"rc", "-c -n 100", false},
            {"rc", "-c -n 50", true},
            {"rc", "-c -e -n 50 -s 1", false},
            {"rc", "-c -n 50 -s 5000 -m 256", false},
            {"rc", "-c -n 50 -s 5000 -m 512", true},
            {"rc", "-c -n 50 -s 65537 -m 4096", false},
            {"rc", "-c -n 1 -s 8388608 -m 4096", false},
            {"uc", "-c -n 50 -s 1", false},
            {"uc", "-c -n 50 -s 5000 -e -m 2048", true},
            {"ud", "-c -n 100 -s 1000", false},
            {"ud", "-c -n 50 -s 1 -e", true},
            {"srq", "-c -n 200 -s 4000", false},
            {"srq", "-c -n 100 -q 5 -e", true},
          });

  @Before
  public void meet() {
    Lane.LANE.meet(ipv6);
  }

  private String here() {
    int index = Lane.LANE.gidIndex(ipv6);
    return program + " -d rxe0 -g " + index + " " + options;
  }

  private String there() {
    return program + " -d rxe0 -g " + Lane.gidIndexThere(ipv6) + " " + options;
  }

  /** All was right. */
  static void check(String... printed) {
    for (String text : printed) {
      assertTrue(text, text.contains(" usec/iter") && !text.contains("invalid data"));
    }
  }

  @Test
  public void weServe() throws Exception {
    Lane.LANE.once(() -> check(Lane.LANE.serve(here(), there() + " " + LinuxPeer.HERE)));
  }

  @Test
  public void linuxServes() throws Exception {
    Lane.LANE.once(() -> check(Lane.LANE.visit(here() + " " + LinuxPeer.ADDRESS, there())));
  }
}
