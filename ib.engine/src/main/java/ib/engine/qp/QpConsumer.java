package ib.engine.qp;

import ib.core.verbs.EventType;
import ib.core.verbs.ObjectControl;

/** A queue pair as its consumer has it: whom its events reach, and what the core knows of it. */
public interface QpConsumer {
  /** Raises an event of the queue pair. Never waits. */
  void tell(EventType type);

  /** {@return the core's book of the object that the consumer has} */
  ObjectControl control();
}
