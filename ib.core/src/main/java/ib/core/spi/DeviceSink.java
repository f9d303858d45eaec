package ib.core.spi;

import ib.core.verbs.AnyContext;
import ib.core.verbs.EventType;

/** Where a device's unaffiliated events go: the core's queue for that device. */
@FunctionalInterface
public interface DeviceSink {
  /**
   * Queues an event; never blocks, never runs a handler, never loses silently (S12).
   *
   * @param type an unaffiliated type
   * @param port from 1, or 0 for the device
   */
  @AnyContext
  void dispatch(EventType type, int port);
}
