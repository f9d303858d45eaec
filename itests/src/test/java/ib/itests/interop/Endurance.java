package ib.itests.interop;

import static org.junit.Assert.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Both ways at a time, while what the peer sends is lost and overtaken: 30 s, or 8 s in CI. */
@RunWith(Parameterized.class)
public class Endurance {
  private static final Logger LOG = LoggerFactory.getLogger(Endurance.class);
  private static final int SECONDS = Integer.getInteger("ib.interop.endurance", 8);
  private static final String NETEM = "loss 5% delay 1ms reorder 10%";
  private static final Pattern ROW = Pattern.compile("(?m)^ 4000 +(\\d+) ");
  private final String program;
  private final String options;
  private final boolean ipv6;

  public Endurance(String program, String options, boolean ipv6) {
    this.program = program;
    this.options = options;
    this.ipv6 = ipv6;
  }

  @Parameters(name = "{0} {1} IPv6 {2}")
  public static List<Object[]> cases() {
    // 1.1 s: what comes late is not sent again, see Lane.once
    String options = "-b -u 18 -m 1024 -s 4000 -t 32 -D " + (Matrix.FULL ? 30 : SECONDS);
    return Lane.chosen(
        Arrays.asList(
            new Object[][] {
              {"ib_send_bw", options, false},
              {"ib_write_bw", options, true},
              {"ib_read_bw", options, false},
            }));
  }

  @Before
  public void disturb() {
    Lane.LANE.meet(ipv6);
    Lane.LANE.peer.must("tc qdisc replace dev eth0 root netem limit 10000 " + NETEM);
  }

  @After
  public void calm() {
    Lane.LANE.peer.must("tc qdisc del dev eth0 root");
  }

  private String here() {
    return program + " -d rxe0 -x " + Lane.LANE.gidIndex(ipv6) + " " + options;
  }

  // -Q 1: Linux's ib_write_bw counts 32 writes at a time else, and a disturbed link may complete no
  // such batch in the seconds that it measures
  private String there() {
    return program + " -d rxe0 -F -Q 1 -x " + Lane.gidIndexThere(ipv6) + " " + options;
  }

  private static void check(String... printed) {
    for (String text : printed) {
      Matcher row = ROW.matcher(text);
      assertTrue(text, row.find());
      LOG.info("{} writes, sends or reads of 4000 bytes", row.group(1));
      assertTrue(text, Long.parseLong(row.group(1)) > 0);
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
}
