package ib.cm.internal.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.cm.CmEnd;
import ib.cm.CmEndpoint;
import ib.cm.CmEvent;
import ib.cm.CmTerms;
import ib.cm.QpSteps;
import ib.core.mad.cm.CmMessage;
import ib.core.mad.cm.Recorded;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Recordings of Linux 6.1 as conformance vectors: the station answers as Linux has, byte by byte,
 * but for the differences that each test names with their reasons.
 */
class ConformanceTest {
  private static final String OWN = "";

  private static Rerun same(String recording, Difference... differences) {
    Rerun rerun = new Rerun(recording, StateTable.IBA).run();
    assertEquals(Arrays.stream(differences).map(Difference::toString).toList(), found(rerun));
    assertTrue(rerun.times().size() > 2, "too little was said");
    rerun.ends().forEach((name, ends) -> assertEquals(1, ends.size(), Integer.toHexString(name)));
    assertEquals(0, rerun.left(), "entries");
    return rerun;
  }

  private static List<String> found(Rerun rerun) {
    List<String> found = new ArrayList<>();
    for (Rerun.Slot slot : rerun.slots()) {
      boolean after = slot.heard() == Rerun.AFTERWARDS;
      if (!after && !Difference.bytes(slot.linux()).equals(Difference.bytes(slot.ours()))) {
        String linux = Difference.brief(slot.linux());
        String ours = Difference.brief(slot.ours());
        String fields = linux.equals(ours) ? " " + slot.linux() + " " + slot.ours() : "";
        found.add(new Difference(slot.heard(), linux, ours, OWN) + fields);
      }
    }
    return found;
  }

  private static void ended(Rerun rerun, int name, CmEnd how, int reason) {
    CmEvent.Ended end = rerun.ends().get(name).getFirst();
    assertEquals(how, end.how());
    assertEquals(reason, end.reason());
  }

  @Test
  @DisplayName("M1 to M9, CM-52: refused, malformed and unknown messages get Linux's answers")
  void malformed() {
    same(
        "cm_probe_malformed",
        new Difference(5, "SIDR_REP 0", "", "ClassPortInfo: Linux's MAD layer answers, not its CM"),
        new Difference(
            17, "REJ 28", "", "8.8.8.8 has no route: the program decides, and it is counted, RD-1"),
        new Difference(23, "REJ 28", "REJ 9", "UC: the reason that IBA has for it"),
        new Difference(25, "REJ 28", "REJ 9", "RD: the same"),
        new Difference(
            27, "REP", "REJ 26", "MTU 4096 at a port of 1024: Linux fails later, in RTR (CM-52)"),
        new Difference(30, "REJ 8", "", "MTU 0 is no message, as the rest of its path may be none"),
        new Difference(
            32, "REJ 8", "REJ 28, REJ 8", "the request of frame 17 waits when the listener ends"),
        new Difference(36, "", "REJ 6", "REP of an unknown name: the peer need not wait (1.5)"),
        new Difference(41, "", "APR 1", "LAP of an unknown name: an answer as IBA has it"));
  }

  @Test
  @DisplayName("M10 to M12, M24, CM-32: the passive side, timewait, stale requests, DREQs repeated")
  void passive() {
    Rerun rerun =
        same(
            "cm_probe_passive_a",
            new Difference(
                15, "REJ 28", "REJ 10", "the name again in timewait opens no connection, CM-42"));
    ended(rerun, 0xf161_8743, CmEnd.DISCONNECTED, 0);
    List<Long> linux = rerun.linuxTimes().get("DREQ f5618743");
    List<Long> ours = rerun.times().get("DREQ f5618743");
    assertEquals(4, linux.size());
    assertEquals(16, ours.size(), "the recording ends before");
    every(ours, 4096L << 20);
  }

  private static void every(List<Long> times, long ns) {
    for (int i = 1; i < times.size(); i++) {
      assertEquals(ns, times.get(i) - times.get(i - 1));
    }
  }

  @Test
  @DisplayName("M13 to M19: lost RTU, REPs repeated, MRA, DREQ before RTU, REJ when established")
  void order() {
    Rerun rerun =
        same(
            "cm_probe_passive_b",
            new Difference(8, "REP", "REJ 4, REP", "after the last REP the peer need not wait"),
            new Difference(
                15, "", "REJ 4", "one REP has the time that an MRA asks for, not all (1.6)"),
            new Difference(22, "", "DREP", "DREQ before RTU: at once, not when the program ends"),
            new Difference(27, "DREP", "", "that is the answer to frame 22"),
            new Difference(34, "", "APR 2", "LAP over RoCE: an answer as IBA has it"));
    assertEquals(2, rerun.times().get("REP cc618743").size(), "M13: data do not stop Linux's");
    assertEquals(4, rerun.linuxTimes().get("REP cd618743").size(), "M14");
    assertEquals(4, rerun.times().get("REP cd618743").size());
    every(rerun.times().get("REP cd618743"), 4096L << 14);
    ended(rerun, 0xc161_8743, CmEnd.LOST, 28); // M18
    ended(rerun, 0xc461_8743, CmEnd.REJECTED, 4); // M19
  }

  @Test
  @DisplayName("M20: a REQ's starting PSN is the one that the passive side begins with")
  void startingPsn() {
    CmMessage req =
        Recorded.of("cm_probe_passive_b").stream()
            .filter(r -> r.frame() == 40)
            .map(r -> (CmMessage) r.decoded())
            .findFirst()
            .orElseThrow();
    CmEndpoint peer = Requests.peer(req, Transport.RC);
    assertEquals(0xabc000, peer.startingPsn());
    CmEndpoint mine = CmEndpoint.of(33, 0x929846);
    assertEquals(0xabc000, QpSteps.rts(mine, peer, CmTerms.DEFAULT).sqPsn());
  }

  @Test
  @DisplayName("M21 to M23: MRA for repeated requests, a full backlog, a server that is killed")
  void backlog() {
    Rerun rerun = same("cm_probe_backlog");
    ended(rerun, 0xaa61_8743, CmEnd.REJECTED, 4);
    ended(rerun, 0xa961_8743, CmEnd.CLOSED, 0);
  }

  @Test
  @DisplayName("M26 to M28: a server that is killed when connected, a device that goes")
  void killedServer() {
    Rerun rerun =
        same(
            "cm_probe_removal",
            new Difference(16, "", "DREP", "Linux's device is gone then, and ours is not"));
    assertEquals(1, rerun.linuxTimes().get("DREQ f2608743").size());
    assertEquals(3, rerun.times().get("DREQ f2608743").size(), "M26: ours is repeated");
  }

  @Test
  @DisplayName("M30 to M36, CM-8: the active side hears REJs, REPs again, stale and foreign ones")
  void active() {
    Rerun rerun =
        same(
            "cm_probe_active",
            new Difference(47, "REJ 28", "RTU", "a foreign ECE vendor offers, and asks nothing"),
            new Difference(
                54, "RTU", "", "a REP of another address has no effect: names can be guessed"));
    ended(rerun, 0xd961_8743, CmEnd.REJECTED, 28);
    ended(rerun, 0xdb61_8743, CmEnd.REJECTED, 10);
    ended(rerun, 0xdf61_8743, CmEnd.REJECTED, 24);
  }

  @Test
  @DisplayName("M37, M39, CM-1, CM-50: killed processes, and each byte of Linux's REQs")
  void killedClient() {
    Rerun rerun = same("cm_probe_active_kill");
    ended(rerun, 0xd761_8743, CmEnd.CLOSED, 0);
  }

  @Test
  @DisplayName("M29, M30, M30b, CM-31: without an answer REP, REQ and SIDR_REQ are sent 16 times")
  void noAnswer() {
    Rerun rerun =
        same(
            "cm_probe_noanswer",
            new Difference(
                1,
                "REP, REQ, SIDR_REQ",
                "REJ 4, REP, REQ, SIDR_REQ",
                "after the last REP the peer need not wait"));
    Map<String, List<Long>> ours = rerun.times();
    Map<String, Long> intervals =
        Map.of(
            "REP fe608743", 4096L << 20,
            "REQ ff608743", (2 * 4096L << 18) + (4096L << 20),
            "SIDR_REQ fc608743", 4096L << 20);
    intervals.forEach(
        (message, ns) -> {
          assertEquals(16, rerun.linuxTimes().get(message).size());
          assertEquals(16, ours.get(message).size());
          every(ours.get(message), ns);
        });
    ended(rerun, 0xfe60_8743, CmEnd.UNREACHABLE, 0);
    ended(rerun, 0xff60_8743, CmEnd.UNREACHABLE, 0);
    assertEquals(List.of(CmEnd.UNREACHABLE), rerun.outcomes().stream().map(o -> o.how()).toList());
  }

  @Test
  @DisplayName("the recordings find a row that differs")
  void planted() {
    finds("cm_probe_passive_b", State.REP_SENT, Input.DREQ, State.REP_SENT);
    finds("cm_probe_passive_a", State.ESTABLISHED, Input.DREQ, State.ESTABLISHED);
    finds("cm_probe_passive_b", State.ESTABLISHED, Input.LAP, State.ESTABLISHED);
    finds("cm_probe_active", State.ESTABLISHED, Input.REP, State.ESTABLISHED);
    finds("cm_probe_backlog", State.MRA_REQ_SENT, Input.REQ, State.MRA_REQ_SENT);
    finds(
        "cm_probe_active_kill", State.REQ_SENT, Input.CLOSE, State.GONE, Act.END_CLOSED, Act.FREE);
  }

  private static void finds(String recording, State in, Input input, State next, Act... acts) {
    List<String> right = found(new Rerun(recording, StateTable.IBA).run());
    List<String> wrong =
        found(new Rerun(recording, StateTable.IBA.with(in, input, next, acts)).run());
    assertNotEquals(right, wrong, in + " " + input);
  }
}
