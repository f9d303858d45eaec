package ib.core.sa;

import ib.core.verbs.IbAgainException;

/**
 * Thrown when no subnet administrator can be reached: the port is not active or knows no subnet
 * manager (M9).
 */
public class NoSubnetManagerException extends IbAgainException {
  private static final long serialVersionUID = 1L;

  /**
   * Reports errno EAGAIN.
   *
   * @param what the request that was to be sent
   * @param why why no subnet administrator can be reached
   */
  public NoSubnetManagerException(String what, String why) {
    super(what, why, "after PORT_ACTIVE, LID_CHANGE or SM_CHANGE of the port");
  }
}
