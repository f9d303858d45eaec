package ib.cm.rdma;

import ib.cm.CmClient;
import ib.cm.CmId;
import ib.cm.LocalPorts.LocalPort;
import ib.core.serial.BoundedWaits;
import ib.core.serial.Waits;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbDisassociatedException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The connections of one program: which there are, at which ports of devices, with which local
 * ports. Its lock is the program's: it guards the ports that the program uses and the program's
 * services as well, so that a connection takes its place either before a device goes, or not at
 * all.
 */
final class Connections {
  final String program;
  final CmClient cm;
  private final List<Site> sites;
  private final ReentrantLock lock = new ReentrantLock();
  private volatile Waits graph = new BoundedWaits(); // until there is a device

  // guarded by lock

  /** With the local ports of those that this side has begun. */
  private final Map<RdmaConnection, @Nullable LocalPort> all = new LinkedHashMap<>();

  private boolean closed;

  /**
   * Creates it, with no connection.
   *
   * @param program name of the program
   * @param sites the ports there are, which change under the lock
   */
  Connections(String program, CmClient cm, List<Site> sites) {
    this.program = program;
    this.cm = cm;
    this.sites = sites;
  }

  /** {@return the wait-for graph of the midlayer} */
  Waits graph() {
    return graph;
  }

  /** A device has come: waits are entered in its midlayer's graph. */
  void seen(IbDevice device) {
    graph = Waits.of(device);
  }

  /** {@return what is made under the lock} */
  <T> T locked(Supplier<T> what) {
    lock.lock();
    try {
      return what.get();
    } finally {
      lock.unlock();
    }
  }

  /** Does something under the lock. */
  void locked(Runnable what) {
    lock.lock();
    try {
      what.run();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Checks that the program goes on; the caller holds the lock.
   *
   * @throws IbDisassociatedException when it is closed
   */
  void open() {
    if (closed) {
      throw new IbDisassociatedException(program, "it is closed", "open another RdmaCm");
    }
  }

  /**
   * Enters a connection.
   *
   * @param port given back when the connection is closed; null where the peer began
   * @throws IbDisassociatedException when the program is closed
   */
  void add(RdmaConnection made, @Nullable LocalPort port) {
    locked(
        () -> {
          open();
          all.put(made, port);
        });
  }

  /**
   * Puts a connection at a port, before anything is made for it there. From then on the connection
   * ends when the device goes.
   *
   * @param local address of this side
   * @throws IbDisassociatedException when the device goes, or is gone
   */
  void place(RdmaConnection made, Site at, InetAddress local) {
    locked(
        () -> {
          if (!sites.contains(at)) {
            throw new IbDisassociatedException(
                made.toString(), at.device().name() + " was removed", "connect by another device");
          }
          made.placed(at, local);
        });
  }

  /** {@return the connections of a device, the oldest first; the caller holds the lock} */
  List<RdmaConnection> of(IbDevice device) {
    return all.keySet().stream().filter(c -> c.isOf(device)).toList();
  }

  /** {@return the connections for a list; the caller holds the lock} */
  List<CmId> ids() {
    return all.keySet().stream().map(c -> c.id(program)).filter(Objects::nonNull).toList();
  }

  /** Forgets a closed connection. */
  void forget(RdmaConnection old) {
    locked(
        () -> {
          LocalPort port = all.remove(old);
          if (port != null) {
            cm.localPorts().release(port);
          }
        });
  }

  /** Takes no connection more; {@return those there are, the oldest first} */
  List<RdmaConnection> close() {
    return locked(
        () -> {
          closed = true;
          return new ArrayList<>(all.keySet());
        });
  }
}
