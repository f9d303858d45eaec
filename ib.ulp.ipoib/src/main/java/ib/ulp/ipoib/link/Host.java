package ib.ulp.ipoib.link;

import java.util.Map;

/** What sits on a link: a stack in this JVM, or the kernel's. Called on the loop. */
public interface Host {
  /** The link has changed: carrier, MTU or address. */
  void linkChanged(LinkState state);

  /** A packet has come; the frame is reused, its memory holds until {@link #receivedAll}. */
  void received(Frame frame);

  /** {@return whether {@link #received} takes segments that came together, with a Frame.mss} */
  default boolean takesLong() {
    return false;
  }

  /** That was all for now. */
  void receivedAll();

  /** There is room again for packets that {@link Link} refused (D8). */
  void writable();

  /**
   * A packet was dropped because who is to get it takes no more than so many bytes at once (I10).
   */
  void tooLong(Outgoing packet, int mtu);

  /** {@return IP address or MAC to link address, for users} */
  Map<String, String> neighbours();

  /** The link goes. */
  void close();
}
