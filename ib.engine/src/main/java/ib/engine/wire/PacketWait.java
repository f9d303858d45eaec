package ib.engine.wire;

import java.lang.invoke.VarHandle;

/**
 * Whether a queue pair waits for a free packet; the thread that frees one then schedules the queue
 * pair. The claim holder sets {@code waiting}, then looks for a packet once more; another thread
 * frees a packet, then reads {@code waiting}. Each side has a full memory fence between its two
 * steps, so at least one side sees the other's write.
 */
public final class PacketWait {
  private volatile boolean waiting;

  /** Makes one for a queue pair that does not wait. */
  public PacketWait() {}

  /** Sets the flag; the claim holder must look for a packet once more after this call. */
  public void begin() {
    waiting = true;
    VarHandle.fullFence();
  }

  /** Clears the flag; for the claim holder. */
  public void end() {
    if (waiting) {
      waiting = false;
    }
  }

  /** {@return whether the queue pair waits; for the claim holder, without a fence} */
  public boolean waiting() {
    return waiting;
  }

  /** {@return whether the queue pair waits; for a thread that has just freed a packet} */
  public boolean waitingAfterFree() {
    VarHandle.fullFence();
    return waiting;
  }
}
