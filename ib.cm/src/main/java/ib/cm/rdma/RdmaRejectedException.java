package ib.cm.rdma;

import ib.core.mad.cm.CmReason;
import ib.core.verbs.Errno;
import ib.core.verbs.IbException;

/** Thrown when the peer rejects a connection. */
public class RdmaRejectedException extends IbException {
  private static final long serialVersionUID = 1L;

  private final int reason;
  private final byte[] info;

  RdmaRejectedException(String what, int reason, byte[] info) {
    super(
        Errno.EPERM,
        what,
        "rejected, reason " + reason + ": " + CmReason.text(reason),
        hint(reason));
    this.reason = reason;
    this.info = info.clone();
  }

  /** {@return the reason (IBA table 108): 8 when nothing listens, 28 when the program refuses} */
  public int reason() {
    return reason;
  }

  /** {@return what the peer says beside the reason, for example the MTU that it would accept} */
  public byte[] info() {
    return info.clone();
  }

  private static String hint(int reason) {
    CmReason known = CmReason.of(reason);
    return known == null ? "" : known.hint();
  }
}
