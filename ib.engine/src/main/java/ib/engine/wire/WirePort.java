package ib.engine.wire;

import ib.core.wire.DropReason;
import org.jspecify.annotations.Nullable;

/**
 * A port of a device, for its wire; implemented by the engine ({@code SoftHca.port}). Any thread
 * may call any method; no method blocks.
 */
public interface WirePort {
  /**
   * Accepts a packet that has arrived. Never blocks, never runs consumer code (S20). The port
   * always calls {@link Packet#release}, also when it drops the packet.
   *
   * @param packet the packet
   * @param run the context of the wire's call
   */
  void receive(Packet packet, RunContext run);

  /**
   * Counts bytes that have arrived and are no packet. Never blocks.
   *
   * @param reason the decoder's reason
   */
  void dropped(DropReason reason);

  /** Counts a packet that passed while a capture had no free slot for it. Never blocks. */
  default void captureDropped() {}

  /**
   * {@return the device's own port, if a packet passed to this port reaches it unchanged and
   * unseen, else null}
   */
  default @Nullable WirePort direct() {
    return null;
  }

  /** {@return the port number, from 1} */
  int number();

  /** {@return the base LID, 0 before one was assigned} */
  int lid();

  /** {@return whether packets pass: the logical state is ACTIVE} */
  boolean active();
}
