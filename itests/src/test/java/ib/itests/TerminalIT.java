package ib.itests;

import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;
import static org.junit.Assume.assumeTrue;

import java.util.List;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

/** The shell as a person has it: on a terminal, with keys. */
public class TerminalIT {
  private Pty terminal;

  @Before
  public void start() throws Exception {
    String why = Pty.whyNot();
    assumeTrue(why, why.isEmpty());
    terminal = new Pty(Distro.HOME);
    terminal.runUntil(
        "rdma link | grep ACTIVE", text -> text.contains("soft0/1") && text.contains("soft1/1"));
  }

  @After
  public void stop() throws Exception {
    if (terminal != null) {
      terminal.close();
    }
  }

  @Test
  public void findingU1U2LinesAppearAtOnceAndCtrlCPrintsTheStatisticsAlone() throws Exception {
    int server = terminal.type("ibping -S -C soft1 &\r");
    terminal.await("the server's job", server, text -> text.contains("[1]  background"));
    terminal.awaitPrompt(server);
    int from = terminal.type("ibping -C soft0 2\r");
    // the command never ends by itself, so what is printed is printed while it runs
    terminal.await("two answers", from, text -> text.split("Pong from soft1").length > 2);
    terminal.type(Pty.CTRL_C);
    String all = terminal.awaitPrompt(from);
    assertTrue(all, all.contains("--- soft1 (Lid 2) ibping statistics ---"));
    assertFalse(all, all.contains("Exception"));
  }

  @Test
  public void findingU2CtrlCEndsThePingPongNotTheShellAndLeavesNoQueuePair() throws Exception {
    int from = terminal.type("ibv_rc_pingpong -d soft0 -n 100000000 soft1\r");
    terminal.await("the second address", from, text -> text.contains("remote address:"));
    terminal.type(Pty.CTRL_C);
    String all = terminal.awaitPrompt(from);
    assertFalse(all, all.contains("Exception"));
    // at once, without waiting: the prompt comes back when the command has closed its objects
    String left = terminal.run("rdma res show qp");
    assertTrue(left, left.contains("type GSI"));
    assertFalse(left, left.contains("type RC"));
  }

  @Test
  public void findingU7TheShellGreetsAndWhatItProposesRuns() throws Exception {
    String greeting = terminal.await("a greeting", 0, text -> text.contains("\ntry: "));
    assertTrue(greeting, greeting.startsWith("ib 0.1."));
    for (String line :
        List.of("ibv_rc_pingpong -d soft0 soft1", "ib:unplug soft1; ib:plug soft1")) {
      assertTrue(greeting, greeting.contains(line.substring(0, line.indexOf(' '))));
      String all = terminal.run(line);
      assertFalse(all, all.contains("Exception"));
    }
  }

  @Test
  public void findingU6HelpIsInGroupsWithALineForEachCommand() throws Exception {
    String all = terminal.run("help");
    assertTrue(all, all.contains("\ndevices, as rdma-core and iproute2\n"));
    assertTrue(all, all.contains("\n  ibv_devices        names and node GUIDs of all devices\n"));
    assertTrue(all, all.contains("\nthe fabric, as infiniband-diags\n"));
    assertFalse("others' commands", all.contains("osgi:eval"));
    String one = terminal.run("help perfquery");
    assertTrue(one, one.contains("\nperfquery: port counters"));
    String unknown = terminal.run("ibv_device");
    assertTrue(
        unknown, unknown.contains("\nibv_device: no such command; did you mean ibv_devices?"));
  }

  @Test
  public void findingU3EachCommandOfALinePrintsItsOutput() throws Exception {
    String both = terminal.run("ibv_devices; rdma link show soft1/1");
    assertTrue(both, both.contains("02c90300000a0010"));
    assertTrue(both, both.contains("link soft1/1 subnet_prefix"));
    String field = terminal.run("((ibv_devices) get 1) name");
    assertTrue(field, field.contains("\nsoft1\n"));
  }

  @Test
  public void findingU3AFailingJobInTheBackgroundPrintsItsError() throws Exception {
    int from = terminal.type("ibv_devinfo -d nosuch &\r");
    terminal.await("its end", from, text -> text.contains("[1]  done"));
    String all = terminal.awaitPrompt(from);
    assertTrue(all, all.contains("IB device 'nosuch' wasn't found"));
  }
}
