package ib.core.mad.cm;

/** The status of a SIDR_REP and of an APR, in words. Any context. */
public final class CmStatus {
  private CmStatus() {}

  /**
   * {@return the status of a SIDR_REP (IBA 12.11.2)}
   *
   * @param status any number
   */
  public static String resolution(int status) {
    return switch (status) {
      case 0 -> "the service is there";
      case 1 -> "there is no such service";
      case 2 -> "the service does not want it";
      case 3 -> "the service has no queue pair";
      case 4 -> "the service is at another port of the fabric";
      case 5 -> "the peer does not support the version of the message";
      default -> "no status of IBA 12.11.2";
    };
  }

  /**
   * {@return the status of an APR}
   *
   * @param status any number
   */
  public static String alternatePath(int status) {
    return switch (status) {
      case 0 -> "the alternate path is loaded";
      case 1 -> "the peer does not know the connection";
      case 2 -> "the peer does not support alternate paths";
      case 3 -> "the peer does not want it";
      case 4 -> "the connection is at another port of the fabric";
      case 5 -> "the path is in use already";
      case 6 -> "the queue pair is not the connection's";
      case 7 -> "the LID is not one of the peer's";
      case 8 -> "the GID is not one of the peer's";
      case 9 -> "the peer does not support the flow label";
      case 10 -> "the peer does not support the traffic class";
      case 11 -> "the peer does not support the hop limit";
      case 12 -> "the peer does not support the packet rate";
      case 13 -> "the peer does not support the service level";
      default -> "no status of an APR";
    };
  }
}
