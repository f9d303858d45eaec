package ib.core.verbs;

import org.jspecify.annotations.Nullable;

/** An argument, an attribute or the state of the object does not allow the call. */
public class IbInvalidException extends IbException {
  private static final long serialVersionUID = 1L;

  /**
   * Reports errno EINVAL.
   *
   * @param what what was attempted
   * @param why why it failed
   * @param hint what to try; empty if there is nothing to try
   */
  public IbInvalidException(String what, String why, String hint) {
    super(Errno.EINVAL, what, why, hint);
  }

  /**
   * Reports errno EINVAL for what code of others has thrown.
   *
   * @param what what was attempted
   * @param why why it failed
   * @param hint what to try; empty if there is nothing to try
   * @param cause what was thrown
   * @return the exception
   */
  @AnyContext
  public static IbInvalidException of(String what, String why, String hint, Throwable cause) {
    IbInvalidException e = new IbInvalidException(what, why, hint);
    e.initCause(cause);
    return e;
  }

  /**
   * Refuses null where something has to be given.
   *
   * @param value what the caller gave
   * @param what what was attempted
   * @param name the argument's name
   * @param <T> its type
   * @return the value
   * @throws IbInvalidException when it is null
   */
  @AnyContext
  public static <T> T given(@Nullable T value, String what, String name) {
    if (value == null) {
      throw new IbInvalidException(what, name + " is null", "give " + name);
    }
    return value;
  }
}
