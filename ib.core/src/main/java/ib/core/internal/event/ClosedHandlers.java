package ib.core.internal.event;

import java.util.List;

/**
 * What was found when the handlers of an owner were closed.
 *
 * @param leftovers class names of the handlers that it had not unregistered
 * @param fenced whether none of its handlers runs any more; false after a timeout, or when the
 *     caller is inside one of them (CC-17)
 */
public record ClosedHandlers(List<String> leftovers, boolean fenced) {
  /** Copies the list. */
  public ClosedHandlers {
    leftovers = List.copyOf(leftovers);
  }
}
