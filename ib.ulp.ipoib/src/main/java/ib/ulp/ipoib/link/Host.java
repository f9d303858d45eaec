package ib.ulp.ipoib.link;

import java.util.Map;

/**
 * The user of a link: an IP stack in this JVM, or the kernel's behind a TAP or TUN device. All
 * methods are called on the loop's thread.
 */
public interface Host {
  /** Called when carrier, MTU or address of the link have changed. */
  void linkChanged(LinkState state);

  /**
   * Called for each received packet. The frame is reused after the return; its memory stays valid
   * until {@link #receivedAll}.
   */
  void received(Frame frame);

  /**
   * {@return whether {@link #received} accepts coalesced TCP segments and whole TCP packets, see
   * {@link Frame#mss}}
   */
  default boolean takesLong() {
    return false;
  }

  /** Called after the last packet of a batch. */
  void receivedAll();

  /**
   * Called when {@link Link} has free send buffers again, after {@link Link#hasRoom} returned false
   * (D8).
   */
  void writable();

  /**
   * Called when a packet was dropped because its receiver accepts at most {@code mtu} bytes (I10).
   */
  void tooLong(Outgoing packet, int mtu);

  /** {@return link addresses by IP address or MAC, as text for users} */
  Map<String, String> neighbours();

  /** Called once, when the link is closed. */
  void close();
}
