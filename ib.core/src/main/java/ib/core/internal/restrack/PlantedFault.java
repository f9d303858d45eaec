package ib.core.internal.restrack;

import ib.core.verbs.IbNoMemoryException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Has one call fail that a client makes through a handle that it has just been given, to try how
 * its {@code add} cleans up (B18): each call of a method that may sleep is a step, except those
 * that close something. For tests of clients; on with the system property {@value #PROPERTY}, whose
 * value is the name of the client, a colon and the number of the step, from 1.
 */
final class PlantedFault {
  /** System property that turns it on: {@code client:step}. It is read when a handle is made. */
  static final String PROPERTY = "ib.fail";

  private final AtomicInteger left;

  private PlantedFault(int step) {
    left = new AtomicInteger(step);
  }

  /** {@return what is to fail for a client, or null} */
  static @Nullable PlantedFault of(String client) {
    String value = System.getProperty(PROPERTY, "");
    int colon = value.lastIndexOf(':');
    return colon > 0
            && value.substring(0, colon).equals(client)
            && value.substring(colon + 1).matches("[1-9]\\d{0,8}")
        ? new PlantedFault(Integer.parseInt(value.substring(colon + 1)))
        : null;
  }

  /**
   * The client makes a call.
   *
   * @param what the object and the method
   * @throws IbNoMemoryException when this is the call that fails; it has done nothing
   */
  void step(String what) {
    if (left.decrementAndGet() == 0) {
      throw new IbNoMemoryException(what, "a fault that " + PROPERTY + " plants", "");
    }
  }
}
