package ib.core.verbs;

/** Memory or a resource of the device (QPs, MRs, table entries) is used up. */
public class IbNoMemoryException extends IbException {
  private static final long serialVersionUID = 1L;

  /**
   * Reports errno ENOMEM.
   *
   * @param what what was attempted
   * @param why why it failed
   * @param hint what to try; empty if there is nothing to try
   */
  public IbNoMemoryException(String what, String why, String hint) {
    super(Errno.ENOMEM, what, why, hint);
  }

  /**
   * The error of a control path call for which this process has no memory.
   *
   * @param what what was attempted
   * @param cause what the virtual machine said
   * @return the error, to be thrown
   */
  public static IbNoMemoryException of(String what, OutOfMemoryError cause) {
    IbNoMemoryException e =
        new IbNoMemoryException(
            what,
            "the process has no memory for it: " + cause.getMessage(),
            "less of it, or more memory for Java (-Xmx, -XX:MaxDirectMemorySize)");
    e.initCause(cause);
    return e;
  }
}
