package ib.cm.internal.link;

import ib.cm.CmDatagram;
import ib.cm.CmEnd;
import ib.cm.CmUnresolvedException;
import ib.core.cm.ConnectorAnswer;
import ib.core.cm.ConnectorEnd;
import ib.core.cm.ConnectorPending;
import ib.core.serial.Mailbox;
import ib.core.verbs.IbDisassociatedException;
import ib.core.verbs.IbException;
import ib.core.verbs.IbNoDeviceException;
import ib.core.verbs.IbTimedOutException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A question for a datagram service that the host asks. Whichever thread ends it first has its
 * future completed by the question's only callback, which ends it in the host.
 */
final class LinkQuery extends Mailbox<LinkQuery.Outcome> implements ConnectorAnswer {

  /** The outcome: one of the two. */
  record Outcome(@Nullable CmDatagram answer, @Nullable IbException why) {}

  private final String what;
  private final Consumer<LinkQuery> gone;
  private final CompletableFuture<CmDatagram> future = new CompletableFuture<>();
  private final AtomicBoolean over = new AtomicBoolean();
  private final CountDownLatch made = new CountDownLatch(1);
  private final Deadline deadline = new Deadline();
  private volatile @Nullable ConnectorPending pending;

  /**
   * Creates a question that the host does not know yet.
   *
   * @param what the question, for errors
   * @param gone called when it has ended
   */
  LinkQuery(String what, Consumer<LinkQuery> gone) {
    super(LinkConnection.CALLBACKS, 1);
    this.what = what;
    this.gone = gone;
  }

  /**
   * The host has the question.
   *
   * @param deadlineMs by when the answer must have come, from now; 0 for no deadline
   * @return completes with the answer; to cancel it gives the question up
   */
  CompletableFuture<CmDatagram> made(ConnectorPending by, long deadlineMs) {
    pending = by;
    made.countDown();
    deadline.begin(deadlineMs, () -> over(null, silence()));
    future.whenComplete(
        (answer, why) -> {
          if (why instanceof CancellationException) {
            removed();
          }
        });
    return future;
  }

  /** The host has refused to ask: the caller has the exception. */
  void unmade() {
    over.set(true);
    made.countDown();
  }

  /** Gives it up: the share of the port is closed. */
  void removed() {
    over(null, new IbDisassociatedException(what, "the share of the port is closed", "ask again"));
  }

  private void over(@Nullable CmDatagram answer, @Nullable IbException why) {
    if (over.compareAndSet(false, true)) {
      deadline.over();
      offer(new Outcome(answer, why));
    }
  }

  @Override
  public void answered(int qpn, int qkey, byte[] data) {
    over(new CmDatagram(qpn, qkey, data), null);
  }

  @Override
  public void ended(ConnectorEnd how, int status, byte[] data) {
    over(
        null,
        switch (how) {
          case REJECTED -> new CmUnresolvedException(what, status, data);
          case UNREACHABLE -> silence();
          case REMOVED -> new IbDisassociatedException(what, "the device goes", "the next one");
          default ->
              new IbNoDeviceException(
                  what,
                  "the host's connection manager gives up, error " + status,
                  "ip route get, ip neigh, rdma link: whether the host reaches the address by the"
                      + " device");
        });
  }

  private IbException silence() {
    return new IbTimedOutException(what, CmEnd.UNREACHABLE.text(), CmEnd.UNREACHABLE.hint());
  }

  @Override
  protected void hear(Outcome outcome) {
    try {
      made.await(); // an answer may be faster than the call that has begun the question
      if (outcome.answer == null) {
        future.completeExceptionally(outcome.why);
      } else {
        future.complete(outcome.answer);
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException("no code interrupts the callbacks of " + this, e);
    } finally {
      ConnectorPending old = pending;
      if (old != null) {
        old.close();
      }
      gone.accept(this);
    }
  }

  @Override
  public String toString() {
    return what;
  }
}
