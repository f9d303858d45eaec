package ib.itests.interop;

import static org.junit.Assert.assertEquals;

import ib.itests.Program;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.BeforeClass;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/**
 * rocev2.md 7.8: everything that works, and every error, both directions. Each row tells the
 * completions (request, status) of the requester and of the responder. Statuses of ours are what
 * the specification asks for (IBA 9.7.5.2, 11.6.2); where Linux answers otherwise (rocev2.md 1, 6)
 * the row for Linux as responder says so.
 */
@RunWith(Parameterized.class)
public class Scenarios {
  private static final int PORT = 18516;
  private static final String ALL = "1 0,2 0,3 0,4 0,5 0,6 0,7 0";

  private final String name;
  private final String toUs;
  private final String ours;
  private final String toLinux;
  private final String linux;

  public Scenarios(String name, String toUs, String ours, String toLinux, String linux) {
    this.name = name;
    this.toUs = toUs;
    this.ours = ours;
    this.toLinux = toLinux;
    this.linux = linux;
  }

  /** Name; Linux requests: its completions, ours; we request: our completions, Linux's. */
  @Parameters(name = "{0}")
  public static List<Object[]> cases() {
    return Arrays.asList(
        new Object[][] {
          {"ok", ALL, "1 0,2 0,3 0", ALL, "1 0,2 0,3 0"},
          {"bad_rkey", "1 10,2 5", "", "1 10,2 5", ""},
          {"bad_rkey_read", "1 10", "", "1 10", ""},
          {"no_perm", "1 9", "", "1 9", ""},
          // Linux does not even post it
          {"misaligned_atomic", "1 refused", "", "1 9", ""},
          // rdma_rxe answers NAK 0x63 and calls it LOC_QP_OP_ERR itself
          {"too_long", "1 9", "1 1,2 5", "1 11", "1 2,2 5"},
          {"bad_lkey", "1 11", "1 4", "1 11", "1 2"},
          {"rnr", "1 0", "1 0", "1 0", "1 0"},
          {"rnr_exceed", "1 13", "", "1 13", ""},
          {"misc", "1 0,2 0,3 0,4 0,5 0", "1 0,2 0", "1 0,2 0,3 0,4 0,5 0", "1 0,2 0"},
          {"send_inv", "1 0,2 0,3 10", "9 0,1 0,2 5", "1 0,2 0,3 10", "9 0,1 0,2 5"},
          // rdma_rxe acknowledges it and then goes to the error state (rocev2.md 6, weakness 6)
          {"inv_bad_rkey", "1 10", "1 6,2 5", "1 0", "1 9,2 5"},
          {"uc_writes", "1 0,2 0,3 0", "1 0,2 0", "1 0,2 0,3 0", "1 0,2 0"},
          {"ud_sends", "1 0,2 0", "1 0,2 0", "1 0,2 0", "1 0,2 0"},
        });
  }

  @BeforeClass
  public static void install() throws Exception {
    ScenarioBundle.deploy(Lane.LANE);
  }

  private static String completions(String printed) {
    return printed
        .lines()
        .map(line -> line.replaceAll("^.*?(wc |data |missing )", "$1"))
        .filter(line -> line.startsWith("wc ") || line.startsWith("missing "))
        .map(line -> line.replace("wc ", ""))
        .collect(Collectors.joining(","));
  }

  private static List<String> data(String printed) {
    return printed
        .lines()
        .filter(line -> line.contains("data "))
        .map(line -> line.replaceAll("^.*data ", ""))
        .toList();
  }

  private String script(String role) {
    return "python3 /scenario.py " + role + " " + LinuxPeer.HERE + " " + name + " 1";
  }

  private String command(String role) {
    return "scenario "
        + role
        + " "
        + LinuxPeer.ADDRESS
        + " "
        + name
        + " "
        + Lane.LANE.gidIndex("::ffff:" + LinuxPeer.HERE);
  }

  @Test
  public void linuxRequests() throws Exception {
    Lane.LANE.dependably(
        reliable(),
        () -> {
          String line = command("srv");
          CompletableFuture<String> here =
              CompletableFuture.supplyAsync(() -> Lane.LANE.run(line), LinuxPeer.BESIDE);
          Lane.LANE.peer.awaitListenerHere(PORT);
          Program there = Lane.LANE.peer.exec(script("cli"));
          check(there.out(), toUs, here.get(Lane.END_S, TimeUnit.SECONDS), ours);
        });
  }

  @Test
  public void weRequest() throws Exception {
    Lane.LANE.dependably(
        reliable(),
        () -> {
          CompletableFuture<Program> there =
              CompletableFuture.supplyAsync(
                  () -> Lane.LANE.peer.exec(script("srv")), LinuxPeer.BESIDE);
          Lane.LANE.peer.awaitListener(PORT);
          String here = Lane.LANE.run(command("cli"));
          check(here, toLinux, there.get(Lane.END_S, TimeUnit.SECONDS).out(), linux);
        });
  }

  private void check(String requester, String wanted, String responder, String answered) {
    String both = requester + "\n" + responder;
    assertEquals(both, wanted, completions(requester));
    assertEquals(both, answered, completions(responder));
    List<String> read = data(requester);
    List<String> held = data(responder);
    if (!name.equals("ok")) {
      held.forEach(bytes -> assertEquals("what was sent is what came", read.getFirst(), bytes));
    } else {
      assertEquals("what was sent is what was written", held.get(0), held.get(1));
      assertEquals("what was written is what was read", held.get(1), read.get(0));
      assertEquals("CAS found the sum of the FAA", "0900000000000000", held.get(2));
      assertEquals("old values", "00000000000000000500000000000000", read.get(1));
    }
  }

  private boolean reliable() {
    return !name.matches("u[cd]_.*");
  }
}
