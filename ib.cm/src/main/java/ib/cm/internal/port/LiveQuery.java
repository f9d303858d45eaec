package ib.cm.internal.port;

import ib.cm.CmDatagram;
import ib.cm.CmEnd;
import ib.cm.CmUnresolvedException;
import ib.cm.internal.machine.Query;
import ib.core.mad.cm.CmField;
import ib.core.mad.cm.CmMessage;
import ib.core.serial.Mailbox;
import ib.core.verbs.IbDisassociatedException;
import ib.core.verbs.IbException;
import ib.core.verbs.IbTimedOutException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** A question whose future is completed by the question's only event. */
final class LiveQuery extends Mailbox<Query.Outcome> {
  private final String what;
  private final Consumer<LiveQuery> gone;
  private final Notes notes;
  final CompletableFuture<CmDatagram> future = new CompletableFuture<>();

  /**
   * Creates a question.
   *
   * @param serviceId the service that is asked for
   * @param gone called when the future has completed
   * @param notes takes a failure
   */
  LiveQuery(long serviceId, Consumer<LiveQuery> gone, Notes notes) {
    super(Share.CALLBACKS, 1);
    this.what = String.format("resolve service 0x%016x", serviceId);
    this.gone = gone;
    this.notes = notes;
  }

  @Override
  protected void hear(Query.Outcome outcome) {
    try {
      CmMessage rep = outcome.answer();
      int status = rep == null ? 0 : rep.value(CmField.SIDR_REP_STATUS);
      if (rep == null) {
        IbException why = silence(outcome);
        if (outcome.how() == CmEnd.UNREACHABLE) {
          notes.unresolved(what, why);
        }
        future.completeExceptionally(why);
      } else if (status != 0) {
        IbException why = new CmUnresolvedException(what, status, rep.privateData());
        notes.unresolved(what, why);
        future.completeExceptionally(why);
      } else {
        int qkey = rep.value(CmField.SIDR_REP_QKEY);
        int qpn = rep.value(CmField.SIDR_REP_QPN);
        future.complete(new CmDatagram(qpn, qkey, rep.privateData()));
      }
    } finally {
      gone.accept(this);
    }
  }

  private IbException silence(Query.Outcome outcome) {
    return outcome.how() == CmEnd.UNREACHABLE
        ? new IbTimedOutException(
            what,
            outcome.how().text() + " to " + outcome.sent() + " messages",
            outcome.how().hint())
        : new IbDisassociatedException(what, "the share of the port is closed", "ask again");
  }

  @Override
  public String toString() {
    return what;
  }
}
