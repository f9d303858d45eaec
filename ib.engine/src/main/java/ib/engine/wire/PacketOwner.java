package ib.engine.wire;

import org.jspecify.annotations.Nullable;

/**
 * The owner of a packet, which gets it back: the sending queue pair, or the receive ring of a
 * socket.
 */
public abstract class PacketOwner {
  /** For the engine and for wires that make packets of what they receive. */
  protected PacketOwner() {}

  /**
   * Takes a packet back. Called once per use, from any thread.
   *
   * @param packet the packet, no longer referred to by the caller
   * @param run the caller's context
   */
  protected abstract void released(Packet packet, RunContext run);

  /**
   * Makes a copy of a packet that refers to the same payload and has the same owner.
   *
   * @param original a packet of this owner that has not been released
   * @return the copy, or null when the owner has no free packet
   */
  protected abstract @Nullable Packet replicate(Packet original);
}
