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
  private final CompletableFuture<CmDatagram> future = new CompletableFuture<>();

  /**
   * Creates a question.
   *
   * @param serviceId the service that is asked for
   * @param gone called when the future has completed
   */
  LiveQuery(long serviceId, Consumer<LiveQuery> gone) {
    super(Share.CALLBACKS, 1);
    this.what = String.format("resolve service 0x%016x", serviceId);
    this.gone = gone;
  }

  CompletableFuture<CmDatagram> future() {
    return future;
  }

  @Override
  protected void hear(Query.Outcome outcome) {
    try {
      CmMessage rep = outcome.answer();
      int status = rep == null ? 0 : rep.value(CmField.SIDR_REP_STATUS);
      if (rep == null) {
        future.completeExceptionally(silence(outcome));
      } else if (status != 0) {
        future.completeExceptionally(new CmUnresolvedException(what, status, rep.privateData()));
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
            "no answer to " + outcome.sent() + " messages",
            "whether the peer runs, and UDP port 4791 is open between both hosts")
        : new IbDisassociatedException(what, "the share of the port is closed", "ask again");
  }

  @Override
  public String toString() {
    return what;
  }
}
