package ib.core.internal.hotplug;

import ib.core.client.LeakRecord;
import ib.core.verbs.DeviceInfo;
import java.util.List;

/**
 * A device as hot-plug needs it. Called without locks, by the thread that runs the device's
 * operations.
 */
public interface DeviceHooks {
  /**
   * Checks that the device is complete (S27): queries it and makes one object of each kind.
   *
   * @throws RuntimeException when the device is not complete; no client has seen it then
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

  /** {@return the switch that enables and disables the delivery of the device's events} */
  EventGate events();

  /** Releases the device after its last user. Returns the objects still left on it, as leaks. */
  List<LeakRecord> gone();
}
