package ib.core.cm;

import ib.core.verbs.AnyContext;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbPermissionException;
import ib.core.verbs.MaySleep;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Makes reliable connections by address for the queue pairs of one device, and asks and answers for
 * datagram services, by the host's connection manager. The caller moves the queue pairs. A device
 * has a connector when its driver offers one; the connector ends with the device, and the core
 * fences nothing of it: whatever was made by it is closed before.
 */
@ConsumerType
public interface Connector {
  /**
   * {@return the connector of a device; empty on a device that has QP1, and where the host has
   * none}
   *
   * @param handle a client's handle
   * @throws IbPermissionException when it is none, as the service object is
   */
  @AnyContext
  static Optional<Connector> of(IbDevice handle) {
    if (handle instanceof ConnectorDevice device) {
      return device.connector();
    }
    throw IbPermissionException.notAHandle(handle, "Connector.of");
  }

  /**
   * Begins to connect, and does not wait for the peer. The host's own times and repetitions hold.
   *
   * @param what the two ends and this side's queue pair
   * @param events hears what happens
   * @return the connection; the caller closes it
   * @throws ib.core.verbs.IbExistsException when another program of the host has the local port
   * @throws ib.core.verbs.IbNoDeviceException when the device has not the local address
   * @throws ib.core.verbs.IbException when the host refuses
   */
  @MaySleep
  ConnectorLink connect(ConnectorAttempt what, ConnectorEvents events);

  /**
   * Listens.
   *
   * @param space port space, not UDP
   * @param at an address of a port of the device, and a port
   * @param backlog how many requests may wait in the host
   * @param arrivals hears of a peer that wants to connect, and returns what hears the further
   *     events of that connection; does not sleep
   * @return close it
   * @throws ib.core.verbs.IbExistsException when another program of the host listens there
   * @throws ib.core.verbs.IbNoDeviceException when the device has not the address
   * @throws ib.core.verbs.IbException when the host refuses
   */
  @MaySleep
  ConnectorListener listen(
      ConnectorSpace space,
      InetSocketAddress at,
      int backlog,
      Function<ConnectorArrival, ConnectorEvents> arrivals);

  /**
   * Asks for the queue pair of a datagram service, and does not wait for the answer. The host's own
   * times and repetitions hold.
   *
   * @param what the two ends
   * @param answer hears what becomes of it
   * @return the question; the caller closes it, also when it was answered
   * @throws ib.core.verbs.IbExistsException when another program of the host has the local port
   * @throws ib.core.verbs.IbNoDeviceException when the device has not the local address
   * @throws ib.core.verbs.IbException when the host refuses
   */
  @MaySleep
  ConnectorPending resolve(ConnectorInquiry what, ConnectorAnswer answer);

  /**
   * Has a datagram service.
   *
   * @param at an address of a port of the device, and a port
   * @param backlog how many questions may wait in the host
   * @param questions hears of a peer that asks, and has it answered; does not sleep
   * @return close it
   * @throws ib.core.verbs.IbExistsException when another program of the host has the port
   * @throws ib.core.verbs.IbNoDeviceException when the device has not the address
   * @throws ib.core.verbs.IbException when the host refuses
   */
  @MaySleep
  ConnectorListener serve(InetSocketAddress at, int backlog, Consumer<ConnectorQuestion> questions);
}
