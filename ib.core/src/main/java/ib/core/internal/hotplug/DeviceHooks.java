package ib.core.internal.hotplug;

import ib.core.client.LeakRecord;
import ib.core.verbs.DeviceInfo;
import java.util.List;

/**
 * A device as the hot-plug machine needs it; called without locks, by the thread that owns the
 * device.
 */
public interface DeviceHooks {
  /**
   * Tries whether the device is complete (S27): queries it and makes one of each object.
   *
   * @throws RuntimeException when it is not; no client has seen it then
   */
  void probe();

  /**
   * Sets name and index of the device (CC-15); never blocks.
   *
   * @param info the new identity
   */
  void identify(DeviceInfo info);

  /**
   * Makes an own handle for a client or a lease holder (D2); never blocks.
   *
   * @param owner its name, for introspection and reports
   * @param sequence the client's number, 0 for a lease
   * @return the handle
   */
  BoundHandle bind(String owner, long sequence);

  /** {@return the gate of the device's events} */
  EventGate events();

  /** {@return what was left on the device after everybody had gone; the device is let go of} */
  List<LeakRecord> gone();
}
