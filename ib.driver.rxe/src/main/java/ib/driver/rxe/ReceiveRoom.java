package ib.driver.rxe;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;
import java.util.Optional;

/** Checks whether a socket's receive buffer can hold the outstanding packets of one connection. */
final class ReceiveRoom {
  private static final int PACKET = 4096;

  private ReceiveRoom() {}

  /**
   * Returns the receive buffer that the system grants.
   *
   * @param asked requested bytes
   * @return granted bytes
   * @throws IOException when the process has no free file descriptor
   */
  static int given(int asked) throws IOException {
    try (DatagramChannel probe = DatagramChannel.open()) {
      probe.setOption(StandardSocketOptions.SO_RCVBUF, asked);
      return probe.getOption(StandardSocketOptions.SO_RCVBUF);
    }
  }

  /**
   * Returns the warning about a buffer that is too small.
   *
   * @param device name of the device
   * @param given bytes of a socket's receive buffer
   * @param window outstanding packets of one connection at most
   * @return a warning; empty when the packets fit
   */
  static Optional<String> shortfall(String device, int given, int window) {
    int needed = window * PACKET;
    return given >= needed
        ? Optional.empty()
        : Optional.of(
            "device "
                + device
                + ": the system gives a socket "
                + given
                + " bytes to receive into, less than "
                + window
                + " packets of "
                + PACKET
                + ": bursts get lost and are sent again; sysctl net.core.rmem_max="
                + needed
                + " or more, or a smaller window");
  }
}
