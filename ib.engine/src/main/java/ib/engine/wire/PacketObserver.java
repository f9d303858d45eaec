package ib.engine.wire;

/**
 * Observes what happens to one packet (for a capture). A wire sets it by {@link Packet#observe},
 * for the time of one call or until the packet is released. Called on the data path by any thread;
 * must not block.
 */
public interface PacketObserver {
  /**
   * A fault was injected.
   *
   * @param token the token of {@link Packet#observe}
   * @param how the fault in one word
   */
  void disturbed(long token, String how);

  /**
   * The packet was released.
   *
   * @param token the token of {@link Packet#observe}
   * @param packet the packet in its last state, with the counter that it was dropped for or the way
   *     it was sent; not to be kept
   */
  void released(long token, Packet packet);
}
