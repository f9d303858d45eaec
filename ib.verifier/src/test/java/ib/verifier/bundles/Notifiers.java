package ib.verifier.bundles;

import ib.core.verbs.CompletionNotifier;
import ib.core.verbs.CompletionQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** What any context may call, done well and badly. */
public final class Notifiers {
  private Notifiers() {}

  /** Notifies as often as the test says. */
  abstract static class Notifier implements CompletionNotifier, Runnable {
    @Override
    public final void run() {
      try {
        notifyCompletion(null);
      } catch (IllegalStateException e) {
        // the section has to end by an exception, too: what follows is outside
        pause();
      }
    }

    @Override
    public final int processDirect(CompletionQueue cq, int budget) {
      return 0;
    }

    static void pause() {
      try {
        Thread.sleep(0, 1);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Waits for a tenth of a millisecond. */
  public static final class Waits extends Notifier {
    @Override
    public void notifyCompletion(CompletionQueue cq) {
      try {
        Thread.sleep(0, 1);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Counts, and fails. */
  public static final class Fails extends Notifier {
    private final AtomicInteger count = new AtomicInteger();

    @Override
    public void notifyCompletion(CompletionQueue cq) {
      if (count.incrementAndGet() > 0) {
        throw new IllegalStateException("always");
      }
    }
  }
}
