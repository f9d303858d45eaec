package ib.engine.qp;

import ib.core.verbs.EventType;

/** What a device tells its driver. */
@FunctionalInterface
public interface HcaObserver {
  /**
   * An unaffiliated event; the state has changed already. Called by whoever changed it, must not
   * block.
   *
   * @param type an unaffiliated type
   * @param port from 1, or 0 for the device
   */
  void event(EventType type, int port);
}
