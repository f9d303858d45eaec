package ib.engine.cq;

import ib.engine.run.Worker;
import java.util.function.BooleanSupplier;

/** Looks until what was claimed when the consumer armed is published (B7). */
final class Stragglers extends CqTimer {
  private static final long AGAIN_NS = 20_000; // a thousand times what an undisturbed one takes

  private final BooleanSupplier look;

  /**
   * Makes one that does not look.
   *
   * @param look tells the consumer, and says whether there may be more
   */
  Stragglers(Worker worker, BooleanSupplier look) {
    super(worker);
    this.look = look;
  }

  @Override
  protected long durationNs() {
    return AGAIN_NS;
  }

  @Override
  void over() {
    if (look.getAsBoolean()) {
      Thread.onSpinWait(); // its producer has to go on first
      start();
    }
  }
}
