package ib.core.verbs;

import org.jspecify.annotations.Nullable;

/** Called for the events of one CQ, QP or SRQ (S45, S47); gets the object's context (S52). */
@FunctionalInterface
public interface EventHandler {
  /**
   * Handles the event. An atomic section (S26).
   *
   * @param event the event
   * @param context the context given at the object's creation
   */
  @Callback
  void handle(IbEvent event, @Nullable Object context);
}
