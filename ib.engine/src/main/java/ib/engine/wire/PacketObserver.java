package ib.engine.wire;

/**
 * Who wants to know what becomes of one packet (a capture). Set by a wire in {@link Packet#observe}
 * for the time of one call, or until the packet is released. Called on the data path.
 */
public interface PacketObserver {
  /**
   * A fault was injected.
   *
   * @param token as it was given to {@link Packet#observe}
   * @param how in a word
   */
  void disturbed(long token, String how);

  /**
   * The packet was released.
   *
   * @param token as it was given to {@link Packet#observe}
   * @param packet the packet as it was left, not to be kept: what it was dropped for, how it was
   *     sent
   */
  void released(long token, Packet packet);
}
