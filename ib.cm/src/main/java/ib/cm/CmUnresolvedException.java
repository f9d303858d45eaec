package ib.cm;

import ib.core.mad.cm.CmStatus;
import ib.core.verbs.Errno;
import ib.core.verbs.IbException;

/** Thrown when a peer refuses to name the queue pair of a datagram service. */
public class CmUnresolvedException extends IbException {
  private static final long serialVersionUID = 1L;

  private final int status;
  private final byte[] privateData;

  /**
   * Reports errno EPERM.
   *
   * @param what what was asked
   * @param status of the answer, not 0
   * @param privateData of the answer
   */
  public CmUnresolvedException(String what, int status, byte[] privateData) {
    super(
        Errno.EPERM,
        what,
        "refused, status " + status + ": " + CmStatus.resolution(status),
        hint(status));
    this.status = status;
    this.privateData = privateData.clone();
  }

  /** {@return the status: 1 when there is no such service, 2 when the service refuses} */
  public int status() {
    return status;
  }

  /** {@return private data of the answer} */
  public byte[] privateData() {
    return privateData.clone();
  }

  private static String hint(int status) {
    return switch (status) {
      case 1 -> "whether the service runs, and at this service ID and address";
      case 2 -> "what the service wants: its private data and limits";
      case 3 -> "ask again";
      default -> "";
    };
  }
}
