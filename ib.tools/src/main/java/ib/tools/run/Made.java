package ib.tools.run;

import ib.core.verbs.IbDisassociatedException;
import ib.core.verbs.IbException;
import ib.tools.getopt.CommandException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Supplier;

/** The verbs objects of a run, in the order of their creation. For the run's thread only. */
public final class Made implements AutoCloseable {
  private final Deque<AutoCloseable> objects = new ArrayDeque<>();

  /** Creates an empty list. */
  public Made() {}

  /**
   * Creates an object.
   *
   * @param <T> type of the object
   * @param failure message when the object cannot be created
   * @param maker creates the object
   * @return the object, closed with the others
   */
  public <T extends AutoCloseable> T make(String failure, Supplier<T> maker) {
    T object = attempt(failure, maker);
    objects.push(object);
    return object;
  }

  /**
   * Calls the core.
   *
   * @param <T> type of the result
   * @param failure message when the call fails
   * @param action the call
   * @return the result of the call
   */
  public static <T> T attempt(String failure, Supplier<T> action) {
    try {
      return action.get();
    } catch (IbException e) {
      throw new CommandException(failure, e);
    }
  }

  /**
   * Closes all objects, the last one first. An object that the core has destroyed already is no
   * failure.
   */
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
