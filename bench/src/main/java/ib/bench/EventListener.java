package ib.bench;

import ib.core.client.IbClient;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbEvent;
import ib.core.verbs.IbEventHandler;
import org.jspecify.annotations.Nullable;

/**
 * A client that hears the events of each device.
 *
 * @param heard called for each event, one call at a time
 */
record EventListener(Runnable heard) implements IbClient {
  @Override
  public String name() {
    return "listener";
  }

  @Override
  public @Nullable Object add(IbDevice device) {
    IbEventHandler handler =
        new IbEventHandler(device) {
          @Override
          public void handle(IbEvent event) {
            heard.run();
          }
        };
    device.registerEventHandler(handler);
    return handler;
  }

  @Override
  public void remove(IbDevice device, @Nullable Object clientData) {
    if (clientData instanceof IbEventHandler handler) {
      device.unregisterEventHandler(handler);
    }
  }
}
