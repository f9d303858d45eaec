package ib.cm.internal.machine;

import static ib.cm.internal.machine.Act.*;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.mad.cm.CmField;
import ib.core.mad.cm.CmKind;
import ib.core.mad.cm.CmMessage;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("finding")
class SimulationTest {
  private static final int CONNECTIONS = 30;

  /** Runs a net with all seeds, finds nothing wrong; {@return the sum of what it counts} */
  private static long right(Consumer<SimulatedNet> does, ToLongFunction<SimulatedNet> counts) {
    Map<Long, List<String>> wrong = new ConcurrentSkipListMap<>();
    LongStream seeds = LongStream.range(Cases.FIRST, Cases.FIRST + (long) Cases.SEEDS);
    long sum =
        seeds
            .parallel()
            .map(
                seed -> {
                  SimulatedNet net = new SimulatedNet(seed, StateTable.IBA);
                  does.accept(net);
                  List<String> found = net.run();
                  if (!found.isEmpty() && wrong.size() < Cases.MAX_REPORTED) {
                    wrong.put(seed, found);
                  }
                  return counts.applyAsLong(net);
                })
            .sum();
    assertEquals(Map.of(), wrong);
    return sum;
  }

  @Test
  @DisplayName("F10: every connection ends exactly once, no name or timer is left, with 20 % loss")
  void ends() {
    long ups = right(net -> net.connect(CONNECTIONS), SimulatedNet::ups);
    assertTrue(ups > (long) Cases.SEEDS * CONNECTIONS, ups + " sides were established");
  }

  private static void asksAndConnects(SimulatedNet net) {
    net.ask(CONNECTIONS);
    net.connect(3);
  }

  @Test
  @DisplayName("F10, SIDR: every question ends exactly once, with its own answer, and none is left")
  void questions() {
    long answers = right(SimulationTest::asksAndConnects, SimulatedNet::answers);
    assertTrue(
        answers > (long) Cases.SEEDS * CONNECTIONS / 2, answers + " questions were answered");
  }

  /** Finds a station that does not say some messages, or does not hear some. */
  private static void caught(
      String what, Predicate<CmMessage> mute, Predicate<CmMessage> deaf, String because) {
    List<String> found = new ArrayList<>();
    for (long seed = 0; seed < 40 && found.isEmpty(); seed++) {
      SimulatedNet net = new SimulatedNet(seed, StateTable.IBA);
      net.mute = mute;
      net.deaf = deaf;
      asksAndConnects(net);
      found.addAll(net.run());
    }
    assertTrue(found.stream().anyMatch(f -> f.contains(because)), what + ": " + found);
  }

  private static boolean is(CmMessage m, CmKind kind, int every) {
    return m.kind() == kind && Math.floorMod(m.tid(), every) == 0;
  }

  @Test
  @DisplayName("the simulation finds answers that are lost in a station, not in the net")
  void lostInside() {
    Predicate<CmMessage> no = m -> false;
    caught("unheard", no, m -> is(m, CmKind.SIDR_REP, 20), "an answer had arrived");
    caught("unsaid", m -> is(m, CmKind.SIDR_REP, 20), no, "0 were answered");
    caught("unasked", no, m -> is(m, CmKind.SIDR_REQ, 20), "0 were answered");
    caught("DREP unheard", no, m -> is(m, CmKind.DREP, 2), "an answer had arrived");
    caught("DREP unsaid", m -> is(m, CmKind.DREP, 2), no, "0 were answered");
    Set<Integer> once = new HashSet<>();
    Predicate<CmMessage> again =
        m -> m.kind() == CmKind.SIDR_REQ && !once.add(m.value(CmField.SIDR_REQ_REQUEST_ID));
    caught("asked once", again, no, "it asked 1 times only");
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
