package ib.engine.wire;

import org.jspecify.annotations.Nullable;

/**
 * The engine's state of the current call (D4). A wire passes the context of its call on to {@link
 * WirePort#receive} and {@link Packet#release}, and does not keep it. A thread of a wire's own (a
 * socket reader) makes one with {@code SoftHca.newRunContext()}, uses it for all its calls, and
 * ends each batch with {@link #finish}. For one thread at a time.
 */
public abstract class RunContext {
  private @Nullable Outbox outbox;

  /** For the engine. */
  protected RunContext() {}

  /**
   * {@return the outbox of the packets that a wire has gathered in this run, or null when it has
   * none}
   */
  public final @Nullable Outbox outbox() {
    return outbox;
  }

  /**
   * Registers an outbox, which is flushed when the run ends, before the claims of its queue pairs
   * are released. For {@link Wire#transmit}. Flushes the outbox of another wire now.
   *
   * @param gathered the outbox
   */
  public final void gather(Outbox gathered) {
    flush();
    outbox = gathered;
  }

  /** Flushes the outbox, if there is one. */
  protected final void flush() {
    Outbox gathered = outbox;
    if (gathered != null) {
      outbox = null;
      gathered.flush();
    }
  }

  /**
   * Runs the queue pairs of the packets that were delivered in this context. Only for threads that
   * made their own context: in all other calls (posters, timers) the engine does this before it
   * returns.
   */
  public abstract void finish();

  /**
   * As {@link #finish}, but acknowledgements may be held back, so that one packet acknowledges
   * several requests or travels with a message that the polling thread is about to send to the same
   * peer. A caller to which no more packets arrive calls {@link #catchUp}.
   */
  public void finishBatch() {
    finish();
  }

  /**
   * Schedules the acknowledgements that {@link #finishBatch} held back; {@link #finish} sends them.
   *
   * @return whether any were held back
   */
  public boolean catchUp() {
    return false;
  }
}
