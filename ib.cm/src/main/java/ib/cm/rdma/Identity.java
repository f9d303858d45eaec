package ib.cm.rdma;

import ib.cm.CmClient;
import ib.cm.CmFailure;
import ib.cm.CmId;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbException;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A connection as others see it: its ends, where it is, how far it has come; for {@code rdma
 * resource} and JFR. Only the connection writes, under its lock, but for its place, which is
 * written once under the lock of {@link Connections}; any thread reads.
 */
final class Identity {
  private static final AtomicInteger NUMBERS = new AtomicInteger();

  /** The ends of the connection, as they were at the beginning. */
  private final RdmaConnection.Ends ends;

  private final PortSpace space;
  private final QpType type;
  private final int number = number();
  private final long begunNs;
  private final ConnectionEvent event = new ConnectionEvent();
  private volatile InetSocketAddress local;
  private volatile @Nullable Site site;
  private volatile long placedNs = -1;
  private volatile String state = "ADDR_RESOLVED";

  Identity(RdmaConnection.Ends ends, RdmaOptions options) {
    this.ends = ends;
    this.space = options.space();
    this.type = options.type();
    local = ends.local();
    event.begin();
    begunNs = System.nanoTime(); // the event's own time contains those that are counted from here
  }

  /** {@return a number that no connection and no listener of this process has} */
  static int number() {
    return NUMBERS.incrementAndGet();
  }

  /** The connection has its place; the caller holds the lock of {@link Connections}. */
  void place(Site by, InetSocketAddress from) {
    local = from;
    placedNs = System.nanoTime() - begunNs;
    site = by;
  }

  /** Both sides are ready. */
  void ready() {
    state = "CONNECT";
    event.ready = System.nanoTime() - begunNs;
  }

  /** The connection has ended. */
  void ended(RdmaEnd how) {
    state = how.kind() == RdmaEnd.Kind.DEVICE_REMOVAL ? "DEVICE_REMOVAL" : "DISCONNECT";
    if (event.shouldCommit()) {
      event.resolved = placedNs;
      event.what = ends.what();
      event.device = site == null ? "" : site.device().name();
      event.local = Routes.text(local);
      event.remote = Routes.text(ends.remote());
      event.space = space.toString();
      event.type = type.toString();
      event.end = how.kind().toString();
      event.status = how.status();
      event.commit();
    }
  }

  /** Enters the connection's end in the book of failures, if it is one. */
  void note(CmClient book, String owner, RdmaEnd how) {
    if (how.isFailure()) {
      IbException why = how.why();
      String device = site == null ? "" : site.device().name();
      String event = how.toString();
      book.failed(
          new CmFailure(Instant.now(), owner, device, ends.what(), event, why.why(), why.hint()));
    }
  }

  /** {@return whether both sides are ready, or were} */
  boolean isReady() {
    return event.ready >= 0;
  }

  @Nullable Site site() {
    return site;
  }

  boolean isAt(IbDevice device) {
    Site at = site;
    return at != null && at.device().equals(device);
  }

  InetSocketAddress local() {
    return local;
  }

  InetSocketAddress remote() {
    return ends.remote();
  }

  /** {@return the connection for a list; null before its device is known} */
  @Nullable CmId id(String owner, @Nullable QueuePair qp) {
    Site at = site;
    return at == null
        ? null
        : new CmId(
            number,
            at.device().name(),
            at.port(),
            owner,
            state,
            space.toString(),
            type.name(),
            qp == null ? 0 : qp.qpn(),
            local,
            ends.remote());
  }
}
