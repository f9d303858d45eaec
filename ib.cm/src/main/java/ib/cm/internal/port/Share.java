package ib.cm.internal.port;

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
import ib.cm.internal.link.Fences;
import ib.cm.internal.machine.Connection;
import ib.cm.internal.machine.DatagramListener;
import ib.cm.internal.machine.Datagrams;
import ib.cm.internal.machine.Listener;
import ib.cm.internal.machine.Query;
import ib.cm.internal.machine.Station;
import ib.core.serial.Mailbox;
import ib.core.serial.Place;
import ib.core.verbs.IbDisassociatedException;
import ib.core.verbs.QpType;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.Predicate;

/** One user's share of a port. The port's lock guards the fields. */
final class Share implements CmPort {
  /** Where callbacks run. */
  static final Place CALLBACKS = Place.virtual("ib-cm-");

  final LivePort port;
  private final Notes notes;
  private final Map<Connection, LiveConnection> connections = new HashMap<>();
  private final Set<Listener> listeners = new HashSet<>();
  private final Map<LiveQuery, Query> queries = new HashMap<>();
  private final Map<LiveService, DatagramListener> services = new HashMap<>(); // until unheard
  private boolean closed;

  Share(LivePort port, Notes notes) {
    this.port = port;
    this.notes = notes;
  }

  /** Enters the end of a connection in the book, but not where this share is closed by its user. */
  void ended(Connection c, CmEvent.Ended end) {
    if (end.how() != CmEnd.REMOVED || port.goes()) {
      notes.ended(c, end);
    }
  }

  private void opened(String what) {
    if (closed) {
      throw new IbDisassociatedException(what, "the share of the port is closed", "open another");
    }
  }

  private Consumer<CmEvent> ears(Connection c, CmHandler handler) {
    LiveConnection live = new LiveConnection(this, c, handler);
    connections.put(c, live);
    return live::offer;
  }

  @Override
  public CmConnection connect(
      long serviceId,
      CmPath path,
      CmEndpoint mine,
      CmTerms terms,
      byte[] privateData,
      CmHandler handler) {
    port.serves("connect", Set.of(mine.type()));
    return port.make(
        s -> {
          opened("connect");
          Connection c =
              s.connect(serviceId, path, mine, terms, privateData, made -> ears(made, handler));
          return live(c);
        });
  }

  private LiveConnection live(Connection c) {
    LiveConnection live = connections.get(c);
    if (live == null) {
      throw new IllegalStateException(c + " has no handler");
    }
    return live;
  }

  @Override
  public Set<QpType> types() {
    return port.types();
  }

  @Override
  public CmListener listen(
      long serviceId,
      Set<QpType> types,
      Predicate<InetAddress> wanted,
      int backlog,
      CmHandler handler) {
    port.serves("listen", types);
    return port.make(
        s -> {
          opened("listen");
          Listener l = s.listen(serviceId, types, backlog, made -> ears(made, handler));
          listeners.add(l);
          return new LiveListener(
              l.serviceId(), n -> port.run(x -> l.backlog(n)), () -> port.run(x -> end(x, l)));
        });
  }

  private void end(Station s, Listener old) {
    listeners.remove(old);
    s.unlisten(old);
  }

  private void withdraw(LiveService live, DatagramListener old) {
    port.run(s -> s.datagrams().withdraw(old));
    live.offer(() -> port.run(s -> services.remove(live))); // behind what its handler hears
  }

  /** A listener that the station holds. */
  private record LiveListener(long serviceId, IntConsumer limit, Runnable end)
      implements CmListener {
    @Override
    public void backlog(int requests) {
      limit.accept(requests);
    }

    @Override
    public void close() {
      end.run();
    }
  }

  @Override
  public CompletableFuture<CmDatagram> resolve(
      long serviceId, CmPath path, CmTerms terms, byte[] privateData) {
    LiveQuery live = new LiveQuery(serviceId, old -> port.run(s -> queries.remove(old)), notes);
    port.run(
        s -> {
          opened("resolve");
          Datagrams d = s.datagrams();
          queries.put(live, d.resolve(serviceId, path, terms, privateData, live::offer));
        });
    CompletableFuture<CmDatagram> future = live.future;
    future.whenComplete(
        (answer, why) -> {
          if (why instanceof CancellationException) {
            port.run(s -> giveUp(s, live));
          }
        });
    return future;
  }

  private void giveUp(Station s, LiveQuery live) {
    Query q = queries.get(live);
    if (q != null) {
      s.datagrams().end(q, CmEnd.CLOSED);
    }
  }

  @Override
  public CmListener serve(long serviceId, int backlog, Consumer<CmDatagramRequest> handler) {
    LiveService live = new LiveService(port, handler);
    return port.make(
        s -> {
          opened("serve");
          DatagramListener l = s.datagrams().serve(serviceId, backlog, live::take);
          services.put(live, l);
          return new LiveListener(
              serviceId, n -> port.run(x -> l.backlog(n)), () -> withdraw(live, l));
        });
  }

  @Override
  public Map<String, Long> counters() {
    return port.make(s -> s.counters());
  }

  /** The handler has heard that the connection is released. */
  void gone(LiveConnection live) {
    port.run(s -> connections.remove(live.connection));
  }

  @Override
  public void close() {
    List<Mailbox<?>> left =
        port.make(
            s -> {
              closed = true;
              List.copyOf(connections.keySet()).forEach(s::remove);
              List.copyOf(listeners).forEach(s::unlisten);
              listeners.clear();
              services.values().forEach(s.datagrams()::withdraw);
              List<Mailbox<?>> all = new ArrayList<>(connections.values());
              all.addAll(queries.keySet());
              all.addAll(services.keySet());
              List.copyOf(queries.values()).forEach(q -> s.datagrams().end(q, CmEnd.REMOVED));
              services.clear();
              return all;
            });
    Fences.await(left, port.waits(), "a share of " + port);
    port.left(this);
  }
}
