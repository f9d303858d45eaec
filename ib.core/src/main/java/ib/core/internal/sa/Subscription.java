package ib.core.internal.sa;

import ib.core.internal.mad.Pending;
import ib.core.sa.Notice;
import ib.core.sa.SaSubscription;
import ib.core.verbs.IbException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One caller's share in a subscription. */
final class Subscription implements SaSubscription {
  private final Session session;
  final int trap;
  private final Consumer<Notice> reports;
  private final Pending<@Nullable Void> confirmed = new Pending<>();
  private volatile boolean closed;

  Subscription(Session session, int trap, Consumer<Notice> reports) {
    this.session = session;
    this.trap = trap;
    this.reports = reports;
  }

  @Override
  public CompletableFuture<@Nullable Void> confirmed() {
    return confirmed;
  }

  void confirmed(@Nullable IbException refusal) {
    session
        .callbacks()
        .execute(
            () -> {
              if (refusal == null) {
                confirmed.complete(null);
              } else {
                confirmed.completeExceptionally(refusal);
              }
            });
  }

  void heard(Notice notice) {
    session
        .callbacks()
        .execute(
            () -> {
              if (!closed) {
                reports.accept(notice);
              }
            });
  }

  void end() {
    closed = true;
  }

  @Override
  public void close() {
    session.close(this);
  }
}
