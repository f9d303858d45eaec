package ib.cm.internal.link;

import ib.cm.CmDatagram;
import ib.cm.CmDatagramRequest;
import ib.cm.CmListener;
import ib.core.cm.Connector;
import ib.core.cm.ConnectorInquiry;
import ib.core.mad.cm.CmaHeader;
import ib.core.serial.Mailbox;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** The datagram services of a share, and its questions for those of others. */
final class LinkDatagrams {
  private static final int MAX_BACKLOG = 1024; // of the host's

  private final LinkPort port;
  private final Connector connector;
  private final Consumer<String> counts;
  private final Set<LinkQuery> queries = ConcurrentHashMap.newKeySet();
  private final Set<LinkService> services = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /**
   * Creates it, with none.
   *
   * @param counts counts a message by its name
   */
  LinkDatagrams(LinkPort port, Connector connector, Consumer<String> counts) {
    this.port = port;
    this.connector = connector;
    this.counts = counts;
  }

  /** Asks for the queue pair of a service; see {@link ib.cm.CmPort#resolve}. */
  CompletableFuture<CmDatagram> resolve(
      long serviceId, int trafficClass, long deadlineMs, byte[] privateData) {
    port.datagrams("resolve", serviceId);
    CmaHeader ends = CmaHeader.read(privateData);
    ConnectorInquiry inquiry =
        new ConnectorInquiry(
            port.port(),
            new InetSocketAddress(ends.source(), ends.port()),
            new InetSocketAddress(ends.destination(), LinkPort.ipPort(serviceId)),
            trafficClass,
            CmaHeader.consumer(privateData));
    LinkQuery made = new LinkQuery("resolve " + inquiry.remote(), queries::remove);
    queries.add(made);
    boolean done = false;
    try {
      CompletableFuture<CmDatagram> future =
          made.made(connector.resolve(inquiry, made), deadlineMs);
      done = true;
      counts.accept("sent.SIDR_REQ");
      if (closed) {
        made.removed(); // it was entered after the close has looked
      }
      return future;
    } finally {
      if (!done) {
        made.unmade();
        queries.remove(made);
      }
    }
  }

  /** Has a datagram service. */
  CmListener serve(
      long serviceId,
      Predicate<InetAddress> wanted,
      int backlog,
      Consumer<CmDatagramRequest> handler) {
    port.datagrams("serve", serviceId);
    LinkService made =
        new LinkService(
            serviceId,
            port,
            handler,
            self ->
                new LinkListener(
                    serviceId,
                    backlog,
                    () -> port.addresses(wanted),
                    address -> listen(address, self),
                    () -> {}),
            services::remove);
    boolean done = false;
    try {
      services.add(made);
      made.look();
      done = !closed;
    } finally {
      if (!done) {
        made.stop();
      }
    }
    return made.listener();
  }

  private ib.core.cm.ConnectorListener listen(InetAddress address, LinkService by) {
    InetSocketAddress at = new InetSocketAddress(address, LinkPort.ipPort(by.serviceId));
    return connector.serve(
        at,
        MAX_BACKLOG,
        question -> {
          counts.accept("received.SIDR_REQ");
          if (!by.asked(question)) {
            counts.accept("dropped.BACKLOG");
          }
        });
  }

  /** Ends all; {@return those whose callbacks may still run} */
  List<Mailbox<?>> close() {
    closed = true;
    List<Mailbox<?>> left = new ArrayList<>(services);
    left.addAll(queries);
    Set.copyOf(services).forEach(LinkService::stop);
    Set.copyOf(queries).forEach(LinkQuery::removed);
    return left;
  }
}
