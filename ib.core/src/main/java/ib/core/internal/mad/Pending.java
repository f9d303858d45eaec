package ib.core.internal.mad;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A result to come; cancelling it stops the work.
 *
 * @param <T> the result
 */
public final class Pending<T extends @Nullable Object> extends CompletableFuture<T> {
  private volatile @Nullable Runnable stop;

  /** Nothing has come yet. */
  public Pending() {}

  /**
   * Says what a cancel does, one that has been already included; it may be done twice.
   *
   * @param what stops the work
   */
  public void onCancel(Runnable what) {
    stop = what;
    if (isCancelled()) {
      what.run();
    }
  }

  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    boolean first = super.cancel(mayInterruptIfRunning);
    Runnable s = stop;
    if (first && s != null) {
      s.run();
    }
    return first;
  }
}
