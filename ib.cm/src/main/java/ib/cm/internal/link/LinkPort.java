package ib.cm.internal.link;

import ib.cm.CmPath;
import ib.core.cm.ConnectorArrival;
import ib.core.cm.ConnectorSpace;
import ib.core.verbs.AhAttr;
import ib.core.verbs.Gid;
import ib.core.verbs.GlobalRoute;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.IbNotSupportedException;
import ib.core.verbs.QpType;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Predicate;

/**
 * A port of a device whose connection manager is the host's: its addresses, and service IDs as
 * addresses.
 *
 * @param device a handle on the device
 * @param port from 1
 */
record LinkPort(IbDevice device, int port) {
  /** The types of queue pairs that connectors connect. */
  static final Set<QpType> TYPES = Set.of(QpType.RC);

  private static final int PORT_BITS = 16;
  private static final int MAX_PORT = 0xffff;
  private static final int HOP_LIMIT = 64;

  /** {@return the port space of connections that a service ID is of} */
  ConnectorSpace connections(String what, long serviceId) {
    for (ConnectorSpace space : new ConnectorSpace[] {ConnectorSpace.TCP, ConnectorSpace.IB}) {
      if (isOf(space, serviceId)) {
        return space;
      }
    }
    throw noAddress(what, serviceId, "port space TCP or IB");
  }

  /**
   * Checks types of queue pairs.
   *
   * @throws IbNotSupportedException when the connector does not connect each of them
   */
  void serves(String what, Set<QpType> wanted) {
    if (!TYPES.containsAll(wanted)) {
      String why = "the device's connector does not connect queue pairs of type " + wanted;
      throw unsupported(what, why, "" + TYPES);
    }
  }

  /** Checks that a service ID is of the port space of datagram services. */
  void datagrams(String what, long serviceId) {
    if (!isOf(ConnectorSpace.UDP, serviceId)) {
      throw noAddress(what, serviceId, "port space UDP");
    }
  }

  private static boolean isOf(ConnectorSpace space, long serviceId) {
    return serviceId >>> PORT_BITS == space.value() && (serviceId & MAX_PORT) != 0;
  }

  /** {@return the IP port of a service ID} */
  static int ipPort(long serviceId) {
    return (int) serviceId & MAX_PORT;
  }

  private IbNotSupportedException noAddress(String what, long serviceId, String which) {
    String id = Long.toHexString(serviceId);
    String why = "the kernel connects by address and port only, not by service ID " + id;
    return unsupported(what, why, which);
  }

  IbNotSupportedException unsupported(String what, String why, String instead) {
    return new IbNotSupportedException(
        what + " on " + this, why, instead + "; or a device of ib.driver.rxe");
  }

  static void atMost(String message, byte[] data, int most) {
    if (data.length > most) {
      throw new IbInvalidException(
          "private data of a " + message, data.length + " bytes", "at most " + most);
    }
  }

  /** {@return the addresses of the port that are wanted} */
  Set<InetAddress> addresses(Predicate<InetAddress> wanted) {
    Set<InetAddress> all = new LinkedHashSet<>();
    for (int i = 0; i < device.port(port).gidTableLen(); i++) {
      Gid gid = device.gid(port, i);
      if (!gid.equals(Gid.ZERO)) {
        all.add(address(gid));
      }
    }
    all.removeIf(wanted.negate());
    return all;
  }

  private static InetAddress address(Gid gid) {
    try {
      return InetAddress.getByAddress(gid.toBytes());
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e); // only for another length
    }
  }

  /** {@return the path to a peer that wants to connect} */
  CmPath path(ConnectorArrival a) {
    AhAttr way = a.way();
    GlobalRoute route = way.grh();
    Gid local = route == null ? Gid.ZERO : device.gid(port, route.sgidIndex());
    Gid remote = route == null ? Gid.ZERO : route.dgid();
    int pkey = device.pkey(port, 0);
    return new CmPath(way, local, remote, 0, a.mtu(), CmPath.ROCE_PACKET_LIFE, pkey, 0);
  }

  /** {@return the way from an address of the port to a peer's; on RoCE addresses are GIDs} */
  AhAttr way(InetSocketAddress local, InetSocketAddress remote) {
    int index = device.findGid(port, Gid.of(local.getAddress()));
    Gid to = Gid.of(remote.getAddress());
    return AhAttr.ofGid(port, new GlobalRoute(to, 0, Math.max(0, index), HOP_LIMIT, 0));
  }

  @Override
  public String toString() {
    return device.name() + "/" + port;
  }
}
