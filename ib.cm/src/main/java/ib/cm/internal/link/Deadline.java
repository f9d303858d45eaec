package ib.cm.internal.link;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The time by which a peer must have answered, which the host's connection manager does not keep.
 * Any thread may call; the JDK's thread for timeouts calls back, and must not be held up.
 */
final class Deadline {
  private final CompletableFuture<Void> answered = new CompletableFuture<>();

  /**
   * Begins to count.
   *
   * @param ms milliseconds from now; 0 for no deadline
   * @param late called when the time is over and {@link #over} was not called
   */
  void begin(long ms, Runnable late) {
    if (ms > 0) {
      answered
          .orTimeout(ms, TimeUnit.MILLISECONDS)
          .whenComplete(
              (done, why) -> {
                if (why instanceof TimeoutException) {
                  late.run();
                }
              });
    }
  }

  /** The peer has answered, or no answer is waited for any more. */
  void over() {
    answered.complete(null);
  }
}
