package ib.cm.rdma;

import ib.cm.CmClient;
import ib.cm.CmPort;
import ib.core.sa.SaClient;
import ib.core.verbs.Gid;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbException;
import ib.core.verbs.IbNotSupportedException;
import ib.core.verbs.LinkLayer;
import ib.core.verbs.PortState;
import ib.core.verbs.QpType;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A port of a device that connections can use.
 *
 * @param device the program's handle
 * @param port from 1
 * @param cm the program's share of the port's connection manager
 * @param sa the subnet administrator; null on Ethernet
 */
record Site(IbDevice device, int port, CmPort cm, @Nullable SaClient sa) {
  private static final Logger LOG = LoggerFactory.getLogger(Site.class);

  /** {@return the ports of a device that a program can use; of the others a warning tells why} */
  static List<Site> openAll(IbDevice device, CmClient cm, String program) {
    List<Site> all = new ArrayList<>();
    for (int port = 1; port <= device.portCount(); port++) {
      try {
        all.add(open(device, port, cm.open(device.name(), port, "")));
      } catch (IbException e) { // another client has the class, or there is no way to connect
        LOG.warn("{} does not use {}/{}", program, device, port, e);
      }
    }
    return all;
  }

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

  /** {@return whether it can accept with a queue pair of one of these types} */
  boolean has(Set<QpType> types) {
    return types.contains(QpType.UD) || !Collections.disjoint(cm.types(), types);
  }

  /**
   * Checks the type of a queue pair, before anything is made for it or sent.
   *
   * @throws IbNotSupportedException when the port does not connect it
   */
  void check(String what, QpType type) {
    if (!has(Set.of(type))) {
      throw new IbNotSupportedException(
          what, this + " does not connect queue pairs of type " + type, "" + cm.types());
    }
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
