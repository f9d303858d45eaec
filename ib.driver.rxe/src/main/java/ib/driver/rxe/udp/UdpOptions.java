package ib.driver.rxe.udp;

/**
 * How a wire works.
 *
 * @param port UDP port, of this end and of all peers: 4791 (IBA annex A17.4.2)
 * @param bufferBytes asked for as receive and send buffer of each socket
 * @param busyPollNs how long the receiving thread looks for more before it sleeps
 */
public record UdpOptions(int port, int bufferBytes, long busyPollNs) {
  /** The port that is registered for RoCEv2. */
  public static final int ROCE_PORT = 4791;

  /** {@return what suits an ordinary host} */
  public static UdpOptions standard() {
    return new UdpOptions(ROCE_PORT, 4 << 20, 50_000);
  }
}
