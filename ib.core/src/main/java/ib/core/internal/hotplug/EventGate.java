package ib.core.internal.hotplug;

/** Lets a device's events through, or not (CC-16). */
public interface EventGate {
  /**
   * Subscribes to the device, then reads its state (B12); comes again after {@link #drain} in a
   * reset.
   */
  void open();

  /** Takes no more events, counts and drops late ones; never blocks, may be called twice. */
  void close();

  /** Waits until every event taken before {@link #close} was handled. */
  void drain();
}
