package ib.itests;

import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;
import static org.junit.Assume.assumeTrue;

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
