package ib.itests.interop;

import static org.junit.Assert.assertTrue;

import java.util.Arrays;
import java.util.List;
import org.junit.Before;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/** The programs of perftest, in both directions. */
@RunWith(Parameterized.class)
public class Perftests {
  private static final String END = "-".repeat(87);
  // 4.3 s: what comes late is not sent again, see Lane.once
  private static final String TIMEOUT = " -u 20";
  private final String program;
  private final String options;
  private final boolean ipv6;

  public Perftests(String program, String options, boolean ipv6) {
    this.program = program;
    this.options = options;
    this.ipv6 = ipv6;
  }

  @Parameters(name = "{0} {1} IPv6 {2}")
  public static List<Object[]> cases() {
    return Lane.chosen(Matrix.FULL ? Matrix.perftests() : FEW);
  }

  private static final List<Object[]> FEW =
      Arrays.asList(
          new Object[][] {
            {"ib_send_bw", "-n 50 -s 1 -m 256", true},
            {"ib_send_bw", "-n 5 -s 8388608 -t 1", false},
            {"ib_send_bw", "-n 100 -s 3000 -q 3 -e", false},
            {"ib_send_bw", "-n 100 -s 1000 -c UD -m 1024", false},
            {"ib_send_bw", "-n 100 -s 3000 -c UC", false},
            {"ib_send_lat", "-n 50 -s 2", false},
            {"ib_send_lat", "-n 20 -s 2 -c UD -e", true},
            {"ib_write_bw", "-n 100 -s 3000 -q 2 -m 512", true},
            {"ib_write_bw", "-n 5 -a", false},
            {"ib_write_lat", "-n 20 -s 1", false},
            {"ib_read_bw", "-n 50 -s 65536", false},
            {"ib_read_bw", "-n 5 -t 1 -s 1048576 -m 256", false}, // 4096 packets at once
            {"ib_read_bw", "-n 200 -s 1048576", false}, // 128 at once
            {"ib_read_bw", "-n 50 -s 3000 -e -m 2048", true},
            {"ib_read_lat", "-n 50 -s 5000", false},
            {"ib_atomic_bw", "-n 50", false},
            {"ib_atomic_bw", "-n 50 -A CMP_AND_SWAP", true},
            {"ib_atomic_lat", "-n 50", false},
            {"ib_send_bw", "-n 100 -s 3000 -b", false},
            {"ib_send_bw", "-n 100 -s 1000 -b -l 4 -q 2", true},
            {"ib_write_bw", "-n 50 -s 5000 -b", true},
            {"ib_read_bw", "-n 50 -s 5000 -b", false},
            {"ib_atomic_bw", "-n 50 -b", false},
            {"ib_send_bw", "-D 2 -s 1000", false},
            {"ib_write_bw", "-D 2 -s 1000 -b", false},
            {"ib_send_bw", "-D 2 -s 1000 -b", true},
            {"ib_send_lat", "-D 2 -s 100", false},
            {"ib_read_lat", "-D 2 -s 100", false},
            {"ib_write_bw", "-n 96 -s 500 -l 8", false},
            {"ib_send_lat", "-n 50 -s 64 -I 64", false},
            {"ib_send_lat", "-n 20 -H", false},
            {"ib_read_lat", "-n 20 -U", false},
          });

  @Before
  public void meet() {
    Lane.LANE.meet(ipv6);
  }

  private String here() {
    int index = Lane.LANE.gidIndex(ipv6);
    return program + TIMEOUT + " -d rxe0 -x " + index + " " + options;
  }

  /** Whether an end polls or sleeps is its own affair: theirs polls where it cannot sleep. */
  private String there() {
    boolean awake = program.equals("ib_write_bw") || (answered() && Lane.LANE.peer.oneChannel());
    String theirs = awake ? options.replace(" -e", "") : options;
    return program + TIMEOUT + " -d rxe0 -F -x " + Lane.gidIndexThere(ipv6) + " " + theirs;
  }

  /** Whether acknowledgements and answers come to the same end. */
  private boolean answered() {
    return program.equals("ib_send_lat") && reliable();
  }

  /** The whole table, on both ends. */
  private static void check(String... printed) {
    for (String text : printed) {
      String table = text.substring(Math.max(0, text.indexOf(" remote address:")));
      assertTrue(text, table.contains(" remote address:") && table.contains(END));
      assertTrue(text, !text.contains("rror") && !text.contains("ailed"));
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

  private boolean reliable() {
    return !options.matches(".*-c U[CD].*");
  }
}
