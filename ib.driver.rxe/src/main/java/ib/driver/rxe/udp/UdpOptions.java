package ib.driver.rxe.udp;

/**
 * How a wire works.
 *
 * @param port UDP port, of this end and of all peers: 4791 (IBA annex A17.4.2)
 * @param bufferBytes asked for as receive and send buffer of each socket
 * @param busyPollNs how long the receiving thread looks for more before it sleeps
 * @param path what does the work
 * @param sourcePorts how many source ports beside the well-known one each address may send from
 * @param gso whether the system cuts long sends into packets
 */
public record UdpOptions(
    int port, int bufferBytes, long busyPollNs, Path path, int sourcePorts, Gso gso) {
  /** What does the work. */
  public enum Path {
    /** System calls where there are any, else what every Java has. */
    AUTO,
    /** System calls, or nothing. */
    NATIVE,
    /** What every Java has. */
    PORTABLE
  }

  /** Whether the system cuts long sends into packets (UDP_SEGMENT). */
  public enum Gso {
    /** To a peer that what was cut has been seen to reach. */
    AUTO,
    /** Always. */
    ON,
    /** Never. */
    OFF
  }

  /** The port that is registered for RoCEv2. */
  public static final int ROCE_PORT = 4791;
}
