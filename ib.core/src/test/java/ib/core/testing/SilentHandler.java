package ib.core.testing;

import ib.core.verbs.IbDevice;
import ib.core.verbs.IbEvent;
import ib.core.verbs.IbEventHandler;

/** A handler that does nothing. */
public final class SilentHandler extends IbEventHandler {
  private SilentHandler(IbDevice device) {
    super(device);
  }

  /**
   * Registers one.
   *
   * @param device the handle
   * @return the handler
   */
  public static SilentHandler register(IbDevice device) {
    SilentHandler handler = new SilentHandler(device);
    device.registerEventHandler(handler);
    return handler;
  }

  @Override
  public void handle(IbEvent event) {}
}
