package ib.engine.wire;

import org.jspecify.annotations.Nullable;

/**
 * The engine's bookkeeping of the current call (D4). A wire hands the one it was given to {@link
 * WirePort#receive} and {@link Packet#release} in the same call and does not keep it; a thread of
 * its own (a socket reader) makes one with {@code SoftHca.newRunContext()} and uses it for all its
 * calls, ending each batch with {@link #finish}.
 */
public abstract class RunContext {
  private @Nullable Outbox outbox;

  /** For the engine. */
  protected RunContext() {}

  /** {@return what a wire gathers in this run, or null when nothing waits to be sent} */
  public final @Nullable Outbox outbox() {
    return outbox;
  }

  /**
   * Has something sent when the run ends, before its queue pairs are free for others: for {@link
   * Wire#transmit}. What another wire has gathered is sent now.
   *
   * @param gathered what is to be flushed
   */
  public final void gather(Outbox gathered) {
    flush();
    outbox = gathered;
  }

  /** Sends what was gathered. */
  protected final void flush() {
    Outbox gathered = outbox;
    if (gathered != null) {
      outbox = null;
      gathered.flush();
    }
  }

  /**
   * Runs what the packets delivered in this context have set going. Threads that called into the
   * engine (posters, timers) never call it: the engine does when it leaves.
   */
  public abstract void finish();

  /**
   * The same, except that acknowledgements may wait for company: for more to acknowledge, which
   * often follows at once, and for what whoever polled for this is likely to send to the same peer.
   * Who finds that nothing follows calls {@link #catchUp}.
   */
  public void finishBatch() {
    finish();
  }

  /**
   * Sets going the acknowledgements that still wait; {@link #finish} sends them.
   *
   * @return whether there were any
   */
  public boolean catchUp() {
    return false;
  }
}
