package ib.core.internal.callback;

import ib.core.verbs.IbEvent;

/**
 * Takes the events of queue pairs, completion queues and shared receive queues, in addition to the
 * object's own handler (D8).
 */
@FunctionalInterface
public interface EventMirror {
  /** Drops every event. */
  EventMirror NONE = event -> {};

  /**
   * Takes an event. The device's vector for events calls this method, one event at a time, after
   * the object's handler; it must not wait for a bus or a client.
   *
   * @param event an event of a CQ, QP or SRQ
   */
  void mirror(IbEvent event);
}
