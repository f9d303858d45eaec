package ib.cm.rdma;

import ib.cm.CmConnection;
import ib.cm.CmDatagram;
import ib.cm.CmEndpoint;
import ib.cm.CmHandler;
import ib.core.verbs.IbInvalidException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The messages that a connection exchanges with its peer: those of a {@link CmConnection}, or a
 * question for a datagram service and its answer. It begins once, under the connection's lock; any
 * thread may end it.
 */
final class Exchange {
  private final RdmaOptions options;
  private final AtomicBoolean dataSeen = new AtomicBoolean();
  private volatile @Nullable CmConnection cm;
  private volatile @Nullable CompletableFuture<CmDatagram> question;
  private volatile @Nullable RdmaDestination destination;

  Exchange(RdmaOptions options) {
    this.options = options;
  }

  /** Asks for a connection. */
  void connect(Routes.Route route, long service, CmEndpoint mine, byte[] data, CmHandler handler) {
    cm = route.site().cm().connect(service, route.path(), mine, options.terms(), data, handler);
  }

  /**
   * Asks for a datagram service.
   *
   * @param ears hear the answer's private data, or why there is none
   */
  void resolve(
      Routes.Route route,
      long service,
      byte[] data,
      BiConsumer<byte @Nullable [], @Nullable Throwable> ears) {
    CompletableFuture<CmDatagram> asked =
        route.site().cm().resolve(service, route.path(), options.terms(), data);
    question = asked;
    asked.whenComplete(
        (answer, why) -> {
          if (answer != null) {
            destination = new RdmaDestination(route.path().way(), answer.qpn(), answer.qkey());
          }
          ears.accept(answer == null ? null : answer.privateData(), why);
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
    CmConnection made = cm;
    if (made != null) {
      made.end();
    }
    return made != null;
  }
}
