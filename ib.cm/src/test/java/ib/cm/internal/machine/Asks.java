package ib.cm.internal.machine;

import ib.core.mad.cm.CmField;
import ib.core.mad.cm.CmKind;
import ib.core.mad.cm.CmMessage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a simulated net of the ports 1 and 2 has itself seen of the messages that are repeated until
 * an answer comes. It judges an end for want of an answer. Such an end is right only when the asker
 * has asked as often as it may, when no answer has reached the asker before, and when the peer has
 * answered all that has reached the peer, but for what the net knows a reason for.
 */
final class Asks {
  private static final Map<CmKind, Set<CmKind>> ANSWERS =
      Map.of(
          CmKind.REQ, Set.of(CmKind.REP, CmKind.REJ),
          CmKind.REP, Set.of(CmKind.RTU, CmKind.REJ, CmKind.DREQ),
          CmKind.DREQ, Set.of(CmKind.DREP, CmKind.REJ, CmKind.DREQ),
          CmKind.SIDR_REQ, Set.of(CmKind.SIDR_REP));

  private record Key(int lid, int id, CmKind kind) {}

  private record Step(long atNs, String what) {
    @Override
    public String toString() {
      return String.format("%.1f ms %s", atNs / 1e6, what);
    }
  }

  private static final class Ask {
    final List<Step> steps = new ArrayList<>();
    int said;
    int arrived; // at the peer
    long firstNs; // when the first one arrived
    int excused;
    int answered; // by the peer
    int answers; // that have reached the asker
    boolean over;

    void note(long nowNs, String what) {
      steps.add(new Step(nowNs, what));
    }
  }

  private final Map<Key, Ask> asks = new HashMap<>();

  private static int name(CmMessage m) {
    return switch (m.kind()) {
      case SIDR_REQ -> m.value(CmField.SIDR_REQ_REQUEST_ID);
      default -> m.localId();
    };
  }

  private static int names(CmMessage m) {
    return switch (m.kind()) {
      case SIDR_REP -> m.value(CmField.SIDR_REP_REQUEST_ID);
      default -> m.remoteId();
    };
  }

  /** {@return what was asked under the name that an answer names} */
  private List<Ask> answeredBy(CmMessage m, int askerLid) {
    List<Ask> found = new ArrayList<>();
    ANSWERS.forEach(
        (kind, answers) -> {
          Ask a = answers.contains(m.kind()) ? asks.get(new Key(askerLid, names(m), kind)) : null;
          if (a != null && !a.over) {
            found.add(a);
          }
        });
    return found;
  }

  /** A port has said something. */
  void said(CmMessage m, int lid, long nowNs) {
    if (ANSWERS.containsKey(m.kind())) {
      Ask a = asks.computeIfAbsent(new Key(lid, name(m), m.kind()), k -> new Ask());
      a.said++;
      a.note(nowNs, "asks");
    }
    for (Ask each : answeredBy(m, 3 - lid)) {
      each.answered++;
      each.note(nowNs, m.kind() + " is said");
    }
  }

  /** What was said reaches a port. */
  void arrives(CmMessage m, int lid, long nowNs) {
    for (Ask each : answeredBy(m, lid)) {
      each.answers++;
      each.note(nowNs, m.kind() + " arrives");
    }
    Ask a = ANSWERS.containsKey(m.kind()) ? asks.get(new Key(3 - lid, name(m), m.kind())) : null;
    if (a != null && !a.over) {
      a.note(nowNs, "arrives");
      a.firstNs = a.arrived++ == 0 ? nowNs : a.firstNs;
      boolean thinks = a.arrived > 1 && nowNs - a.firstNs <= SimulatedNet.THINKS_NS;
      boolean leaves = asks.containsKey(new Key(lid, names(m), CmKind.DREQ));
      if (m.kind() == CmKind.REP && (thinks || leaves)) {
        excuse(3 - lid, name(m), CmKind.REP, nowNs, thinks ? "it thinks" : "it disconnects");
      }
    }
  }

  /** The peer has a reason not to answer one of those that have arrived. */
  void excuse(int lid, int id, CmKind kind, long nowNs, String why) {
    Ask a = asks.get(new Key(lid, id, kind));
    if (a != null && !a.over) {
      a.excused++;
      a.note(nowNs, why);
    }
  }

  /** A port asks under a name no more. */
  void over(int lid, int id) {
    for (CmKind kind : ANSWERS.keySet()) {
      Ask a = asks.get(new Key(lid, id, kind));
      if (a != null) {
        a.over = true;
      }
    }
  }

  /**
   * Judges an end for want of an answer; {@return what is wrong, empty for nothing}
   *
   * @param most how often the port may ask
   */
  String judge(int lid, int id, CmKind kind, int most) {
    Ask a = asks.get(new Key(lid, id, kind));
    if (a == null) {
      return "it never said " + kind;
    }
    String why = "";
    if (a.said < most) {
      why = "it asked " + a.said + " times only";
    } else if (a.answers > 0) {
      why = "an answer had arrived";
    } else if (a.answered < a.arrived - a.excused) {
      why = "of " + a.arrived + " that arrived " + a.answered + " were answered, " + a.excused;
      why += " for a reason not";
    }
    return why.isEmpty() ? why : why + " " + a.steps;
  }
}
