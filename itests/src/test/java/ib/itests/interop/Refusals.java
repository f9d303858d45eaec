package ib.itests.interop;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import ib.itests.Program;
import java.util.Arrays;
import java.util.List;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/**
 * B11: a program that connects to a port where nothing listens is refused at once, with reason 8
 * (no such service), whether Linux or ib answers. Silence would cost Linux's program 98 s.
 */
@RunWith(Parameterized.class)
public class Refusals {
  private static final int NOTHING_LISTENS = 7_999;
  // what librdmacm's rping prints
  private static final String REFUSED = "cma event RDMA_CM_EVENT_REJECTED, error 8";

  private final boolean ipv6;

  public Refusals(String program, String how, boolean ipv6) {
    assertEquals("rping", program);
    assertEquals("refused", how);
    this.ipv6 = ipv6;
  }

  @Parameters(name = "{0} {1} IPv6 {2}")
  public static List<Object[]> cases() {
    return Lane.chosen(
        Arrays.asList(new Object[][] {{"rping", "refused", false}, {"rping", "refused", true}}));
  }

  private static String client(String address) {
    return "rping -c -C 1 -p " + NOTHING_LISTENS + " -a " + address;
  }

  @Test
  public void weRefuse() {
    Lane.LANE.inTime();
    Lane.LANE.meet(ipv6);
    Program theirs = Lane.LANE.peer.exec(client(ipv6 ? "fd77::1" : LinuxPeer.HERE));
    assertNotEquals(theirs.toString(), 0, theirs.status());
    assertTrue(theirs.toString(), (theirs.out() + theirs.err()).contains(REFUSED));
  }

  @Test
  public void linuxRefuses() {
    Lane.LANE.inTime();
    Lane.LANE.meet(ipv6);
    String ours = Lane.LANE.run(client(ipv6 ? "fd77::2" : LinuxPeer.ADDRESS));
    assertTrue(ours, ours.contains(REFUSED));
  }
}
