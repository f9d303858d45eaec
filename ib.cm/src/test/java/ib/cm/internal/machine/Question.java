package ib.cm.internal.machine;

import ib.cm.CmEnd;
import ib.core.mad.cm.CmField;
import ib.core.mad.cm.CmKind;
import ib.core.mad.cm.CmMessage;
import java.util.List;

/**
 * A question for a datagram service, and how it has ended.
 *
 * @param lid of the port that asks
 * @param qpn the queue pair that the answer has to name
 * @param outcomes its ends
 */
record Question(int lid, int qpn, List<Query.Outcome> outcomes) {
  /** {@return what is wrong with it, empty for nothing} */
  String wrong(Query asked, Asks asks) {
    if (outcomes.size() != 1) {
      return "question " + qpn + " has " + outcomes.size() + " ends";
    }
    Query.Outcome end = outcomes.getFirst();
    CmMessage rep = end.answer();
    boolean other =
        rep != null
            && rep.value(CmField.SIDR_REP_STATUS) == 0
            && rep.value(CmField.SIDR_REP_QPN) != qpn;
    boolean on = asked.sent != end.sent();
    boolean lost = rep == null && end.how() == CmEnd.UNREACHABLE;
    String why = lost ? asks.judge(lid, asked.id, CmKind.SIDR_REQ, SimulatedNet.MAX_ASKED) : "";
    boolean bad = on || other || !why.isEmpty();
    String what = "question " + qpn + " is sent " + asked.sent + " times, ends with " + end;
    return bad ? what + " " + why : "";
  }
}
