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
      case 2 -> "no end-to-end context is available";
      case 3 -> "no resources";
      case 4 -> "the peer has given up waiting";
      case 5 -> "unsupported request";
      case 6 -> "the peer does not know the connection";
      case 7 -> "the peer knows the connection with another queue pair";
      case 8 -> "nothing listens to the port";
      case 9 -> "the wrong type of queue pair";
      case 10 -> "a connection of before the same queue pair was still known";
      case 11 -> "the reliable datagram channel does not exist";
      case 12 -> "the GID of the path is not one of the peer's";
      case 13 -> "the LID of the path is not one of the peer's";
      case 14, 20 -> "the peer does not support the service level";
      case 15, 21 -> "the peer does not support the traffic class";
      case 16, 22 -> "the peer does not support the hop limit";
      case 17, 23 -> "the peer does not support the packet rate";
      case 18 -> "the GID of the alternate path is not one of the peer's";
      case 19 -> "the LID of the alternate path is not one of the peer's";
      case 24, 25 -> "the service is at another port of the fabric";
      case 26 -> "the path MTU is too large";
      case 27 -> "too many reads at once";
      case 28 -> "the program at the other end does not want it";
      case 29 -> "the number of RNR retries is not supported";
      case 30 -> "the same communication ID with other contents";
      case 31 -> "the peer does not speak the version of the message";
      case 32, 33 -> "the peer does not support the flow label";
      case 35 -> "the vendor's options are not supported";
      default -> "see IBA table 108";
    };
  }

  private static String hint(int reason) {
    return switch (reason) {
      case 1, 3 -> "connect again, or close connections that the peer no longer needs";
      case 4, 6, 7, 10, 30 -> "connect again";
      case 8 -> "whether the server runs, and at this port and address";
      case 9 -> "the type of queue pair that the server has";
      case 14, 15, 16, 17, 20, 21, 22, 23, 32, 33 -> "the value that the peer names, or 0";
      case 24, 25 -> "the address that the peer names";
      case 29 -> "at most 7 RNR retries";
      case 12, 13, 18, 19 -> "whether address and path belong to the same host";
      case 26 -> "a smaller MTU of this port";
      case 27 -> "fewer reads at once";
      case 28 -> "what the server wants: its address, private data and limits";
      default -> "";
    };
  }
}
