package ib.tools.perftest;

import ib.cm.CmTerms;
import ib.cm.CmUnresolvedException;
import ib.cm.rdma.PortSpace;
import ib.cm.rdma.QpFactory;
import ib.cm.rdma.RdmaCm;
import ib.cm.rdma.RdmaConnection;
import ib.cm.rdma.RdmaDestination;
import ib.cm.rdma.RdmaEnd;
import ib.cm.rdma.RdmaHandler;
import ib.cm.rdma.RdmaOptions;
import ib.cm.rdma.RdmaRejectedException;
import ib.cm.rdma.RdmaRequest;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbException;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import ib.tools.getopt.CommandException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The queue pairs under test of a run with {@code -R}, and a connection by address for each. The
 * server makes its listener after the exchange that lets the client connect, so the first request
 * may find nothing listening: as the original, a client asks ten times. For the run's thread, but
 * for the callbacks.
 */
final class Pairs implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Pairs.class);
  private static final int MAX_TRIES = 10;
  private static final long PAUSE_MS = 100;
  private static final int NOTHING_LISTENS = 8; // IBA table 108
  private static final int NO_SERVICE = 1; // the same for datagrams, IBA 12.11.2
  private static final int NUMBER_BYTES = 4; // of a datagram that says a queue pair number
  private static final long LOOK_MS = 200;
  private static final int LOOK_LOOPS = 1 << 12;

  private final PerftestOptions options;
  private final Side side;
  private final IbDevice device;
  private final Runnable stop;
  private final List<RdmaConnection> made = new ArrayList<>();

  Pairs(PerftestOptions options, Side side, IbDevice device, Runnable stop) {
    this.options = options;
    this.side = side;
    this.device = device;
    this.stop = stop;
  }

  private RdmaOptions terms() {
    boolean datagrams = options.type() == QpType.UD;
    CmTerms usual = RdmaOptions.rc().terms();
    CmTerms terms =
        new CmTerms(
            usual.retryCount(),
            options.timeout(),
            usual.responseTimeout(),
            usual.maxRetries(),
            usual.deadlineMs());
    int reads = options.tool().verb.answered() ? side.outstanding() : 0;
    return RdmaOptions.rc()
        .space(datagrams ? PortSpace.UDP : PortSpace.TCP)
        .reads(reads, reads)
        .terms(terms)
        .trafficClass(options.cm().trafficClass());
  }

  /** Whether the server sends to queue pairs of type UD, whose numbers it has to learn. */
  private boolean told() {
    return options.type() == QpType.UD && (options.duplex() || !options.tool().bandwidth());
  }

  /** Connects all to the server. */
  void connect(RdmaCm cm, InetSocketAddress to) {
    for (int i = 0; i < options.queuePairs(); i++) {
      RdmaConnection connection = connect(cm, to, 1);
      side.take(connection.qp());
      if (options.type() == QpType.UD) {
        RdmaDestination peer = connection.destination();
        side.aim(peer.way(), peer.qpn(), peer.qkey());
        if (told()) {
          tell(i, connection.qp());
        }
      }
    }
  }

  private RdmaConnection connect(RdmaCm cm, InetSocketAddress to, int attempt) {
    RdmaConnection connection = cm.start(to, terms(), maker(), RdmaHandler.NONE);
    made.add(connection);
    IbException refused = await(connection);
    if (refused == null) {
      return connection;
    }
    boolean early =
        refused instanceof RdmaRejectedException e && e.reason() == NOTHING_LISTENS
            || refused instanceof CmUnresolvedException u && u.status() == NO_SERVICE;
    if (!early || attempt == MAX_TRIES) {
      throw refused;
    }
    made.remove(connection);
    connection.close();
    stop.run();
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(PAUSE_MS));
    return connect(cm, to, attempt + 1);
  }

  /** Accepts all from the client; rejects what others ask for. */
  void accept(Supplier<RdmaRequest> requests, InetAddress client) {
    while (made.size() < options.queuePairs()) {
      RdmaRequest request = requests.get();
      if (!request.remoteAddress().getAddress().equals(client)) {
        request.reject(new byte[0]);
        continue;
      }
      RdmaConnection connection = request.accept(terms(), maker(), RdmaHandler.NONE);
      made.add(connection);
      IbException failed = await(connection);
      if (failed != null) {
        throw failed;
      }
      side.take(connection.qp());
      if (told()) {
        side.aimBack(take(side.recvCq), PortSpace.DATAGRAM_QKEY);
      }
    }
  }

  /** {@return why the connection was not made; null when it is open} */
  private @Nullable IbException await(RdmaConnection connection) {
    while (!connection.isOpen()) {
      try {
        connection.established().get(LOOK_MS, TimeUnit.MILLISECONDS);
      } catch (TimeoutException e) {
        stop.run();
      } catch (ExecutionException e) {
        if (e.getCause() instanceof IbException why) {
          return why;
        }
        throw new IllegalStateException(e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        stop.run(); // throws
      }
    }
    return null;
  }

  /** Makes a queue pair for the connection that is begun now, on a thread of the connection's. */
  private QpFactory maker() {
    int i = made.size();
    boolean hears = told() && options.server();
    return new QpFactory() {
      @Override
      public QueuePair make(IbDevice at, int port) {
        if (!at.equals(device)) {
          throw new IbInvalidException(
              options.tool().program(),
              "the queue pairs under test meet the peer at " + at.name() + ", not " + device.name(),
              "one address at both ends");
        }
        return side.newQp();
      }

      @Override
      public void initialized(QueuePair qp) {
        if (hears) {
          side.postReceive(qp, i, NUMBER_BYTES);
        }
      }
    };
  }

  /** Tells the server the number of a queue pair of type UD. */
  private void tell(int i, QueuePair qp) {
    Side.Peer peer = Objects.requireNonNull(side.peer(i), "it was aimed");
    qp.wrStart();
    qp.wrId(i).wrFlags(SendFlags.SIGNALED).wrSendImm(qp.qpn());
    qp.wrSetUdAddress(peer.ah(), peer.qpn(), peer.qkey());
    qp.wrSetSge(side.region.lkey(), side.region.iova() + side.sendOffset(i), NUMBER_BYTES);
    int rc = qp.wrComplete();
    if (rc != PostStatus.OK) {
      throw new CommandException("Failed to send UD connection parameters: " + rc);
    }
    take(side.sendCq);
  }

  /** Waits for a completion. */
  private WorkCompletion take(CompletionQueue queue) {
    WorkCompletion[] one = {new WorkCompletion()};
    for (int loops = 1; queue.poll(one, 1) == 0; loops++) {
      if (loops % LOOK_LOOPS == 0) {
        stop.run();
        Thread.yield();
      }
    }
    if (one[0].status() != WcStatus.SUCCESS) {
      throw new CommandException(
          "Bad WQE status when trying to exchange UD connection parameters: " + one[0].status());
    }
    return one[0];
  }

  /** {@return why a connection has ended; empty while all are open} */
  Optional<RdmaEnd> end() {
    for (RdmaConnection one : made) {
      try {
        if (!one.isOpen()) {
          return Optional.of(one.ended().get(LOOK_MS, TimeUnit.MILLISECONDS));
        }
      } catch (TimeoutException | ExecutionException e) {
        LOG.debug("{} is not open, and has not ended", one, e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    return Optional.empty();
  }

  /** Disconnects all, and destroys the queue pairs. */
  @Override
  public void close() {
    made.forEach(RdmaConnection::close);
  }
}
