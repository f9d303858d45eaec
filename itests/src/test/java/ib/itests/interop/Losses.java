package ib.itests.interop;

import static org.junit.Assert.assertTrue;

import java.util.List;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/** rocev2.md 7.7: what the peer sends is lost, doubled and overtaken; all bytes arrive. */
@RunWith(Parameterized.class)
public class Losses {
  private final String netem;

  public Losses(String netem) {
    this.netem = netem;
  }

  @Parameters(name = "{0}")
  public static List<String> cases() {
    return List.of("loss 1%", "loss 5%", "loss 20%", "delay 2ms reorder 25% duplicate 2%");
  }

  @Before
  public void disturb() {
    Lane.LANE.peer.must("tc qdisc replace dev eth0 root netem " + netem);
  }

  @After
  public void calm() {
    Lane.LANE.peer.must("tc qdisc del dev eth0 root");
  }

  private static void check(String... printed) {
    for (String text : printed) {
      assertTrue(text, text.contains(" usec/iter") && !text.contains("invalid data"));
    }
  }

  @Test
  public void rcWeServe() throws Exception {
    String options = " -d rxe0 -g 1 -c -n 30 -s 9000 -m 1024";
    String ours = "ibv_rc_pingpong" + options;
    Lane.LANE.dependably(true, () -> check(Lane.LANE.serve(ours, ours + " " + LinuxPeer.HERE)));
  }

  @Test
  public void rcLinuxServes() throws Exception {
    String options = " -d rxe0 -g 1 -c -n 30 -s 9000 -m 1024";
    String theirs = "ibv_rc_pingpong" + options;
    Lane.LANE.dependably(
        true, () -> check(Lane.LANE.visit(theirs + " " + LinuxPeer.ADDRESS, theirs)));
  }
}
