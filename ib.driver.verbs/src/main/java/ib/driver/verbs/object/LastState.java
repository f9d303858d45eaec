package ib.driver.verbs.object;

import ib.core.verbs.QpState;

/**
 * The state of a queue pair as the driver knows it: what was set, what an event or a failed
 * completion says, or what the kernel has answered last.
 */
final class LastState {
  volatile QpState now = QpState.RESET;
}
