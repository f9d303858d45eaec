package ib.driver.verbs.cm;

import ib.core.cm.ConnectorArrival;
import ib.core.cm.ConnectorAttempt;
import ib.core.cm.ConnectorEnd;
import ib.core.cm.ConnectorEndpoint;
import ib.core.cm.ConnectorEvents;
import ib.core.cm.ConnectorLink;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The connections of a connector, and what hears of the peers that want to connect. */
final class HostLinks {
  private final HostConnector.Opened opened;
  private final Map<Long, HostLink> links = new ConcurrentHashMap<>();

  /** Those that were not accepted yet, by ID, since the kernel knows no number of ours. */
  private final Map<Integer, HostLink> children = new ConcurrentHashMap<>();

  private final Map<Long, Function<ConnectorArrival, ConnectorEvents>> listeners =
      new ConcurrentHashMap<>();

  HostLinks(HostConnector.Opened opened) {
    this.opened = opened;
  }

  /** Enters what hears of the peers at a listener, by the listener's number. */
  void enter(long listener, Function<ConnectorArrival, ConnectorEvents> arrivals) {
    listeners.put(listener, arrivals);
  }

  /** Forgets a listener; {@return whether it was one of connections} */
  boolean remove(long listener) {
    return listeners.remove(listener) != null;
  }

  /** {@return the connection of an event; null when it was closed} */
  @Nullable HostLink link(long uid, int id) {
    return uid == 0 ? children.get(id) : links.get(uid);
  }

  /** Begins to connect. */
  ConnectorLink connect(ConnectorAttempt what, ConnectorEvents events) {
    long uid = opened.uid();
    HostLink link = new HostLink(opened, opened.commands.create(what.space(), uid), uid, what);
    link.heardBy(events);
    links.put(uid, link);
    boolean done = false;
    try {
      opened.check();
      if (what.trafficClass() != 0) {
        opened.commands.trafficClass(link.id, what.trafficClass());
      }
      opened.commands.ackTimeout(link.id, what.ackTimeout());
      opened.commands.resolveAddress(
          link.id, what.local(), what.remote(), opened.scope(what.local()));
      done = true;
      return link;
    } finally {
      if (!done) {
        link.close();
      }
    }
  }

  /** A peer wants to connect; for the thread. */
  void arrived(long listener, int id, ConnectorEndpoint peer, byte[] data) {
    Function<ConnectorArrival, ConnectorEvents> ear = listeners.get(listener);
    HostLink link = new HostLink(opened, id, opened.uid(), null);
    boolean taken = false;
    try {
      if (ear != null) {
        UcmCommands.Place place = opened.commands.place(id);
        UcmCommands.Steps steps = opened.commands.steps(id);
        children.put(id, link);
        links.put(link.uid, link);
        link.heardBy(
            ear.apply(
                new ConnectorArrival(
                    link,
                    place.local(),
                    place.remote(),
                    steps.way(),
                    steps.mtu(),
                    peer,
                    steps.psns(),
                    steps.retryCount(),
                    steps.ackTimeout(),
                    data)));
        taken = true;
      }
    } finally {
      if (!taken) {
        link.close(); // the kernel rejects it
      }
    }
  }

  /** Forgets a connection, and has the kernel end it. */
  void ended(HostLink link) {
    opened.commands.destroy(link.id);
    links.remove(link.uid, link);
    children.remove(link.id, link);
  }

  /** The kernel tells no more events: each connection ends. */
  void fail(int errno) {
    for (HostLink each : links.values()) {
      opened.end(each, () -> each.ended(ConnectorEnd.FAILED, errno, new byte[0]));
    }
  }
}
