package ib.core.verbs;

/**
 * A handler of unaffiliated events of one device (S42); the object itself is the context (S46).
 *
 * <p>Events arrive in order, each once, one at a time per handler, after the caches were refreshed
 * (B13). A slow handler delays only itself. When its queue overruns, it gets one {@link
 * EventType#EVENT_OVERFLOW} in place of the lost events.
 */
public abstract class IbEventHandler {
  private final IbDevice device;

  /**
   * Makes a handler; {@link IbDevice#registerEventHandler} makes it hear.
   *
   * @param device the device, as given to the client
   */
  protected IbEventHandler(IbDevice device) {
    this.device = device;
  }

  /** {@return the device} */
  public final IbDevice device() {
    return device;
  }

  /**
   * Handles an event. An atomic section (S26).
   *
   * @param event the event
   */
  @Callback
  public abstract void handle(IbEvent event);
}
