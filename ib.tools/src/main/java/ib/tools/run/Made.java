package ib.tools.run;

import ib.core.verbs.IbDisassociatedException;
import ib.core.verbs.IbException;
import ib.tools.getopt.CommandException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Supplier;

/** The verbs objects of a run, in the order they were made. */
public final class Made implements AutoCloseable {
  private final Deque<AutoCloseable> objects = new ArrayDeque<>();

  /** Nothing yet. */
  public Made() {}

  /**
   * Makes one.
   *
   * @param <T> what it is
   * @param failure what to say when it cannot be made
   * @param maker makes it
   * @return the object, closed with the others
   */
  public <T extends AutoCloseable> T make(String failure, Supplier<T> maker) {
    T object = attempt(failure, maker);
    objects.push(object);
    return object;
  }

  /**
   * Asks the midlayer for something.
   *
   * @param <T> what it returns
   * @param failure what to say when it refuses
   * @param action asks
   * @return what it returned
   */
  public static <T> T attempt(String failure, Supplier<T> action) {
    try {
      return action.get();
    } catch (IbException e) {
      throw new CommandException(failure, e);
    }
  }

  /** Closes what was made, last first; what the core has destroyed already is no failure. */
  @Override
  public void close() {
    CommandException failure = null;
    while (!objects.isEmpty()) {
      AutoCloseable object = objects.pop();
      try {
        object.close();
      } catch (IbDisassociatedException e) {
        continue;
      } catch (Exception e) {
        failure = failure == null ? new CommandException("Couldn't destroy " + object, e) : failure;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
