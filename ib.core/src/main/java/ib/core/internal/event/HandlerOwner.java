package ib.core.internal.event;

/** A handle of a device that knows whose it is, for reports about its event handlers. */
public interface HandlerOwner {
  /** {@return the client's name} */
  String client();
}
