package ib.cm.rdma;

import ib.core.verbs.Errno;
import ib.core.verbs.IbException;

/** Thrown when the peer rejects a connection. */
public class RdmaRejectedException extends IbException {
  private static final long serialVersionUID = 1L;

  private final int reason;
  private final byte[] info;

  RdmaRejectedException(String what, int reason, byte[] info) {
    super(Errno.EPERM, what, "rejected, reason " + reason + ": " + text(reason), hint(reason));
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

  private static String text(int reason) {
    return switch (reason) {
      case 1 -> "no queue pair is available";
      case 3 -> "no resources";
      case 4 -> "the peer has given up waiting";
      case 5 -> "unsupported request";
      case 6 -> "the peer does not know the connection";
      case 8 -> "nothing listens to the port";
      case 9 -> "the wrong type of queue pair";
      case 10 -> "a connection of before the same queue pair was still known";
      case 12 -> "the GID of the path is not one of the peer's";
      case 13 -> "the LID of the path is not one of the peer's";
      case 24, 25 -> "the service is at another port of the fabric";
      case 26 -> "the path MTU is too large";
      case 27 -> "too many reads at once";
      case 28 -> "the program at the other end does not want it";
      case 35 -> "the vendor's options are not supported";
      default -> "see IBA table 108";
    };
  }

  private static String hint(int reason) {
    return switch (reason) {
      case 3, 4, 10 -> "connect again";
      case 8 -> "whether the server runs, and at this port and address";
      case 12, 13 -> "whether address and path belong to the same host";
      case 26 -> "a smaller MTU of this port";
      case 27 -> "fewer reads at once";
      case 28 -> "what the server wants: its address, private data and limits";
      default -> "";
    };
  }
}
