package ib.engine.wire;

import org.jspecify.annotations.Nullable;

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
   * @param dropped the name of the reason why it was dropped, or null
   */
  void released(long token, @Nullable String dropped);
}
