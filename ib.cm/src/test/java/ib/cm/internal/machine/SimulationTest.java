package ib.cm.internal.machine;

import static ib.cm.internal.machine.Act.*;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class SimulationTest {
  private static final int SEEDS = Cases.SEEDS;
  private static final int CONNECTIONS = 30;

  @Test
  @DisplayName("every connection ends exactly once, and no name or timer is left, with 20 % loss")
  void ends() {
    Map<Long, List<String>> wrong = new TreeMap<>();
    long ups = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      SimulatedNet net = new SimulatedNet(seed, StateTable.IBA);
      net.connect(CONNECTIONS);
      List<String> found = net.run();
      if (!found.isEmpty()) {
        wrong.put(seed, found);
      }
      ups += net.ups();
    }
    assertEquals(Map.of(), wrong);
    assertTrue(ups > (long) SEEDS * CONNECTIONS, ups + " sides were established");
  }

  @Test
  @DisplayName("SIDR: every question ends exactly once, with its own answer, and none is left")
  void questions() {
    Map<Long, List<String>> wrong = new TreeMap<>();
    long answers = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      SimulatedNet net = new SimulatedNet(seed, StateTable.IBA);
      net.ask(CONNECTIONS);
      net.connect(3);
      List<String> found = net.run();
      if (!found.isEmpty()) {
        wrong.put(seed, found);
      }
      answers += net.answers();
    }
    assertEquals(Map.of(), wrong);
    assertTrue(answers > (long) SEEDS * CONNECTIONS / 2, answers + " questions were answered");
  }

  private static void caught(String what, StateTable planted) {
    int caught = 0;
    for (long seed = 0; seed < 40 && caught == 0; seed++) {
      SimulatedNet net = new SimulatedNet(seed, planted);
      net.connect(CONNECTIONS);
      caught += net.run().size();
    }
    assertTrue(caught > 0, what);
  }

  @Test
  @DisplayName("the simulation finds a row with a wrong next state")
  void wrongState() {
    caught("RTU", StateTable.IBA.with(State.REP_SENT, Input.RTU, State.REP_SENT, UP));
    caught(
        "REP",
        StateTable.IBA.with(State.REQ_SENT, Input.REP, State.REQ_SENT, STOP, LEARN, REPLIED));
  }

  @Test
  @DisplayName("the simulation finds a timewait that is skipped")
  void timewait() {
    StateTable drep =
        StateTable.IBA.with(State.DREQ_SENT, Input.DREP, State.GONE, END_DISCONNECTED, FREE);
    caught(
        "DREQ",
        drep.with(State.ESTABLISHED, Input.DREQ, State.GONE, SAY_DREP, END_DISCONNECTED, FREE));
  }

  @Test
  @DisplayName("the simulation finds a DREQ, a REP and an RTU that are not repeated")
  void notRepeated() {
    caught("DREQ", StateTable.IBA.with(State.DREQ_SENT, Input.AGAIN, State.DREQ_SENT, TIMER));
    caught("RTU", StateTable.IBA.with(State.ESTABLISHED, Input.REP, State.ESTABLISHED));
    StateTable rep = StateTable.IBA.with(State.REP_SENT, Input.AGAIN, State.REP_SENT, TIMER);
    caught("REP", rep.with(State.REP_SENT, Input.REQ, State.REP_SENT));
  }

  @Test
  @DisplayName("the simulation finds two ends, a missing end and a name that stays")
  void endsWrong() {
    caught(
        "two",
        StateTable.IBA.with(
            State.TIMEWAIT, Input.DREQ, State.TIMEWAIT, SAY_DREP, END_DISCONNECTED));
    caught("none", StateTable.IBA.with(State.REQ_SENT, Input.REJ, State.GONE, FREE));
    caught("stays", StateTable.IBA.with(State.TIMEWAIT, Input.LAST, State.GONE));
  }
}
