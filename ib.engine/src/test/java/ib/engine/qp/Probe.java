package ib.engine.qp;

import ib.core.verbs.QueuePair;

/** What only the engine itself can see of a queue pair, for the checkers of the simulator. */
public final class Probe {
  private Probe() {}

  /** Whether none of its packets is under way. */
  public static boolean idle(QueuePair qp) {
    QpCore core = ((SoftQp) qp).engine();
    return core.requestPool.idle() && core.responsePool.idle();
  }
}
