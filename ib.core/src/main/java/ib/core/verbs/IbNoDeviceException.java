package ib.core.verbs;

/** Thrown when no such device exists, or when it is being removed and accepts no new work. */
public class IbNoDeviceException extends IbException {
  private static final long serialVersionUID = 1L;

  /**
   * Reports errno ENODEV.
   *
   * @param what what was attempted
   * @param why why it failed
   * @param hint what to try; empty if there is nothing to try
   */
  public IbNoDeviceException(String what, String why, String hint) {
    super(Errno.ENODEV, what, why, hint);
  }
}
