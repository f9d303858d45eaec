package ib.cm.internal.port;

import ib.cm.CmPort;
import ib.cm.internal.link.LinkShare;
import ib.core.cm.Connector;
import ib.core.verbs.Cap;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbException;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.IbNotSupportedException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.LoggerFactory;

/**
 * The ports of one device, each with its connection manager from the add of the device to its
 * removal. The tables do not change after the add.
 */
final class Ports {
  final IbDevice device;
  private final Map<Integer, LivePort> live = new HashMap<>();
  private final Map<Integer, IbException> refused = new HashMap<>();
  private final Set<LinkShare> links = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /** Opens the ports; a port whose class another client has is left out. */
  Ports(IbDevice device) {
    this.device = device;
    for (int port = 1; device.has(Cap.GSI) && port <= device.portCount(); port++) {
      try {
        live.put(port, new LivePort(device, port));
      } catch (IbException e) {
        refused.put(port, e);
        LoggerFactory.getLogger(Ports.class)
            .warn("{}/{} has no connection manager: {}", device.name(), port, e.getMessage());
      }
    }
  }

  /** {@return a new share of a port} */
  CmPort open(int number, Notes notes) {
    LivePort port = live.get(number);
    if (port != null) {
      return port.share(notes);
    }
    IbException why = refused.get(number);
    if (why != null) {
      throw why;
    }
    String what = "ib.cm on " + device.name() + "/" + number;
    if (number < 1 || number > device.portCount()) {
      throw new IbInvalidException(what, "no such port", "1 to " + device.portCount());
    }
    Optional<Connector> connector = Connector.of(device);
    if (connector.isEmpty()) {
      throw new IbNotSupportedException(
          what,
          "the device has no QP1",
          "on a device of the host modprobe rdma_ucm, else another device");
    }
    return link(new LinkShare(device, number, connector.get(), links::remove));
  }

  private CmPort link(LinkShare made) {
    links.add(made);
    if (closed) {
      made.close();
    }
    return made;
  }

  /** Closes the ports and all their shares. */
  void close() {
    closed = true;
    Set.copyOf(links).forEach(LinkShare::close);
    live.values().forEach(LivePort::close);
  }
}
