package ib.cm.rdma;

import ib.core.verbs.Errno;
import ib.core.verbs.IbException;

/** Thrown when there is no way to an address. */
public class RdmaAddressException extends IbException {
  private static final long serialVersionUID = 1L;

  RdmaAddressException(String what, String why, String hint) {
    super(Errno.ENOENT, what, why, hint);
  }
}
