package ib.cm.internal.link;

import ib.cm.CmConnection;
import ib.cm.CmDatagram;
import ib.cm.CmDatagramRequest;
import ib.cm.CmEnd;
import ib.cm.CmEndpoint;
import ib.cm.CmEvent;
import ib.cm.CmHandler;
import ib.cm.CmListener;
import ib.cm.CmPath;
import ib.cm.CmPort;
import ib.cm.CmTerms;
import ib.core.cm.Connector;
import ib.core.cm.ConnectorArrival;
import ib.core.cm.ConnectorAttempt;
import ib.core.cm.ConnectorEvents;
import ib.core.cm.ConnectorSpace;
import ib.core.mad.cm.CmKind;
import ib.core.mad.cm.CmaHeader;
import ib.core.serial.Mailbox;
import ib.core.serial.Waits;
import ib.core.verbs.GlobalRoute;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbDisassociatedException;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.QpType;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * One user's share of a port's connection manager where the host has it. It connects, asks and
 * listens by the service IDs of RDMA CM's port spaces, whose private data begin with the addresses.
 */
public final class LinkShare implements CmPort {
  private static final int MAX_BACKLOG = 1024;
  private static final int RESPONSE_TIMEOUT = 20; // Linux's, and its repetitions
  private static final int MAX_RETRIES = 15;

  private final LinkPort place;
  private final Connector connector;
  private final LinkDatagrams datagrams;
  private final Consumer<LinkShare> closing;
  private final Set<LinkConnection> connections = ConcurrentHashMap.newKeySet();
  private final Set<LinkListener> listeners = ConcurrentHashMap.newKeySet();
  private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();
  private final AtomicInteger numbers = new AtomicInteger();
  private volatile boolean closed;

  /**
   * Opens a share.
   *
   * @param device a handle on the device
   * @param port from 1
   * @param connector of the device
   * @param closing called when the share is closed
   */
  public LinkShare(IbDevice device, int port, Connector connector, Consumer<LinkShare> closing) {
    this.place = new LinkPort(device, port);
    this.connector = connector;
    this.datagrams = new LinkDatagrams(place, connector, this::count);
    this.closing = closing;
  }

  int number() {
    return numbers.incrementAndGet();
  }

  private void count(String what) {
    counts.computeIfAbsent(what, w -> new LongAdder()).increment();
  }

  private void opened(String what) {
    if (closed) {
      throw new IbDisassociatedException(what, "the share of the port is closed", "open another");
    }
  }

  /** Checks the private data of a question. */
  private static void check(String what, byte[] privateData) {
    if (privateData.length < CmaHeader.BYTES || CmaHeader.refusal(privateData) != null) {
      throw new IbInvalidException(what, "no addresses before the private data", "RdmaCm");
    }
  }

  @Override
  public Set<QpType> types() {
    return LinkPort.TYPES;
  }

  @Override
  public CmConnection connect(
      long serviceId,
      CmPath path,
      CmEndpoint mine,
      CmTerms terms,
      byte[] privateData,
      CmHandler handler) {
    opened("connect");
    place.serves("connect", Set.of(mine.type()));
    ConnectorSpace space = place.connections("connect", serviceId);
    check("connect", privateData);
    CmaHeader ends = CmaHeader.read(privateData);
    ConnectorAttempt attempt =
        new ConnectorAttempt(
            space,
            place.port(),
            new InetSocketAddress(ends.source(), ends.port()),
            new InetSocketAddress(ends.destination(), LinkPort.ipPort(serviceId)),
            LinkConnection.own(mine),
            terms.retryCount(),
            terms.ackTimeout(),
            trafficClass(path),
            CmaHeader.consumer(privateData));
    LinkConnection made = new LinkConnection(this, LinkConnection.State.ASKED, path.way(), handler);
    connections.add(made);
    boolean done = false;
    try {
      made.made(connector.connect(attempt, made), terms.deadlineMs());
      done = true;
    } finally {
      if (!done) {
        made.unmade();
        connections.remove(made);
      }
    }
    count("sent.REQ");
    endIfClosed(made);
    return made;
  }

  private static int trafficClass(CmPath path) {
    GlobalRoute route = path.way().grh();
    return route == null ? 0 : route.trafficClass();
  }

  /** Ends a connection that was entered after the close has looked. */
  private void endIfClosed(LinkConnection made) {
    if (closed) {
      made.over(CmEnd.REMOVED, 0, new byte[0]);
    }
  }

  @Override
  public CmListener listen(
      long serviceId,
      Set<QpType> types,
      Predicate<InetAddress> wanted,
      int backlog,
      CmHandler handler) {
    opened("listen");
    place.serves("listen", types);
    ConnectorSpace space = place.connections("listen", serviceId);
    LinkListener[] self = new LinkListener[1];
    LinkListener made =
        new LinkListener(
            serviceId,
            backlog,
            () -> place.addresses(wanted),
            address ->
                connector.listen(
                    space,
                    new InetSocketAddress(address, LinkPort.ipPort(serviceId)),
                    MAX_BACKLOG,
                    a -> arrived(serviceId, self[0], a, handler)),
            () -> withdraw(self[0]));
    self[0] = made;
    boolean done = false;
    try {
      listeners.add(made);
      made.look();
      done = !closed;
    } finally {
      if (!done) {
        made.close();
      }
    }
    opened("listen");
    return made;
  }

  /** The listener is closed: its requests that were not answered are rejected (CM-46). */
  private void withdraw(LinkListener old) {
    listeners.remove(old);
    connections.stream()
        .filter(c -> c.waits() && c.isOf(old))
        .forEach(c -> c.over(CmEnd.CLOSED, 0, new byte[0]));
  }

  private ConnectorEvents arrived(
      long serviceId, LinkListener ear, ConnectorArrival a, CmHandler handler) {
    count("received.REQ");
    LinkConnection made =
        new LinkConnection(this, LinkConnection.State.REQUESTED, a.way(), handler);
    made.psns(a.psns());
    made.of(ear);
    long waiting = connections.stream().filter(c -> c.waits() && c.isOf(ear)).count();
    made.made(a.link(), 0);
    connections.add(made);
    if (waiting >= ear.backlog()) {
      count("dropped.BACKLOG"); // the host cannot drop a request: the peer is rejected
      made.refused();
      return made;
    }
    CmaHeader ends =
        new CmaHeader(a.remote().getPort(), a.remote().getAddress(), a.local().getAddress());
    made.offer(
        new CmEvent.Requested(
            serviceId,
            place.path(a),
            LinkConnection.endpoint(a.peer(), a.psns()),
            new CmTerms(a.retryCount(), a.ackTimeout(), RESPONSE_TIMEOUT, MAX_RETRIES, 0),
            ends.before(a.data(), CmKind.REQ)));
    endIfClosed(made);
    return made;
  }

  @Override
  public CompletableFuture<CmDatagram> resolve(
      long serviceId, CmPath path, CmTerms terms, byte[] privateData) {
    opened("resolve");
    check("resolve", privateData);
    return datagrams.resolve(serviceId, trafficClass(path), terms.deadlineMs(), privateData);
  }

  @Override
  public CmListener serve(long serviceId, int backlog, Consumer<CmDatagramRequest> handler) {
    return serve(serviceId, address -> true, backlog, handler);
  }

  @Override
  public CmListener serve(
      long serviceId,
      Predicate<InetAddress> wanted,
      int backlog,
      Consumer<CmDatagramRequest> handler) {
    opened("serve");
    CmListener made = datagrams.serve(serviceId, wanted, backlog, handler);
    opened("serve");
    return made;
  }

  @Override
  public Map<String, Long> counters() {
    Map<String, Long> all = new TreeMap<>();
    counts.forEach((what, n) -> all.put(what, n.sum()));
    return all;
  }

  /** The handler has heard that the connection is released. */
  void gone(LinkConnection old) {
    connections.remove(old);
  }

  @Override
  public void close() {
    closed = true;
    closing.accept(this);
    Set.copyOf(listeners).forEach(LinkListener::close);
    Set<LinkConnection> left = Set.copyOf(connections);
    left.forEach(c -> c.over(CmEnd.REMOVED, 0, new byte[0]));
    List<Mailbox<?>> callbacks = new ArrayList<>(left);
    callbacks.addAll(datagrams.close());
    Fences.await(callbacks, Waits.of(place.device()), this);
  }

  @Override
  public String toString() {
    return place.toString();
  }
}
