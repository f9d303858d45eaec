package ib.driver.rxe;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;
import java.util.Optional;

/** Whether the system lets a socket hold what one connection may have under way. */
final class ReceiveRoom {
  private static final int PACKET = 4096;

  private ReceiveRoom() {}

  /**
   * Asks the system.
   *
   * @param asked bytes
   * @return how many of them a socket is given
   * @throws IOException when there are no descriptors left
   */
  static int given(int asked) throws IOException {
    try (DatagramChannel probe = DatagramChannel.open()) {
      probe.setOption(StandardSocketOptions.SO_RCVBUF, asked);
      return probe.getOption(StandardSocketOptions.SO_RCVBUF);
    }
  }

  /**
   * What to report.
   *
   * @param device its name
   * @param given bytes of a socket's receive buffer
   * @param window packets that a connection may have under way
   * @return a warning, or nothing when they fit
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
