package ib.core.sa;

import ib.core.verbs.IbAgainException;

/** There is nobody to ask: the port is not active, or knows no subnet manager (M9). */
public class NoSubnetManagerException extends IbAgainException {
  private static final long serialVersionUID = 1L;

  /**
   * Reports errno EAGAIN.
   *
   * @param what what was to be asked
   * @param why why there is nobody
   */
  public NoSubnetManagerException(String what, String why) {
    super(what, why, "after PORT_ACTIVE, LID_CHANGE or SM_CHANGE of the port");
  }
}
