package ib.engine.wire;

/**
 * The engine's bookkeeping of the current call (D4). A wire hands the one it was given to {@link
 * WirePort#receive} and {@link Packet#release} in the same call and does not keep it; a thread of
 * its own (a socket reader) makes one with {@code SoftHca.newRunContext()} and uses it for all its
 * calls, ending each batch with {@link #finish}.
 */
public abstract class RunContext {
  /** For the engine. */
  protected RunContext() {}

  /**
   * Runs what the packets delivered in this context have set going. Threads that called into the
   * engine (posters, timers) never call it: the engine does when it leaves.
   */
  public abstract void finish();
}
