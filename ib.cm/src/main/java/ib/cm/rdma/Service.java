package ib.cm.rdma;

import ib.cm.CmConnection;
import ib.cm.CmDatagramRequest;
import ib.cm.CmEndpoint;
import ib.cm.CmEvent;
import ib.cm.CmId;
import ib.cm.CmListener;
import ib.cm.CmPath;
import ib.cm.CmTerms;
import ib.core.client.Incidents;
import ib.core.mad.cm.CmaHeader;
import ib.core.verbs.Gid;
import ib.core.verbs.IbException;
import ib.core.verbs.IbExistsException;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * The listeners of one program that share a service ID, and with it one {@link CmListener} for each
 * port of a device (CM-61); of connections, or of a datagram service. The lock of {@code
 * Connections} is held while listeners and ports are added and removed.
 */
final class Service {
  private static final CmEndpoint NO_ENDPOINT = new CmEndpoint(0, 0, 0, 0, 0, false);

  private final long id;
  private final PortSpace space;
  private final AddressBook book;
  private final Incidents incidents;
  private final ConcurrentMap<InetAddress, RdmaListener> listeners = new ConcurrentHashMap<>();
  private final Map<Site, CmListener> ports = new HashMap<>();

  /** By connection or question. */
  private final ConcurrentMap<Object, RdmaRequest> requests = new ConcurrentHashMap<>();

  Service(PortSpace space, int port, AddressBook book, Incidents incidents) {
    this.id = space.serviceId(port);
    this.space = space;
    this.book = book;
    this.incidents = incidents;
  }

  List<RdmaListener> listeners() {
    return List.copyOf(listeners.values());
  }

  /** {@return the listeners for a list, each at the devices that have its address} */
  List<CmId> ids(String program) {
    return listeners.values().stream()
        .flatMap(
            l ->
                ports.keySet().stream()
                    .filter(s -> l.servedBy(s, book))
                    .map(s -> l.id(s, program, space)))
        .toList();
  }

  boolean isEmpty() {
    return listeners.isEmpty();
  }

  /**
   * Adds a listener.
   *
   * @throws IbExistsException when its address has one
   */
  void add(RdmaListener listener) {
    InetAddress at = listener.localAddress().getAddress();
    if (listeners.putIfAbsent(at, listener) != null) {
      throw new IbExistsException(
          listener.toString(), "there is one already", "close that one, or another port");
    }
  }

  boolean remove(RdmaListener listener) {
    return listeners.remove(listener.localAddress().getAddress(), listener);
  }

  /** {@return the requests of a listener} */
  List<RdmaRequest> of(RdmaListener listener) {
    return requests.values().stream().filter(r -> r.listener.equals(listener)).toList();
  }

  /**
   * Listens where a device has the address of a listener and queue pairs of its types, and nowhere
   * else.
   *
   * @throws IbException when it cannot listen at a port, for example because another program does;
   *     it listens at the others
   */
  void attach(List<Site> sites) {
    IbException refused = null;
    for (Site site : sites) {
      try {
        attach(site);
      } catch (IbException e) {
        refused = refused == null ? e : refused;
      }
    }
    if (refused != null) {
      throw refused;
    }
  }

  private void attach(Site site) {
    int backlog =
        listeners.values().stream()
            .filter(l -> l.servedBy(site, book))
            .mapToInt(l -> l.backlog)
            .sum();
    CmListener open = ports.get(site);
    if (backlog == 0) {
      detach(site);
    } else if (open == null) {
      ports.put(site, listen(site, backlog));
    } else {
      open.backlog(backlog);
    }
  }

  private CmListener listen(Site site, int backlog) {
    return space.isDatagram()
        ? site.cm().serve(id, a -> wants(site, a), backlog, q -> asked(site, q))
        : site.cm()
            .listen(
                id, site.cm().types(), a -> wants(site, a), backlog, (c, e) -> heard(site, c, e));
  }

  /**
   * {@return whether a listener has an address of a port, and queue pairs that the port connects}
   */
  private boolean wants(Site site, InetAddress ofPort) {
    Gid gid = book.gid(ofPort);
    return listeners.entrySet().stream()
        .filter(each -> each.getValue().servedBy(site, book))
        .map(Map.Entry::getKey)
        .anyMatch(at -> at.isAnyLocalAddress() || book.gid(at).equals(gid));
  }

  void detach(Site site) {
    CmListener open = ports.remove(site);
    if (open != null) {
      open.close();
    }
  }

  /** A port goes, with its device: requests that have arrived there cannot be accepted any more. */
  void gone(Site site) {
    detach(site);
    for (Map.Entry<Object, RdmaRequest> each : requests.entrySet()) {
      RdmaRequest request = each.getValue();
      if (request.site.equals(site)) {
        request.withdrawn();
        if (request.isDatagram()) { // nothing more is heard of it
          requests.remove(each.getKey());
        }
      }
    }
  }

  private void heard(Site site, CmConnection c, CmEvent event) {
    if (event instanceof CmEvent.Requested asked) {
      requested(site, c, new Applicant.ForConnection(c), asked);
      return;
    }
    RdmaRequest request = requests.get(c);
    if (request != null) {
      request.heard(c, event);
    }
    if (event instanceof CmEvent.Released) {
      requests.remove(c);
    }
  }

  private void asked(Site site, CmDatagramRequest question) {
    CmPath path = CmPath.back(site.device(), question.source());
    byte[] data = question.privateData();
    CmEvent.Requested asked = new CmEvent.Requested(id, path, NO_ENDPOINT, CmTerms.DEFAULT, data);
    Applicant peer = new Applicant.ForDatagrams(question, () -> requests.remove(question));
    requested(site, question, peer, asked);
  }

  private void requested(Site site, Object key, Applicant peer, CmEvent.Requested asked) {
    String wrong = CmaHeader.refusal(asked.privateData());
    if (wrong != null) {
      refuse(peer, asked, wrong);
      return;
    }
    CmaHeader header = CmaHeader.read(asked.privateData());
    if (site.ethernet() && !site.owns(book.gid(header.destination()))) {
      refuse(peer, asked, "destination of the private header is not an address of the port");
      return;
    }
    if (site.ethernet() && !book.gid(header.source()).equals(asked.path().remote())) {
      count("source of the private header is not the one of the path, accepted (RD-1)", asked);
    }
    RdmaListener listener = match(site, header.destination());
    if (listener == null) {
      refuse(peer, asked, "no listener for the address");
      return;
    }
    RdmaRequest request = new RdmaRequest(listener, site, peer, asked);
    if (!listener.takes(request.type())) {
      count("no queue pair of the type that the peer has (" + asked.peer().type() + ")", asked);
      peer.otherType();
      return;
    }
    requests.put(key, request);
    if (!listener.offer(request)) {
      request.refuse();
    }
  }

  /**
   * {@return the listener for a destination, of those that the port serves: a specific one before
   * the wildcard (RD-20)}
   */
  private @Nullable RdmaListener match(Site site, InetAddress destination) {
    RdmaListener any = null;
    for (RdmaListener each : listeners.values()) {
      InetAddress at = each.localAddress().getAddress();
      if (!each.typesAreAt(site)) {
        continue;
      }
      if (at.equals(destination)) {
        return each;
      }
      any = at.isAnyLocalAddress() ? each : any;
    }
    return any;
  }

  private void refuse(Applicant peer, CmEvent.Requested asked, String why) {
    count(why, asked);
    peer.refuse();
  }

  private void count(String why, CmEvent.Requested asked) {
    incidents.refused(why, () -> asked.path().remote().toString());
  }
}
