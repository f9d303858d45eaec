package ib.cm.internal.link;

import ib.cm.CmListener;
import ib.core.cm.ConnectorListener;
import ib.core.verbs.IbException;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.IbNoDeviceException;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.LoggerFactory;

/**
 * A service ID that a port listens to: an IP port at each address of the port that is wanted. The
 * kernel rejects with reason 28, as a program would, a request to an address where nothing listens
 * while another address has a listener at that port, so there are no listeners but those.
 */
final class LinkListener implements CmListener {
  private final long serviceId;
  private final Supplier<Set<InetAddress>> addresses;
  private final Function<InetAddress, ConnectorListener> host;
  private final Runnable closing;

  // guarded by the monitor of this
  private final Map<InetAddress, ConnectorListener> open = new HashMap<>();
  private boolean closed;

  private volatile int backlog;

  /**
   * Creates a listener that listens nowhere.
   *
   * @param addresses of the port that are wanted, now
   * @param host listens at one of them
   * @param closing called when it is closed
   */
  LinkListener(
      long serviceId,
      int backlog,
      Supplier<Set<InetAddress>> addresses,
      Function<InetAddress, ConnectorListener> host,
      Runnable closing) {
    this.serviceId = serviceId;
    this.backlog = backlog;
    this.addresses = addresses;
    this.host = host;
    this.closing = closing;
  }

  /**
   * Listens at the addresses that the port has now.
   *
   * @throws IbException when the host refuses one; it listens at the others
   */
  synchronized void look() {
    if (closed) {
      return;
    }
    IbException refused = null;
    Set<InetAddress> now = addresses.get();
    for (InetAddress address : Set.copyOf(open.keySet())) {
      if (!now.contains(address)) {
        end(address);
      }
    }
    for (InetAddress address : now) {
      if (!open.containsKey(address)) {
        try {
          open.put(address, host.apply(address));
        } catch (IbNoDeviceException e) { // a GID that is no address of the interface
          LoggerFactory.getLogger(LinkListener.class).debug("not at {}", address, e);
        } catch (IbException e) {
          refused = refused == null ? e : refused;
        }
      }
    }
    if (refused != null) {
      throw refused;
    }
  }

  private void end(InetAddress address) {
    ConnectorListener old = open.remove(address);
    if (old != null) {
      old.close();
    }
  }

  int backlog() {
    return backlog;
  }

  @Override
  public long serviceId() {
    return serviceId;
  }

  @Override
  public void backlog(int requests) {
    if (requests < 0) {
      throw new IbInvalidException("backlog " + requests, "negative", "0 or more");
    }
    backlog = requests;
    look(); // RdmaCm says the backlog again when addresses have changed, or those that are wanted
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      Set.copyOf(open.keySet()).forEach(this::end);
    }
    closing.run();
  }

  @Override
  public String toString() {
    return "listener of service " + Long.toHexString(serviceId);
  }
}
