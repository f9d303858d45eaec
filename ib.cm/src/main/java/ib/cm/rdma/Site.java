package ib.cm.rdma;

import ib.cm.CmPort;
import ib.core.sa.SaClient;
import ib.core.verbs.Gid;
import ib.core.verbs.IbDevice;
import ib.core.verbs.LinkLayer;
import ib.core.verbs.PortState;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * A port of a device that connections can use.
 *
 * @param device the program's handle
 * @param port from 1
 * @param cm the program's share of the port's connection manager
 * @param sa the subnet administrator; null on Ethernet
 */
record Site(IbDevice device, int port, CmPort cm, @Nullable SaClient sa) {
  static Site open(IbDevice device, int port, CmPort cm) {
    boolean ethernet = device.port(port).linkLayer() == LinkLayer.ETHERNET;
    return new Site(device, port, cm, ethernet ? null : SaClient.open(device, port));
  }

  boolean ethernet() {
    return sa == null;
  }

  boolean active() {
    return device.port(port).state() == PortState.ACTIVE;
  }

  boolean owns(Gid gid) {
    return device.findGid(port, gid) >= 0;
  }

  /** {@return whether it serves a listener at an address} */
  boolean serves(InetAddress address, AddressBook book) {
    return address.isAnyLocalAddress() || owns(book.gid(address));
  }

  /** Ends the connections that are left, and gives the port back. */
  void close() {
    cm.close();
    if (sa != null) {
      sa.close();
    }
  }

  @Override
  public String toString() {
    return device.name() + "/" + port;
  }
}
