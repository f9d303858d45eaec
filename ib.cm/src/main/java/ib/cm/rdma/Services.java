package ib.cm.rdma;

import ib.cm.CmId;
import ib.cm.LocalPorts;
import ib.core.client.Incidents;
import ib.core.verbs.IbException;
import ib.core.verbs.IbExistsException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The services of one program by service ID; each caller holds the lock of {@link Connections}. */
final class Services {
  private static final Logger LOG = LoggerFactory.getLogger(Services.class);

  private final String name;
  private final AddressBook book;
  private final List<Site> sites;
  private final Incidents incidents;
  private final Map<Long, Service> byId = new HashMap<>();

  /**
   * Creates an empty book.
   *
   * @param name of the program
   * @param sites the ports there are, which change
   */
  Services(String name, AddressBook book, List<Site> sites, Incidents incidents) {
    this.name = name;
    this.book = book;
    this.sites = sites;
    this.incidents = incidents;
  }

  /**
   * Listens.
   *
   * @param at address and port; port 0 for any free one
   * @param maker makes the listener at an address and a port
   * @throws IbExistsException when the port is in use
   */
  RdmaListener listen(
      PortSpace space, InetSocketAddress at, Function<InetSocketAddress, RdmaListener> maker) {
    boolean any = at.getPort() == 0;
    IbExistsException inUse = null;
    for (int port : (any ? LocalPorts.candidates() : IntStream.of(at.getPort())).toArray()) {
      RdmaListener made = maker.apply(new InetSocketAddress(at.getAddress(), port));
      try {
        add(made, space);
        return made;
      } catch (IbExistsException e) {
        inUse = e;
      }
    }
    IbExistsException why =
        new IbExistsException(
            "listen at " + Routes.text(at),
            any ? "all ports are in use" : "port " + at.getPort() + " is in use",
            any ? "close a listener" : "another port, or see who has it: rdma resource show cm_id");
    why.initCause(inUse);
    throw why;
  }

  private void add(RdmaListener made, PortSpace space) {
    int port = made.localAddress().getPort();
    long id = space.serviceId(port);
    Service service = byId.computeIfAbsent(id, i -> new Service(space, port, book, incidents));
    service.add(made);
    try {
      service.attach(sites);
    } catch (IbException e) {
      service.remove(made);
      drop(id, service);
      throw e;
    }
  }

  /** Listens no more where no listener is left. */
  private void drop(long id, Service service) {
    attach(service);
    if (service.isEmpty()) {
      byId.remove(id);
    }
  }

  /** Removes a listener; {@return its requests, which the caller refuses} */
  List<RdmaRequest> remove(RdmaListener old) {
    List<RdmaRequest> waiting = new ArrayList<>();
    for (Map.Entry<Long, Service> each : List.copyOf(byId.entrySet())) {
      Service service = each.getValue();
      if (service.remove(old)) {
        waiting.addAll(service.of(old));
        drop(each.getKey(), service);
      }
    }
    return waiting;
  }

  /** {@return all listeners} */
  List<RdmaListener> listeners() {
    return byId.values().stream().flatMap(s -> s.listeners().stream()).toList();
  }

  /** Lets each service listen where it can now. */
  void attach() {
    byId.values().forEach(this::attach);
  }

  private void attach(Service service) {
    try {
      service.attach(sites);
    } catch (IbException e) {
      LOG.warn("{} cannot listen everywhere", name, e);
    }
  }

  /** {@return the listeners for a list} */
  List<CmId> ids() {
    return byId.values().stream().flatMap(s -> s.ids(name).stream()).toList();
  }

  /** Ports go. */
  void gone(List<Site> its) {
    byId.values().forEach(s -> its.forEach(s::gone));
  }
}
