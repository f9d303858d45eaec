package ib.cm.rdma;

import ib.cm.CmPath;
import ib.core.sa.PathRecord;
import ib.core.sa.SaClient;
import ib.core.verbs.AhAttr;
import ib.core.verbs.EventType;
import ib.core.verbs.Gid;
import ib.core.verbs.GlobalRoute;
import ib.core.verbs.IbException;
import ib.core.verbs.IbNoDeviceException;
import ib.core.verbs.Mtu;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds the device, the port and the path by which an address is reached (RD-3, RD-4). */
final class Routes {
  /**
   * A way to an address.
   *
   * @param site the port to leave by
   * @param path the path
   * @param local address of this side
   */
  record Route(Site site, CmPath path, InetAddress local) {}

  /**
   * A port to leave by, and its GID.
   *
   * @param site the port
   * @param gid one of the port's GIDs
   */
  private record Exit(Site site, Gid gid) {
    int gidIndex() {
      return site.device().findGid(site.port(), gid);
    }
  }

  private static final Logger LOG = LoggerFactory.getLogger(Routes.class);
  private static final int HOP_LIMIT = 64;
  private static final int MAX_FLOW_LABEL = 0xfffff;
  private static final int FLOW_FACTOR = 31;
  private static final int ANY_PORT = 1; // of a socket that sends nothing
  private static final int FIRST_MLID = 0xc000; // until the subnet administrator has said which

  private final AddressBook book;
  private final List<Site> sites;
  private final Paths paths = new Paths(System::nanoTime);

  Routes(AddressBook book, List<Site> sites) {
    this.book = book;
    this.sites = sites;
  }

  /** Forgets the paths at an event; {@return whether GIDs may have changed with it} */
  boolean changed(EventType event) {
    paths.forget();
    return event == EventType.GID_CHANGE || event == EventType.EVENT_OVERFLOW;
  }

  /** A connection was not made: the way to its peer is asked for anew. */
  void failed(InetSocketAddress to) {
    InetAddress there = to.getAddress();
    if (there != null) {
      paths.forget(book.gid(there));
    }
  }

  static String text(InetSocketAddress address) {
    InetAddress a = address.getAddress();
    return (a == null ? address.getHostString() : a.getHostAddress()) + ":" + address.getPort();
  }

  /**
   * Finds a way, to a multicast group where datagrams go to one; asks the subnet administrator
   * where there is one.
   *
   * @param port port of this side
   * @throws IbNoDeviceException when no device has an address by which this host reaches the other
   * @throws RdmaAddressException when the address is none, or there is no way to it
   */
  Route find(InetSocketAddress to, RdmaOptions options, int port) {
    String what = "connect to " + text(to);
    InetAddress there = to.getAddress();
    if (there == null) {
      throw new RdmaAddressException(what, "the name has no address", "an address, or /etc/hosts");
    }
    if (there.isMulticastAddress() && options.space().isDatagram()) {
      return toGroup(there, options);
    }
    if (there.isAnyLocalAddress() || there.isMulticastAddress() || to.getPort() == 0) {
      throw new RdmaAddressException(what, "this is no listener", "address and port of one");
    }
    Gid remote = book.gid(there);
    List<Exit> exits = exits(what, to, remote, options.from());
    IbException last = null;
    for (Exit exit : exits) {
      try {
        CmPath path =
            exit.site.ethernet()
                ? overEthernet(exit, remote, flowLabel(port, to.getPort()), options)
                : overFabric(what, exit, remote, options.terms().ackTimeout());
        return new Route(exit.site, path, book.address(exit.gid));
      } catch (IbException e) {
        LOG.debug("{}: not by {}", what, exit, e);
        last = e;
      }
    }
    throw last == null ? noExit(what, options.from()) : last;
  }

  /**
   * Finds the port by which a multicast group is reached: that of the address which this side is
   * bound to, else that of the host's route, else an active port of a fabric.
   */
  private Route toGroup(InetAddress group, RdmaOptions options) {
    String what = "join " + group.getHostAddress();
    InetSocketAddress from = options.from();
    Gid gid = book.gid(group);
    Exit exit =
        exits(what, new InetSocketAddress(group, ANY_PORT), Group.inSubnet(group, gid, 0), from)
            .stream()
            .findFirst()
            .orElseThrow(() -> noExit(what, from));
    Site s = exit.site;
    CmPath path =
        s.ethernet()
            ? overEthernet(exit, gid, 0, options)
            : CmPath.inSubnet(
                s.device(),
                s.port(),
                FIRST_MLID,
                Group.inSubnet(group, gid, s.device().pkey(s.port(), 0)));
    return new Route(s, path, book.address(exit.gid));
  }

  private IbException noExit(String what, @Nullable InetSocketAddress from) {
    String which = from == null ? "an address by which this host gets there" : text(from);
    String hint = "ibv_devinfo -v, which lists the GIDs";
    return new IbNoDeviceException(
        what,
        "no device among " + sites + " has " + which,
        from == null ? hint + "; from(…) says which one to use" : hint);
  }

  private List<Exit> exits(
      String what, InetSocketAddress to, Gid remote, @Nullable InetSocketAddress from) {
    if (from != null && !from.getAddress().isAnyLocalAddress()) {
      return owners(book.gid(from.getAddress())).toList();
    }
    List<Exit> all = new ArrayList<>();
    if (sites.stream().anyMatch(Site::ethernet)) {
      InetAddress source = hostSource(what, to);
      if (source != null) {
        owners(book.gid(source)).filter(e -> e.site.ethernet()).forEach(all::add);
      }
      owners(remote).filter(e -> e.site.ethernet()).forEach(all::add); // RD-22: to this host
    }
    if (!remote.isIpv4Mapped()) {
      sites.stream()
          .filter(s -> !s.ethernet() && s.active())
          .map(s -> new Exit(s, s.device().gid(s.port(), 0)))
          .forEach(all::add);
    }
    return all;
  }

  private Stream<Exit> owners(Gid gid) {
    return sites.stream().filter(s -> s.owns(gid)).map(s -> new Exit(s, gid));
  }

  /** {@return the address that the host would send from; null when it has no route} */
  private static @Nullable InetAddress hostSource(String what, InetSocketAddress to) {
    try (DatagramSocket socket = new DatagramSocket()) {
      socket.connect(to); // sends nothing
      return socket.getLocalAddress();
    } catch (SocketException | UncheckedIOException e) {
      LOG.debug("{}: the host has no route", what, e);
      return null;
    }
  }

  /** {@return the flow label of Linux, of which both ends make the same UDP source port} */
  static int flowLabel(int source, int destination) {
    return source * FLOW_FACTOR + destination & MAX_FLOW_LABEL;
  }

  private static CmPath overEthernet(Exit exit, Gid remote, int flowLabel, RdmaOptions options) {
    Site s = exit.site;
    GlobalRoute route =
        new GlobalRoute(remote, flowLabel, exit.gidIndex(), HOP_LIMIT, options.trafficClass());
    return new CmPath(
        AhAttr.ofGid(s.port(), route),
        exit.gid,
        remote,
        0,
        s.device().port(s.port()).activeMtu(),
        packetLife(options.terms().ackTimeout()),
        s.device().pkey(s.port(), 0),
        0);
  }

  /**
   * {@return the packet life time, an exponent, that goes with the time for an ACK, which is that
   * of a packet there and of one back (CM-36)} On a fabric the shorter one of this and of the path
   * record counts: a subnet manager may say a second for all its paths, as OpenSM does, and what
   * the program waits for an ACK it waits for a REQ's way.
   */
  private static int packetLife(int ackTimeout) {
    return ackTimeout == 0 ? CmPath.ROCE_PACKET_LIFE : ackTimeout - 1; // 0: it has no end
  }

  private CmPath overFabric(String what, Exit exit, Gid remote, int ackTimeout) {
    Site s = exit.site;
    int pkey = s.device().pkey(s.port(), 0);
    Paths.Question question = new Paths.Question(s, exit.gid, remote, pkey);
    PathRecord path = answer(what, remote, paths.find(question, q -> query(exit, q)));
    int most = path.value(PathRecord.Field.PACKET_LIFE_TIME);
    return new CmPath(
        path.ahAttr(s.port(), exit.gidIndex()),
        exit.gid,
        remote,
        path.value(PathRecord.Field.SLID),
        Mtu.of(path.value(PathRecord.Field.MTU)),
        ackTimeout == 0 ? most : Math.min(most, packetLife(ackTimeout)),
        pkey,
        0);
  }

  private static CompletableFuture<PathRecord> query(Exit exit, Paths.Question question) {
    PathRecord query =
        new PathRecord()
            .set(PathRecord.Field.SGID, question.from())
            .set(PathRecord.Field.DGID, question.to())
            .set(PathRecord.Field.PKEY, question.pkey())
            .set(PathRecord.Field.REVERSIBLE, 1)
            .set(PathRecord.Field.NUMB_PATH, 1);
    SaClient sa = exit.site.sa();
    if (sa == null) {
      throw new IllegalStateException(exit + " has no subnet administrator");
    }
    return Paths.ask(ms -> sa.get(query, ms));
  }

  private static PathRecord answer(String what, Gid remote, CompletableFuture<PathRecord> asked) {
    try {
      return asked.join();
    } catch (CompletionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      String text = "no path to " + remote + ": " + cause.getMessage();
      IbException why = new RdmaAddressException(what, text, "whether that port is active");
      why.initCause(cause);
      throw why;
    }
  }
}
