package ib.cm.rdma;

import ib.core.client.IbClient;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbEvent;
import ib.core.verbs.IbEventHandler;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The devices of one program, as they come and go: a client of the core. Services listen at a
 * device that has come; connections of a device that goes end and are closed, and services stay for
 * the next one (API-6).
 */
final class Sites implements IbClient {
  private static final Logger LOG = LoggerFactory.getLogger(Sites.class);

  /** The ports of a device, and the handler of its events. */
  private record Added(List<Site> sites, IbEventHandler events) {}

  private final List<Site> sites;
  private final Connections connections;
  private final Services services;
  private final Routes routes;
  private final Turns turns;

  /**
   * Creates it, without a device.
   *
   * @param sites has the ports there are; changed under the lock of the connections
   */
  Sites(List<Site> sites, Connections connections, Services services, Routes routes) {
    this.sites = sites;
    this.connections = connections;
    this.services = services;
    this.routes = routes;
    this.turns = new Turns(2, connections::graph);
  }

  @Override
  public String name() {
    return connections.program;
  }

  @Override
  public Object add(IbDevice device) {
    connections.seen(device);
    List<Site> its = Site.openAll(device, connections.cm, name());
    IbEventHandler events =
        new IbEventHandler(device) {
          @Override
          public void handle(IbEvent event) {
            if (routes.changed(event.type())) {
              turns.offer(Sites.this::attach); // one that waits is enough
            }
          }
        };
    device.registerEventHandler(events);
    sites.addAll(its);
    attach();
    return new Added(its, events);
  }

  /** Lets each service listen where it can now. */
  private void attach() {
    connections.locked(services::attach);
  }

  @Override
  public void remove(IbDevice device, @Nullable Object clientData) {
    if (clientData instanceof Added added) {
      device.unregisterEventHandler(added.events);
      gone(device, added.sites);
    }
  }

  private void gone(IbDevice device, List<Site> its) {
    List<RdmaConnection> mine =
        connections.locked(
            () -> {
              sites.removeAll(its);
              services.gone(its);
              return connections.of(device);
            });
    mine.reversed().forEach(RdmaConnection::removed);
    its.forEach(Site::close);
    if (!mine.isEmpty()) {
      LOG.info("{} goes, and {} connections of {} end with it", device, mine.size(), name());
    }
    RdmaConnection.closeAll(mine.reversed());
  }
}
