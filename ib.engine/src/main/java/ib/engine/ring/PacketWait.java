package ib.engine.ring;

import java.lang.invoke.VarHandle;

/**
 * The holder of a queue pair's claim has run out of packets and leaves; whoever frees one then
 * schedules the queue pair. The holder says that it waits and looks again for a packet, the other
 * one frees the packet and looks who waits: with a full fence between each two steps, so that one
 * sees the other.
 */
public final class PacketWait {
  private volatile boolean waiting;

  /** Makes one for a queue pair that does not wait. */
  public PacketWait() {}

  /** The holder waits from now on; it must look for a packet once more after this. */
  public void begin() {
    waiting = true;
    VarHandle.fullFence();
  }

  /** The holder does not wait any more. */
  public void end() {
    if (waiting) {
      waiting = false;
    }
  }

  /** {@return whether the holder waits; for the holder, whose order is its own} */
  public boolean waiting() {
    return waiting;
  }

  /** {@return whether the holder waits; for who has just freed a packet} */
  public boolean waitingAfterFree() {
    VarHandle.fullFence();
    return waiting;
  }
}
