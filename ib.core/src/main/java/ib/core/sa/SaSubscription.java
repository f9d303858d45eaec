package ib.core.sa;

import ib.core.verbs.AnyContext;
import java.util.concurrent.CompletableFuture;

/** A subscription to reports of one trap. */
public interface SaSubscription extends AutoCloseable {
  /** {@return completes when the subnet administrator has first confirmed it, or refused} */
  @AnyContext
  CompletableFuture<Void> confirmed();

  /** Ends it; reports that are on their way are not heard any more. Does not wait. */
  @Override
  @AnyContext
  void close();
}
