package ib.core.internal.event;

import java.util.List;

/**
 * The result of closing all handlers of an owner.
 *
 * @param leftovers class names of the handlers that the owner had not unregistered
 * @param fenced whether none of its handlers runs any more; false after a timeout, or when the
 *     caller is inside one of them (CC-17)
 */
public record ClosedHandlers(List<String> leftovers, boolean fenced) {
  /** Copies the list. */
  public ClosedHandlers {
    leftovers = List.copyOf(leftovers);
  }
}
