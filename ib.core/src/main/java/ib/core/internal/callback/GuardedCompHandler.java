package ib.core.internal.callback;

import ib.core.serial.Serial;
import ib.core.verbs.CompHandler;
import ib.core.verbs.CompletionQueue;
import org.jspecify.annotations.Nullable;

/**
 * The completion handler that the core passes to a driver. The driver may call it on a thread of
 * the driver, one call at a time per queue. Other calls are reported (S20, S23, S24), and the
 * vector runs the client's handler.
 */
record GuardedCompHandler(RawCompletions task, Contract contract, String driver)
    implements CompHandler {
  @Override
  public void complete(CompletionQueue cq, @Nullable Object context) {
    if (!task.isConnected()) {
      return; // the driver is still making the queue, so no consumer has armed it
    }
    if (contract.checking()) {
      String verb = CallChain.verbBelow();
      if (verb != null) {
        contract.report(
            "S20",
            driver,
            "the completion handler of " + cq + " was called from the call chain of " + verb,
            Stacks.of(task.runner()));
        task.schedule();
        return;
      }
    }
    if (task.runHere() == Serial.Here.BUSY) {
      contract.report(
          "S24",
          driver,
          "the completion handler of " + cq + " was called while it was running",
          Stacks.of(task.runner()));
    }
  }
}
