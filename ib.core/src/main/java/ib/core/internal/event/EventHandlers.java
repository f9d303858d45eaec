package ib.core.internal.event;

import ib.core.verbs.IbDevice;
import ib.core.verbs.IbEventHandler;

/** The registry of the handlers of a device's unaffiliated events (S42, S43). */
public interface EventHandlers {
  /**
   * Registers a handler.
   *
   * @param owner the client's handle
   * @param handler a handler made for that handle
   * @throws ib.core.verbs.IbInvalidException when the handler is registered already or was made for
   *     another handle
   */
  void register(IbDevice owner, IbEventHandler handler);

  /**
   * Unregisters a handler and waits for a call in progress. An unknown handler is ignored.
   *
   * @param owner the client's handle
   * @param handler the handler
   */
  void unregister(IbDevice owner, IbEventHandler handler);

  /**
   * Returns whether the calling thread is inside a handler, so that the handler's fence is deferred
   * (CC-17).
   *
   * @param handler the handler
   * @return whether the calling thread is inside it
   */
  default boolean inside(IbEventHandler handler) {
    return false;
  }

  /**
   * Unregisters all handlers of a handle for good and waits for calls in progress.
   *
   * @param owner the client's handle
   * @param timeoutNs how long to wait at the most
   */
  void close(IbDevice owner, long timeoutNs);
}
