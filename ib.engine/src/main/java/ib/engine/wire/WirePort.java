package ib.engine.wire;

import ib.core.wire.DropReason;
import org.jspecify.annotations.Nullable;

/** A port of a device as its wire sees it; implemented by the engine ({@code SoftHca.port}). */
public interface WirePort {
  /**
   * Takes over a packet that has arrived. Never blocks, never runs consumer code (S20); always ends
   * in {@link Packet#release}, also when the packet is dropped.
   *
   * @param packet the packet
   * @param run the context that the wire was given
   */
  void receive(Packet packet, RunContext run);

  /**
   * Counts bytes that have arrived and are no packet. Never blocks.
   *
   * @param reason what the decoder said
   */
  void dropped(DropReason reason);

  /** Counts a packet that passed but that a capture had no room for. Never blocks. */
  default void captureDropped() {}

  /**
   * {@return the device's own port when nothing stands between it and a packet given to this one,
   * else null}
   */
  default @Nullable WirePort direct() {
    return null;
  }

  /** {@return the port number, from 1} */
  int number();

  /** {@return the base LID, 0 before one was given} */
  int lid();

  /** {@return whether packets pass: the logical state is ACTIVE} */
  boolean active();
}
