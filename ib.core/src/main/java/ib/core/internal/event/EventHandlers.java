package ib.core.internal.event;

import ib.core.verbs.IbDevice;
import ib.core.verbs.IbEventHandler;

/** Where the handlers of a device's unaffiliated events are registered (S42, S43). */
public interface EventHandlers {
  /**
   * Registers a handler.
   *
   * @param owner the client's handle
   * @param handler made for that handle
   * @throws ib.core.verbs.IbInvalidException when it is registered already or made for another
   *     handle
   */
  void register(IbDevice owner, IbEventHandler handler);

  /**
   * Unregisters a handler and waits for a call in progress; unknown ones are ignored.
   *
   * @param owner the client's handle
   * @param handler the handler
   */
  void unregister(IbDevice owner, IbEventHandler handler);

  /**
   * Asks whether the calling thread is inside of a handler, so that its fence is deferred (CC-17).
   *
   * @param handler the handler
   * @return whether it is
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
