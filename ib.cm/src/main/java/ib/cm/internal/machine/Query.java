package ib.cm.internal.machine;

import ib.cm.CmEnd;
import ib.cm.CmTerms;
import ib.core.mad.cm.CmField;
import ib.core.mad.cm.CmMessage;
import ib.core.verbs.AhAttr;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A question for a datagram service of a peer; {@link Datagrams} alone reads and writes it. */
public final class Query {
  /**
   * How a question has ended.
   *
   * @param how why there is no answer; of no meaning when there is one
   * @param sent how often the question was sent
   * @param answer the SIDR_REP; null when there is none
   */
  public record Outcome(CmEnd how, int sent, @Nullable CmMessage answer) {}

  final int id;
  final CmMessage message;
  final AhAttr way;
  final int pkeyIndex;
  final CmTerms terms;
  final long deadlineNs;
  final Consumer<Outcome> ears;
  int sent;
  long timerNs;

  Query(
      CmMessage message,
      AhAttr way,
      int pkeyIndex,
      CmTerms terms,
      long deadlineNs,
      Consumer<Outcome> ears) {
    id = message.value(CmField.SIDR_REQ_REQUEST_ID);
    this.message = message;
    this.way = way;
    this.pkeyIndex = pkeyIndex;
    this.terms = terms;
    this.deadlineNs = deadlineNs;
    this.ears = ears;
  }
}
