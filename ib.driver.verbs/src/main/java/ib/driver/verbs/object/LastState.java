package ib.driver.verbs.object;

import ib.core.verbs.QpState;

/**
 * The state of a queue pair as the driver knows it: what was set, what an event or a failed
 * completion says, or what the kernel has answered last.
 */
final class LastState {
  volatile QpState now = QpState.RESET;

  /** A modify to ERR has begun: what is posted from now on may come behind the kernel's flush. */
  volatile boolean erring;

  /** {@return whether the kernel may have flushed already when a request was posted} */
  boolean mayBeFlushed() {
    return erring || now == QpState.ERR;
  }
}
