package ib.core.internal.callback;

import ib.core.verbs.IbEvent;

/** Where events of queue pairs and queues are told besides the object's own handler (D8). */
@FunctionalInterface
public interface EventMirror {
  /** Tells nobody. */
  EventMirror NONE = event -> {};

  /**
   * Tells it on; called one event at a time per device, after the object's handler; must not block.
   *
   * @param event an event of a CQ, QP or SRQ
   */
  void mirror(IbEvent event);
}
