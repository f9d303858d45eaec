package ib.itests.interop;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/**
 * Packets of the peer are lost, duplicated and overtaken; all bytes arrive. A ping-pong sends and
 * validates; scenario bulk also writes, reads and adds.
 *
 * <p>A ping-pong leaves when it has everything, and when the last acknowledgement that it sent is
 * lost the other end tries in vain. So no acknowledgement of a ping-pong is lost; scenario bulk
 * loses all kinds of packets, and more of them.
 */
@RunWith(Parameterized.class)
public class Losses {
  private static final String HIGH = "loss 20%";
  private static final String OVERTAKEN = "delay 2ms reorder 25% duplicate 2%";
  private static final Pattern DROPPED = Pattern.compile("qdisc netem .*\\n.* \\(dropped (\\d+)");
  private final String program;
  private final String netem;
  private final boolean ipv6;

  public Losses(String program, String netem, boolean ipv6) {
    this.program = program;
    this.netem = netem;
    this.ipv6 = ipv6;
  }

  /** Everything over IPv4; over IPv6 one of each, or all. */
  @Parameters(name = "{0} {1} IPv6 {2}")
  public static List<Object[]> cases() {
    List<Object[]> cases = new ArrayList<>();
    for (boolean ipv6 : List.of(false, true)) {
      for (String netem :
          List.of(
              "loss 1%", "loss 5%", HIGH, OVERTAKEN, "loss 5% delay 1ms reorder 2% duplicate 1%")) {
        boolean wanted = !ipv6 || Matrix.FULL;
        if (!netem.equals(HIGH) && (wanted || netem.equals("loss 5%"))) {
          cases.add(new Object[] {"pingpong", netem, ipv6});
        }
        if (wanted || netem.equals(HIGH) || netem.equals(OVERTAKEN)) {
          cases.add(new Object[] {"bulk", netem, ipv6});
        }
      }
    }
    return Lane.chosen(cases);
  }

  @Before
  public void disturb() {
    Lane.LANE.meet(ipv6);
    if (program.equals("pingpong") && netem.contains("loss")) {
      Lane.LANE.peer.must(
          String.join(
              " && ",
              "tc qdisc replace dev eth0 root handle 1: prio bands 2 priomap" + " 0".repeat(16),
              "tc qdisc add dev eth0 parent 1:1 netem limit 10000 " + netem,
              "tc filter add dev eth0 parent 1: " + acknowledgement() + " classid 1:2"));
    } else {
      Lane.LANE.peer.must("tc qdisc replace dev eth0 root netem limit 10000 " + netem);
    }
  }

  /** {@return a filter for RC ACKNOWLEDGE (opcode 0x11) behind UDP's port 4791} */
  private String acknowledgement() {
    int header = ipv6 ? 40 : 20;
    return "protocol %s u32 match u16 0x12b7 0xffff at %d match u8 0x11 0xff at %d"
        .formatted(ipv6 ? "ipv6" : "ip", header + 2, header + 8);
  }

  @After
  public void calm() {
    Lane.LANE.peer.must("tc qdisc del dev eth0 root");
  }

  @Test
  public void weServe() throws Exception {
    Lane.LANE.once(
        () ->
            check(
                () -> Exchange.linuxRequests("bulk", ipv6),
                () -> Lane.LANE.serve(here(), there() + " " + LinuxPeer.HERE)));
  }

  @Test
  public void linuxServes() throws Exception {
    Lane.LANE.once(
        () ->
            check(
                () -> Exchange.weRequest("bulk", ipv6),
                () -> Lane.LANE.visit(here() + " " + LinuxPeer.ADDRESS, there())));
  }

  private void check(Callable<Exchange> bulk, Callable<String[]> pingPong) throws Exception {
    if (program.equals("bulk")) {
      Exchange both = bulk.call();
      assertEquals(both.toString(), Scenarios.SENT, Exchange.completions(both.requester()));
      assertEquals(both.toString(), Scenarios.CAME, Exchange.completions(both.responder()));
      Contents.check("bulk", ipv6, false, both);
    } else {
      PingPongs.check(pingPong.call());
    }
    boolean many = netem.equals(HIGH) || program.equals("pingpong");
    assertTrue("some was lost", !netem.contains("loss") || !many || dropped() > 0);
  }

  private static int dropped() {
    Matcher found = DROPPED.matcher(Lane.LANE.peer.must("tc -s qdisc show dev eth0"));
    assertTrue("tc tells", found.find());
    return Integer.parseInt(found.group(1));
  }

  private String here() {
    return "ibv_rc_pingpong -d rxe0 -g " + Lane.LANE.gidIndex(ipv6) + options();
  }

  private String there() {
    return "ibv_rc_pingpong -d rxe0 -g " + Lane.gidIndexThere(ipv6) + options();
  }

  private String options() {
    return " -c -s 9000 -m 1024 -n " + (netem.equals("loss 1%") ? 100 : 30);
  }
}
