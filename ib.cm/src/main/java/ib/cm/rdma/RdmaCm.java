package ib.cm.rdma;

import ib.cm.CmClient;
import ib.cm.CmId;
import ib.cm.LocalPorts.LocalPort;
import ib.core.client.ClientRegistration;
import ib.core.client.IbCore;
import ib.core.client.Incidents;
import ib.core.mad.cm.CmaHeader;
import ib.core.verbs.AnyContext;
import ib.core.verbs.Fence;
import ib.core.verbs.Gid;
import ib.core.verbs.IbDisassociatedException;
import ib.core.verbs.IbException;
import ib.core.verbs.IbNoDeviceException;
import ib.core.verbs.IbNotSupportedException;
import ib.core.verbs.MaySleep;
import ib.core.verbs.QpType;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.stream.Stream;
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

  private final CmClient cm;
  private final AddressBook book;
  private final List<Site> sites = new CopyOnWriteArrayList<>();

  /** The ways of the program. */
  final Routes routes;

  /** The refusals by reason. */
  final Incidents incidents;

  /** The connections of the program. */
  final Connections connections;

  private final Services services; // guarded by the lock of the connections

  // guarded by the lock of the connections
  private @Nullable ClientRegistration registration;
  private CmClient.@Nullable Listing listing;

  private RdmaCm(CmClient cm, String name, Map<InetAddress, Gid> addresses) {
    this.cm = cm;
    book = new AddressBook(addresses);
    routes = new Routes(book, sites);
    incidents = new Incidents(name, LOG::warn);
    connections = new Connections(name, cm, sites);
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
    Sites client = new Sites(made.sites, made.connections, made.services, made.routes);
    ClientRegistration registered = core.registerClient(client, CmClient.NAME);
    made.connections.locked(
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
   * @throws ib.core.verbs.IbTimedOutException when the peer does not answer in time ({@link
   *     RdmaOptions#connectTimeout}, 30 s)
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
    RdmaConnection made = new RdmaConnection(connections, ends, options, factory, handler);
    try {
      connections.add(made, port);
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
   * Listens with queue pairs of type RC, in {@link PortSpace#UDP} of type UD; see the other {@code
   * listen}.
   *
   * @param at address and port; the wildcard address for all; port 0 for any free one
   * @param space port space
   * @param backlog how many requests may wait for an answer
   * @param handler accepts or rejects requests, one at a time; it may sleep
   * @return the listener; the caller closes it, or {@link #close} does
   */
  @MaySleep
  public RdmaListener listen(
      InetSocketAddress at, PortSpace space, int backlog, Consumer<RdmaRequest> handler) {
    QpType type = space.isDatagram() ? QpType.UD : QpType.RC;
    return listen(at, space, Set.of(type), backlog, handler);
  }

  /**
   * Listens. Beside a listener for all addresses there may be others for some, which come first. A
   * peer whose queue pair is of another type than those of the listener is rejected with reason 9,
   * invalid transport type.
   *
   * @param at address and port; the wildcard address for all; port 0 for any free one
   * @param space port space
   * @param types of the queue pairs with which the handler accepts ({@link RdmaRequest#type}): some
   *     of RC, UC and XRC_TGT; in {@link PortSpace#UDP} UD. It listens at the ports that connect
   *     one of them
   * @param backlog how many requests may wait for an answer, at each port of a device; further ones
   *     are dropped, and their senders repeat them. 0 for 1,024
   * @param handler accepts or rejects requests, one at a time; it may sleep
   * @return the listener; the caller closes it, or {@link #close} does
   * @throws ib.core.verbs.IbExistsException when the port is in use
   * @throws IbNoDeviceException when no device has the address
   * @throws RdmaAddressException when the address is unknown
   * @throws IbNotSupportedException when no device with the address has queue pairs of the types
   * @throws ib.core.verbs.IbInvalidException for types that the port space does not have
   */
  @MaySleep
  public RdmaListener listen(
      InetSocketAddress at,
      PortSpace space,
      Set<QpType> types,
      int backlog,
      Consumer<RdmaRequest> handler) {
    InetAddress address = at.getAddress();
    String what = "listen at " + Routes.text(at);
    if (address == null) {
      throw new RdmaAddressException(what, "the name has no address", "an address, or /etc/hosts");
    }
    if (sites.stream().noneMatch(s -> s.serves(address, book)) && !address.isAnyLocalAddress()) {
      throw new IbNoDeviceException(
          what, "no device among " + sites + " has the address", "an address of ibv_devinfo -v");
    }
    space.check(what, types);
    List<Site> there = sites.stream().filter(s -> s.serves(address, book)).toList();
    if (!there.isEmpty() && there.stream().noneMatch(s -> s.has(types))) {
      throw new IbNotSupportedException(
          what, there + " have no queue pairs of type " + types, "RC, or another device");
    }
    int most = backlog < 1 || backlog > MAX_BACKLOG ? MAX_BACKLOG : backlog;
    return connections.locked(
        () -> {
          connections.open();
          return services.listen(
              space, at, some -> new RdmaListener(this, some, Set.copyOf(types), most, handler));
        });
  }

  /** Closes a listener. */
  void forget(RdmaListener old) {
    connections.locked(() -> services.remove(old)).forEach(RdmaRequest::refuse);
  }

  /** {@return the connections and listeners for a list} */
  private List<CmId> ids() {
    return connections.locked(
        () -> Stream.concat(services.ids().stream(), connections.ids().stream()).toList());
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
    List<RdmaConnection> all = connections.close();
    List<RdmaListener> ears = connections.locked(services::listeners);
    ClientRegistration registered = connections.locked(this::unlisted);
    ears.forEach(RdmaListener::close);
    RdmaConnection.closeAll(all.reversed());
    if (registered != null) {
      registered.unregister();
    }
  }

  private @Nullable ClientRegistration unlisted() {
    if (listing != null) {
      listing.close();
    }
    return registration;
  }
}
