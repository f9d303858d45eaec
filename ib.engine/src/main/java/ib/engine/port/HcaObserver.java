package ib.engine.port;

import ib.core.verbs.EventType;

/** Receives a device's unaffiliated events; implemented by its driver. */
@FunctionalInterface
public interface HcaObserver {
  /**
   * Called with an unaffiliated event after the state has changed, on the thread that changed the
   * state; must not block.
   *
   * @param type an unaffiliated type
   * @param port from 1, or 0 for the device
   */
  void event(EventType type, int port);
}
