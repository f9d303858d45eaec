package ib.cm.rdma;

import ib.cm.CmConnection;
import ib.cm.CmDatagram;
import ib.cm.CmEndpoint;
import ib.cm.CmHandler;
import ib.core.mad.cm.CmaHeader;
import ib.core.verbs.IbInvalidException;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The messages that a connection exchanges with its peer: those of a {@link CmConnection}, or a
 * question for a datagram service and its answer, or those with which a group is joined. It begins
 * once, under the connection's lock; any thread may end it.
 */
final class Exchange {
  private static final byte[] NONE = {};

  private final RdmaOptions options;
  private final AtomicBoolean dataSeen = new AtomicBoolean();
  private volatile @Nullable CmConnection cm;
  private volatile @Nullable CompletableFuture<CmDatagram> question;
  private volatile @Nullable RdmaDestination destination;
  private volatile @Nullable Group group;

  Exchange(RdmaOptions options) {
    this.options = options;
  }

  /**
   * Begins: asks for a connection or a datagram service, or joins a multicast group.
   *
   * @param mine this side's queue pair for the peer
   * @param data private data for the peer
   * @param by hears the answer
   */
  void begin(Routes.Route route, Identity ends, CmEndpoint mine, byte[] data, RdmaConnection by) {
    InetSocketAddress to = ends.remote();
    if (to.getAddress().isMulticastAddress()) {
      group = Group.join(route, by.qp(), d -> joined(d, by), e -> by.resolved(null, e));
      return;
    }
    PortSpace space = options.space();
    CmaHeader header = new CmaHeader(ends.local().getPort(), route.local(), to.getAddress());
    byte[] all = header.before(data, space.question());
    long service = space.serviceId(to.getPort());
    if (space.isDatagram()) {
      resolve(route, service, all, by);
    } else {
      connect(route, service, mine, all, by::heard);
    }
  }

  private void joined(RdmaDestination where, RdmaConnection by) {
    destination = where;
    by.resolved(NONE, null);
  }

  private void connect(
      Routes.Route route, long service, CmEndpoint mine, byte[] data, CmHandler handler) {
    cm = route.site().cm().connect(service, route.path(), mine, options.terms(), data, handler);
  }

  private void resolve(Routes.Route route, long service, byte[] data, RdmaConnection by) {
    CompletableFuture<CmDatagram> asked =
        route.site().cm().resolve(service, route.path(), options.terms(), data);
    question = asked;
    asked.whenComplete(
        (answer, why) -> {
          if (answer != null) {
            destination = new RdmaDestination(route.path().way(), answer.qpn(), answer.qkey());
          }
          by.resolved(answer == null ? null : answer.privateData(), why);
        });
  }

  /** Goes on with what a peer has begun; null for a question, which has its answer. */
  void accept(@Nullable CmConnection begun) {
    cm = begun;
  }

  /** {@return where datagrams go; see {@link RdmaConnection#destination}} */
  RdmaDestination destination(String what) {
    RdmaDestination known = destination;
    if (known == null) {
      throw new IbInvalidException(what, "no destination", "wait for established(), in space UDP");
    }
    return known;
  }

  /** Takes note of the first message that has arrived on the queue pair, through a task. */
  void dataArrived(Turns turns) {
    CmConnection made = cm;
    if (made != null && dataSeen.compareAndSet(false, true)) {
      turns.offer(made::dataArrived);
    }
  }

  /** Ends it; {@return whether an event will say that it has ended} */
  boolean end() {
    CompletableFuture<CmDatagram> asked = question;
    if (asked != null) {
      asked.cancel(false); // does nothing when there is an answer
    }
    Group member = group;
    if (member != null) {
      member.close();
    }
    CmConnection made = cm;
    if (made != null) {
      made.end();
    }
    return made != null;
  }
}
