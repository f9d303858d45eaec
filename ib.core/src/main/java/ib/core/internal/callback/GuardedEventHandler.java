package ib.core.internal.callback;

import ib.core.verbs.EventHandler;
import ib.core.verbs.IbEvent;
import org.jspecify.annotations.Nullable;

/**
 * The event handler of an object that the core passes to a driver. It queues the event and never
 * runs the client's handler on the driver's thread. It reports a driver that calls it from the call
 * chain of a verb (S20, S21: rdmavt does so in modify).
 *
 * @param events the object's queue
 * @param contract where violations are reported
 * @param driver the name of the driver, for reports
 */
public record GuardedEventHandler(ObjectEvents events, Contract contract, String driver)
    implements EventHandler {
  @Override
  public void handle(IbEvent event, @Nullable Object context) {
    if (contract.checking()) {
      String verb = CallChain.verbBelow();
      if (verb != null) {
        contract.report(
            "S20",
            driver,
            "the event handler of "
                + event.element()
                + " was called from the call chain of "
                + verb,
            Stacks.of(events.runner()));
      }
    }
    events.raise(event);
  }
}
