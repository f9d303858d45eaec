package ib.core.verbs;

import org.jspecify.annotations.Nullable;

/** Called when an armed completion queue gets a completion; one call at a time per queue (S24). */
@FunctionalInterface
public interface CompHandler {
  /**
   * Handles the event: polls, arms again, polls again. An atomic section (S26).
   *
   * @param cq the queue
   * @param context the context given at creation (S49)
   */
  @Callback
  void complete(CompletionQueue cq, @Nullable Object context);
}
