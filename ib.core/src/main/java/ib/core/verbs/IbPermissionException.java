package ib.core.verbs;

/** The caller may not do that. */
public class IbPermissionException extends IbException {
  private static final long serialVersionUID = 1L;

  /**
   * Reports errno EPERM.
   *
   * @param what what was attempted
   * @param why why it failed
   * @param hint what to try; empty if there is nothing to try
   */
  public IbPermissionException(String what, String why, String hint) {
    super(Errno.EPERM, what, why, hint);
  }

  /**
   * Makes the error for a device on which only a client's handle can do what was attempted.
   *
   * @param device what the caller has, for example the service object of the driver
   * @param method what was attempted
   * @return the error, which says where handles come from
   * @throws IbInvalidException when the device is null
   */
  @AnyContext
  public static IbPermissionException notAHandle(IbDevice device, String method) {
    String name = IbInvalidException.given(device, method, "device").name();
    return new IbPermissionException(
        method + " on " + name,
        "this is not a client's handle",
        "the handle given to IbClient.add, or IbCore.lease(\"" + name + "\", …)");
  }
}
