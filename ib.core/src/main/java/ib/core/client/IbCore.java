package ib.core.client;

import ib.core.verbs.AnyContext;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.Fence;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbNoDeviceException;
import ib.core.verbs.MaySleep;
import ib.core.verbs.PortCounter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.osgi.annotation.versioning.ProviderType;

/** The midlayer as tools and programs without OSGi see it; an OSGi service. */
@ProviderType
public interface IbCore {

  /**
   * Registers a client by hand; it is added to all devices before this returns (S37). Where a call
   * on a device does not return within the watchdog's deadline, or waits, in the end, for the
   * caller, that add follows later, and a violation says so (CC-10, CC-19).
   *
   * @param client the client
   * @param after names of clients that must be added before it (S41)
   * @return the registration
   * @throws ib.core.verbs.IbContractException in a callback that must not sleep, whether that is
   *     checked or not (S29): adds are never run there
   */
  @MaySleep
  @Fence
  ClientRegistration registerClient(IbClient client, String... after);

  /** {@return all live devices, in the order of their registration} */
  @MaySleep
  List<DeviceInfo> devices();

  /**
   * Queries without holding: a read-only handle that refuses to create.
   *
   * @param name device name
   * @return the device, when it is there
   */
  @AnyContext
  Optional<IbDevice> device(String name);

  /**
   * Takes a lease.
   *
   * @param name device name
   * @param holder who holds it, for introspection and reports
   * @return the lease; close it
   * @throws IbNoDeviceException when there is no such live device
   */
  @MaySleep
  DeviceLease lease(String name, String holder);

  /** {@return all clients in add order with their state per device} */
  @MaySleep
  List<ClientStatus> clients();

  /** {@return all live objects of all devices} */
  @AnyContext
  List<ResourceRecord> resources();

  /**
   * Hardware counters.
   *
   * @param device device name
   * @param port from 1
   * @return name to value, in the driver's order
   */
  @MaySleep
  Map<String, Long> counters(String device, int port);

  /**
   * Returns the counters of a port's MAD layer: datagrams sent and received, late responses,
   * timeouts, datagrams for which no agent is registered, RMPP.
   *
   * @param device device name
   * @param port from 1
   * @return name to value; empty on a device without general services
   */
  @AnyContext
  default Map<String, Long> managementCounters(String device, int port) {
    return Map.of();
  }

  /**
   * Port counters since their last reset, as {@code perfquery} shows them.
   *
   * @param device device name
   * @param port from 1
   * @param form which attribute
   * @return those that the attribute has, in order
   */
  @MaySleep
  Map<PortCounter, Long> portCounters(String device, int port, PortCounter.Form form);

  /**
   * Sets port counters to 0.
   *
   * @param device device name
   * @param port from 1
   * @param form which attribute
   * @param which which counters of it
   */
  @MaySleep
  void resetPortCounters(String device, int port, PortCounter.Form form, Set<PortCounter> which);

  /**
   * Returns the counters of a device's events (D8): {@code dispatched}, {@code delivered} to
   * handlers, {@code detours} around an EventAdmin that was stuck, {@code overflows} with {@code
   * lost} events, {@code handler_lost} by single handlers, {@code early} events before the core had
   * connected the device, {@code late} events after the removal had begun, {@code handler_errors},
   * {@code refresh_errors} of the caches, and events {@code mirrored} and {@code unposted} on
   * EventAdmin.
   *
   * @param device device name
   * @return name to value, in that order
   * @throws IbNoDeviceException when there is no such live device
   */
  @AnyContext
  Map<String, Long> eventCounters(String device);

  /**
   * How the last removal of a device went.
   *
   * @param device device name
   * @return the report, when there was one
   */
  @MaySleep
  Optional<RemovalReport> lastRemoval(String device);

  /** {@return the latest violations of the contract, oldest first, at most 1,000} */
  @AnyContext
  List<Violation> violations();

  /**
   * Renames a device and notifies its clients in order (CC-15).
   *
   * @param device its name now
   * @param newName a free name
   */
  @MaySleep
  void rename(String device, String newName);
}
