package ib.driver.rxe.udp;

/**
 * How a wire works.
 *
 * @param port UDP port, of this end and of all peers: 4791 (IBA annex A17.4.2)
 * @param bufferBytes asked for as receive and send buffer of each socket
 * @param busyPollNs how long the receiving thread looks for more before it sleeps
 * @param path what does the work
 * @param sourcePorts how many source ports beside the well-known one each address may send from
 */
public record UdpOptions(int port, int bufferBytes, long busyPollNs, Path path, int sourcePorts) {
  /** What does the work. */
  public enum Path {
    /** System calls where there are any, else what every Java has. */
    AUTO,
    /** System calls, or nothing. */
    NATIVE,
    /** What every Java has. */
    PORTABLE
  }

  /** The port that is registered for RoCEv2. */
  public static final int ROCE_PORT = 4791;
}
