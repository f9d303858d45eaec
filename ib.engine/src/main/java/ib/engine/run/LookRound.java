package ib.engine.run;

/** The work of a worker beside its timers: it looks round now and then. Only the worker calls. */
public abstract class LookRound {
  /** Makes one. */
  protected LookRound() {}

  /**
   * Looks round when it is time to.
   *
   * @param now the time of the worker's clock
   */
  protected abstract void look(long now);

  /** {@return how long the worker may sleep; Long.MAX_VALUE when there is nothing to look at} */
  protected abstract long restNs();
}
