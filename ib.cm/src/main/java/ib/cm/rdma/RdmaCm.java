package ib.cm.rdma;

import ib.cm.CmClient;
import ib.cm.CmId;
import ib.cm.LocalPorts.LocalPort;
import ib.core.client.ClientRegistration;
import ib.core.client.IbClient;
import ib.core.client.IbCore;
import ib.core.client.Incidents;
import ib.core.mad.cm.CmaHeader;
import ib.core.serial.BoundedWaits;
import ib.core.serial.Waits;
import ib.core.verbs.AnyContext;
import ib.core.verbs.Fence;
import ib.core.verbs.Gid;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbDisassociatedException;
import ib.core.verbs.IbEvent;
import ib.core.verbs.IbEventHandler;
import ib.core.verbs.IbException;
import ib.core.verbs.IbNoDeviceException;
import ib.core.verbs.MaySleep;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One program's connections by address and port. It is a client of the core: the handles that it
 * gives to a {@link QpFactory} belong to it, so whatever the program makes through them must be
 * closed before this is, and when a device goes.
 *
 * <pre>{@code
 * try (RdmaCm cm = RdmaCm.open(core, connectionManager, "ping");
 *     RdmaConnection c = cm.connect(new InetSocketAddress("10.77.0.2", 7471), RdmaOptions.rc(), qp)) {
 *   …
 * }
 * }</pre>
 *
 * <p>An address is that of a RoCE device, whose GID it is, or on InfiniBand a GID written as an
 * IPv6 address, or any address that the map given to {@link #open(IbCore, CmClient, String, Map)}
 * translates. Any thread may call.
 */
public final class RdmaCm implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RdmaCm.class);
  private static final int MAX_BACKLOG = 1024; // Linux's (RD-6)

  final String name;
  final CmClient cm;
  private final AddressBook book;
  final Routes routes;
  private final Incidents incidents;
  private final Client client = new Client();
  private final Turns turns = new Turns(2, this::graph);
  private final List<Site> sites = new CopyOnWriteArrayList<>();
  private final ReentrantLock lock = new ReentrantLock();
  private volatile Waits graph = new BoundedWaits(); // until there is a device

  // guarded by lock
  private final Services services;

  /** With the local ports of those that this side has begun. */
  private final Map<RdmaConnection, @Nullable LocalPort> connections = new LinkedHashMap<>();

  private @Nullable ClientRegistration registration;
  private CmClient.@Nullable Listing listing;
  private boolean closed;

  private RdmaCm(CmClient cm, String name, Map<InetAddress, Gid> addresses) {
    this.cm = cm;
    this.name = name;
    book = new AddressBook(addresses);
    routes = new Routes(book, sites);
    incidents = new Incidents(name, LOG::warn);
    services = new Services(name, book, sites, incidents);
  }

  /**
   * Opens the connections of a program, on all devices there are and come.
   *
   * @param core the midlayer
   * @param cm the connection manager, a client of the same midlayer
   * @param name of the program, unique among the clients of the midlayer
   * @return close it
   */
  @MaySleep
  public static RdmaCm open(IbCore core, CmClient cm, String name) {
    return open(core, cm, name, Map.of());
  }

  /**
   * Opens the connections of a program, with addresses for GIDs.
   *
   * @param core the midlayer
   * @param cm the connection manager, a client of the same midlayer
   * @param name of the program, unique among the clients of the midlayer
   * @param addresses the GID of each address, of own and other ports; other addresses stand for
   *     themselves
   * @return close it
   */
  @MaySleep
  public static RdmaCm open(
      IbCore core, CmClient cm, String name, Map<InetAddress, Gid> addresses) {
    RdmaCm made = new RdmaCm(cm, name, addresses);
    ClientRegistration registered = core.registerClient(made.client, CmClient.NAME);
    made.locked(
        () -> {
          made.registration = registered;
          made.listing = cm.list(made::ids);
        });
    return made;
  }

  /**
   * Connects, and waits until both sides are ready. An interrupt gives the attempt up.
   *
   * @param to address and port
   * @param options parameters
   * @param factory makes the queue pair
   * @return the connection; the caller closes it
   * @throws RdmaRejectedException when the peer rejects it
   * @throws ib.core.verbs.IbTimedOutException when the peer does not answer
   * @throws IbNoDeviceException when no device has an address by which this host reaches the peer
   * @throws RdmaAddressException when the address is unknown
   * @throws ib.core.verbs.IbExistsException when another connection to the destination has the
   *     local port, or all free ones have one
   * @throws IbException when the queue pair cannot be made or moved
   * @throws InterruptedException after an interrupt
   */
  @MaySleep
  public RdmaConnection connect(InetSocketAddress to, RdmaOptions options, QpFactory factory)
      throws InterruptedException {
    RdmaConnection made = start(to, options, factory, RdmaHandler.NONE);
    try {
      return made.established().get();
    } catch (ExecutionException e) {
      made.close();
      throw e.getCause() instanceof IbException why ? why : new IllegalStateException(e);
    } catch (InterruptedException e) {
      made.close();
      throw e;
    }
  }

  /**
   * Begins to connect, and does not wait for the peer.
   *
   * @param to address and port
   * @param options parameters
   * @param factory makes the queue pair, in a callback of the connection
   * @param handler hears what happens to the connection
   * @return the connection; the caller closes it, also when it was not made
   * @throws ib.core.verbs.IbInvalidException for more than 56 bytes of private data, in {@link
   *     PortSpace#UDP} for more than 180
   * @throws ib.core.verbs.IbExistsException when another connection to the destination has the
   *     local port, or all free ones have one
   */
  @MaySleep
  public RdmaConnection start(
      InetSocketAddress to, RdmaOptions options, QpFactory factory, RdmaHandler handler) {
    return start("connect to " + Routes.text(to), to, options, factory, handler);
  }

  private RdmaConnection start(
      String what,
      InetSocketAddress to,
      RdmaOptions options,
      QpFactory factory,
      RdmaHandler handler) {
    CmaHeader.check(options.data(), options.space().question());
    InetSocketAddress from = options.from();
    long service = options.space().number(to.getPort());
    LocalPort port =
        cm.localPorts().take(service, to.getAddress(), from == null ? 0 : from.getPort());
    InetSocketAddress local = new InetSocketAddress(port.port());
    RdmaConnection.Ends ends = new RdmaConnection.Ends(what, local, to);
    RdmaConnection made = new RdmaConnection(this, ends, options, factory, handler);
    try {
      add(made, port);
    } catch (IbDisassociatedException e) {
      cm.localPorts().release(port);
      throw e;
    }
    made.start(routes);
    return made;
  }

  /**
   * Joins a multicast group, and does not wait for it. When the connection is established its queue
   * pair of type UD receives the group's datagrams, and {@link RdmaConnection#destination} says how
   * to send to the group; when it is closed the port leaves the group, unless another is in it. On
   * RoCE the group's address is its GID; in an InfiniBand subnet the GID is FF12:4001 with the
   * P_Key, for IPv6 FF12:6001, and service level and traffic class are 0 (RD-13).
   *
   * @param group a multicast address
   * @param options address of this side and traffic class count
   * @param factory makes the queue pair, in a callback of the connection
   * @param handler hears what happens to the connection
   * @return the connection; the caller closes it, also when the group was not joined
   * @throws RdmaAddressException when the address is none of a group
   */
  @MaySleep
  public RdmaConnection join(
      InetAddress group, RdmaOptions options, QpFactory factory, RdmaHandler handler) {
    if (!group.isMulticastAddress()) {
      throw new RdmaAddressException(
          "join " + group.getHostAddress(), "this is no group", "224.0.0.0/4 or ff00::/8");
    }
    InetSocketAddress to = new InetSocketAddress(group, 0);
    String what = "join " + group.getHostAddress();
    return start(what, to, options.space(PortSpace.UDP), factory, handler);
  }

  /**
   * Listens. Beside a listener for all addresses there may be others for some, which come first.
   *
   * @param at address and port; the wildcard address for all; port 0 for any free one
   * @param space port space
   * @param backlog how many requests may wait for an answer, at each port of a device; further ones
   *     are dropped, and their senders repeat them. 0 for 1,024
   * @param handler accepts or rejects requests, one at a time; it may sleep
   * @return the listener; the caller closes it, or {@link #close} does
   * @throws ib.core.verbs.IbExistsException when the port is in use
   * @throws IbNoDeviceException when no device has the address
   * @throws RdmaAddressException when the address is unknown
   */
  @MaySleep
  public RdmaListener listen(
      InetSocketAddress at, PortSpace space, int backlog, Consumer<RdmaRequest> handler) {
    InetAddress address = at.getAddress();
    String what = "listen at " + Routes.text(at);
    if (address == null) {
      throw new RdmaAddressException(what, "the name has no address", "an address, or /etc/hosts");
    }
    if (sites.stream().noneMatch(s -> s.serves(address, book)) && !address.isAnyLocalAddress()) {
      throw new IbNoDeviceException(
          what, "no device among " + sites + " has the address", "an address of ibv_devinfo -v");
    }
    int most = backlog < 1 || backlog > MAX_BACKLOG ? MAX_BACKLOG : backlog;
    lock.lock();
    try {
      goingOn();
      return services.listen(space, at, some -> new RdmaListener(this, some, most, handler));
    } finally {
      lock.unlock();
    }
  }

  /** {@return the wait-for graph of the midlayer} */
  Waits graph() {
    return graph;
  }

  private void goingOn() {
    if (closed) {
      throw new IbDisassociatedException(name, "it is closed", "open another RdmaCm");
    }
  }

  /**
   * Enters a connection.
   *
   * @param port given back when the connection is closed; null where the peer began
   */
  void add(RdmaConnection made, @Nullable LocalPort port) {
    locked(
        () -> {
          goingOn();
          connections.put(made, port);
        });
  }

  private void locked(Runnable change) {
    lock.lock();
    try {
      change.run();
    } finally {
      lock.unlock();
    }
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

  /** Forgets a closed connection. */
  void forget(RdmaConnection old) {
    lock.lock();
    try {
      LocalPort port = connections.remove(old);
      if (port != null) {
        cm.localPorts().release(port);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Closes a listener. */
  void forget(RdmaListener old) {
    List<RdmaRequest> waiting;
    lock.lock();
    try {
      waiting = services.remove(old);
    } finally {
      lock.unlock();
    }
    waiting.forEach(RdmaRequest::refuse);
  }

  /** {@return the connections and listeners for a list} */
  private List<CmId> ids() {
    lock.lock();
    try {
      List<CmId> all = new ArrayList<>(services.ids());
      connections.keySet().stream().map(c -> c.id(name)).filter(Objects::nonNull).forEach(all::add);
      return all;
    } finally {
      lock.unlock();
    }
  }

  /** {@return how many requests were refused, by reason} */
  @AnyContext
  public Map<String, Long> counters() {
    return incidents.counts();
  }

  /**
   * Closes all listeners and connections, and gives all devices back. When this returns, no
   * callback runs or will run; inside of a callback that is so when the callback has returned.
   */
  @Override
  @MaySleep
  @Fence
  public void close() {
    List<RdmaConnection> all;
    List<RdmaListener> ears;
    ClientRegistration registered;
    lock.lock();
    try {
      closed = true;
      all = new ArrayList<>(connections.keySet());
      ears = services.listeners();
      registered = registration;
      if (listing != null) {
        listing.close();
      }
    } finally {
      lock.unlock();
    }
    ears.forEach(RdmaListener::close);
    all.reversed().forEach(RdmaConnection::close);
    if (registered != null) {
      registered.unregister();
    }
  }

  /** The program as the core sees it. */
  private final class Client implements IbClient {
    /** The ports of a device, and the handler of its events. */
    private record Added(List<Site> sites, IbEventHandler events) {}

    @Override
    public String name() {
      return name;
    }

    @Override
    public Object add(IbDevice device) {
      graph = Waits.of(device);
      List<Site> mine = Site.openAll(device, cm, name);
      IbEventHandler events =
          new IbEventHandler(device) {
            @Override
            public void handle(IbEvent event) {
              if (routes.changed(event.type())) {
                turns.offer(RdmaCm.this::attach); // one that waits is enough
              }
            }
          };
      device.registerEventHandler(events);
      sites.addAll(mine);
      attach();
      return new Added(mine, events);
    }

    @Override
    public void remove(IbDevice device, @Nullable Object clientData) {
      if (clientData instanceof Added added) {
        device.unregisterEventHandler(added.events);
        gone(device, added.sites);
      }
    }
  }

  /** Lets each service listen where it can now. */
  private void attach() {
    locked(services::attach);
  }

  /** API-6: a device goes. Listeners stay for the next one. */
  private void gone(IbDevice device, List<Site> its) {
    List<RdmaConnection> mine;
    lock.lock();
    try {
      sites.removeAll(its);
      services.gone(its);
      mine = connections.keySet().stream().filter(c -> c.isOf(device)).toList();
    } finally {
      lock.unlock();
    }
    mine.reversed().forEach(RdmaConnection::removed);
    its.forEach(Site::close);
    mine.forEach(c -> turns.await(c.closing()));
    for (RdmaConnection left : mine.reversed()) {
      if (!left.closing().over()) {
        LOG.warn("{} is left open while {} goes: it is closed", left, device);
        left.close();
      }
    }
  }
}
