package ib.core.internal.callback;

import ib.core.verbs.EventHandler;
import ib.core.verbs.IbEvent;
import org.jspecify.annotations.Nullable;

/**
 * What a driver is given as event handler of an object: never runs the handler here, reports a
 * driver that calls it from the call chain of a verb (S20, S21: as rdmavt does in modify).
 */
public final class GuardedEventHandler implements EventHandler {
  private final ObjectEvents events;
  private final Contract contract;
  private final String driver;

  /**
   * Guards the handler of an object.
   *
   * @param events the object's queue
   * @param contract where it is reported
   * @param driver the culprit's name
   */
  public GuardedEventHandler(ObjectEvents events, Contract contract, String driver) {
    this.events = events;
    this.contract = contract;
    this.driver = driver;
  }

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
