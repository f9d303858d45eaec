package ib.itests.interop;

import static org.junit.Assert.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.Before;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/**
 * Every operation and every error, in both directions. Each row tells the completions (request,
 * status; of a receive bytes and immediate data) of the requester and of the responder. Statuses of
 * ours are what the specification asks for (IBA 9.7.5.2, 11.6.2); where Linux answers otherwise the
 * row for Linux as responder says so.
 */
@RunWith(Parameterized.class)
public class Scenarios {
  private static final String RTS = "3";
  private static final String ERR = "6";
  private static final String ALL = "1 0,2 0,3 0,4 0,5 0,6 0,7 0";
  private static final String EACH = ALL + ",8 0,9 0";
  private static final String THREE = "1 0 3001,2 0 0,3 0 7 #01020303";
  private static final String FOUR = "1 0 0,2 0 7,3 0 6 #01020303,4 0 0 #01020304";
  private static final String TWO = "1 0 2500 #01020301,2 0 2500 #01020302";
  private static final String UC = "1 0 10 #01020302,2 0 10 #01020303";
  private static final String UD = "1 0 140,2 0 140 #01020302"; // with the GRH
  static final String SENT =
      "0 0,10 0,1 0,11 0,2 0,12 0,3 0,13 0,20 0,30 0,21 0,31 0,22 0,32 0,23 0,33 0";
  static final String CAME = "0 0 12000,1 0 12000,2 0 12000,3 0 12000";

  private final String name;
  private final boolean ipv6;
  private final String toUs;
  private final String ours;
  private final String toLinux;
  private final String linux;

  public Scenarios(
      String name, boolean ipv6, String toUs, String ours, String toLinux, String linux) {
    this.name = name;
    this.ipv6 = ipv6;
    this.toUs = toUs;
    this.ours = ours;
    this.toLinux = toLinux;
    this.linux = linux;
  }

  /** Name; Linux requests: its completions, ours; we request: our completions, Linux's. */
  private static final String[][] ROWS = {
    {"ok", ALL, THREE, ALL, THREE},
    {"bad_rkey", "1 10,2 5", "", "1 10,2 5", ""},
    {"bad_rkey_read", "1 10", "", "1 10", ""},
    {"no_perm", "1 9", "", "1 9", ""},
    // Linux does not even post it
    {"misaligned_atomic", "1 refused", "", "1 9", ""},
    // rdma_rxe answers NAK 0x63 and calls it LOC_QP_OP_ERR itself
    {"too_long", "1 9", "1 1,2 5", "1 11", "1 2,2 5"},
    {"bad_lkey", "1 11", "1 4", "1 11", "1 2"},
    {"rnr", "1 0", "1 0 100", "1 0", "1 0 100"},
    {"rnr_exceed", "1 13", "", "1 13", ""},
    {"misc", "1 0,2 0,3 0,4 0,5 0", TWO, "1 0,2 0,3 0,4 0,5 0", TWO},
    {"small", EACH, FOUR, EACH, FOUR},
    {"read0", "1 0", "", "1 0", ""},
    {"atomics", "1 0,2 0,3 0,4 0", "", "1 0,2 0,3 0,4 0", ""},
    {"send_inv", "1 0,2 0,3 10", "9 0,1 0 20,2 5", "1 0,2 0,3 10", "9 0,1 0 20,2 5"},
    // rdma_rxe acknowledges it and then goes to the error state
    {"inv_bad_rkey", "1 10", "1 6,2 5", "1 0", "1 9,2 5"},
    {"uc_writes", "1 0,2 0,3 0", UC, "1 0,2 0,3 0", UC},
    {"ud_sends", "1 0,2 0", UD, "1 0,2 0", UD},
    {"bulk", SENT, CAME, SENT, CAME},
  };

  /** All over IPv4; over IPv6 what the header matters to, or all. */
  @Parameters(name = "{0} IPv6 {1}")
  public static List<Object[]> cases() {
    List<Object[]> cases = new ArrayList<>();
    for (boolean ipv6 : List.of(false, true)) {
      for (String[] row : ROWS) {
        if (!ipv6 || Matrix.FULL || row[0].matches("ok|ud_sends|too_long")) {
          cases.add(new Object[] {row[0], ipv6, row[1], row[2], row[3], row[4]});
        }
      }
    }
    return Lane.chosen(cases);
  }

  @Before
  public void meet() {
    Lane.LANE.meet(ipv6);
  }

  @Test
  public void linuxRequests() throws Exception {
    Lane.LANE.once(() -> check(false, toUs, ours));
  }

  @Test
  public void weRequest() throws Exception {
    Lane.LANE.once(() -> check(true, toLinux, linux));
  }

  private void check(boolean weRequest, String wanted, String answered) throws Exception {
    Exchange both = weRequest ? Exchange.weRequest(name, ipv6) : Exchange.linuxRequests(name, ipv6);
    String message = both.toString();
    assertEquals(message, wanted, Exchange.completions(both.requester()));
    assertEquals(message, answered, Exchange.completions(both.responder()));
    Contents.check(name, ipv6, weRequest, both);
    boolean failed = wanted.matches(".* ([5-9]|1\\d)");
    assertEquals(message, List.of(failed ? ERR : RTS), Exchange.state(both.requester()));
    // it was told of by a NAK, or the responder's own receive failed: both ends have the error
    boolean known = wanted.matches(".*\\d (9|10|11)(,.*)?") || answered.matches(".* [4-9]");
    assertEquals(message, List.of(known ? ERR : RTS), Exchange.state(both.responder()));
  }
}
