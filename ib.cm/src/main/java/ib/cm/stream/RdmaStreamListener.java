package ib.cm.stream;

import ib.cm.rdma.PortSpace;
import ib.cm.rdma.RdmaCm;
import ib.cm.rdma.RdmaConnection;
import ib.cm.rdma.RdmaListener;
import ib.cm.rdma.RdmaRequest;
import ib.core.verbs.AnyContext;
import ib.core.verbs.IbException;
import ib.core.verbs.MaySleep;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Accepts streams. A peer that connects and is no stream is rejected, and does not disturb. Any
 * thread may call.
 */
public final class RdmaStreamListener implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RdmaStreamListener.class);
  private static final byte[] NONE = {};

  private final StreamOptions options;
  private final BlockingQueue<Optional<RdmaRequest>> requests = new LinkedBlockingQueue<>();
  private volatile @Nullable RdmaListener listener; // written before this is given away
  private volatile boolean closed;

  private RdmaStreamListener(StreamOptions options) {
    this.options = options;
  }

  /**
   * Listens.
   *
   * @param cm makes the connections
   * @param at address and port; the wildcard address for all devices; port 0 for any free one
   * @param backlog how many peers may wait for {@link #accept}, at each port of a device; 0 for
   *     1,024
   * @param options sizes of each stream
   * @return the listener; the caller closes it
   * @throws BindException when the port is in use, or no device has the address
   */
  @MaySleep
  public static RdmaStreamListener listen(
      RdmaCm cm, InetSocketAddress at, int backlog, StreamOptions options) throws BindException {
    RdmaStreamListener made = new RdmaStreamListener(options);
    try {
      RdmaListener listener = cm.listen(at, PortSpace.TCP, backlog, made::asked);
      made.listener = listener;
      listener.closed().thenRun(made::end);
      return made;
    } catch (IbException e) {
      BindException as = new BindException(e.getMessage());
      as.initCause(e);
      throw as;
    }
  }

  /** A peer asks; what others have asked that have given up is not kept: the backlog bounds all. */
  private void asked(RdmaRequest request) {
    requests.removeIf(r -> r.isPresent() && !r.get().isWaiting());
    requests.add(Optional.of(request));
  }

  /** {@return requests that are kept for {@link #accept}} */
  List<RdmaRequest> waiting() {
    return requests.stream().flatMap(Optional::stream).toList();
  }

  private void end() {
    closed = true;
    requests.add(Optional.empty());
  }

  /**
   * Waits for the next peer.
   *
   * @return its stream; the caller closes it, also after the listener
   * @throws ClosedChannelException when this listener or its {@link RdmaCm} is closed, also by
   *     another thread meanwhile
   * @throws ClosedByInterruptException after an interrupt, which closes this listener
   */
  @MaySleep
  public RdmaStream accept() throws IOException {
    if (closed) {
      throw new ClosedChannelException();
    }
    try {
      while (true) {
        RdmaRequest request = requests.take().orElse(null);
        if (request == null) {
          requests.add(Optional.empty()); // for the other threads that wait
          throw new AsynchronousCloseException();
        }
        RdmaStream made = accept(request);
        if (made != null) {
          return made;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      close();
      throw new ClosedByInterruptException();
    }
  }

  /** Accepts a peer; {@return null when it is no stream, or has gone} */
  private @Nullable RdmaStream accept(RdmaRequest request) {
    StreamEnd end = new StreamEnd(options, new StreamQueue(options));
    try {
      StreamTerms terms = StreamTerms.of(request.data());
      RdmaConnection made = request.accept(options.connection(), end, end);
      end.begin(made, terms);
      return new RdmaStream(end, made);
    } catch (ProtocolException e) {
      LOG.debug("{} is rejected", request, e);
      request.reject(NONE);
    } catch (IbException e) {
      LOG.debug("{} is not accepted", request, e);
    }
    return null;
  }

  /** {@return address and port} */
  @AnyContext
  public InetSocketAddress localAddress() {
    return given().localAddress();
  }

  private RdmaListener given() {
    RdmaListener made = listener;
    if (made == null) {
      throw new IllegalStateException("not listening");
    }
    return made;
  }

  /** Listens no more. Peers that wait are rejected; accepted streams go on. */
  @Override
  @MaySleep
  public void close() {
    given().close();
  }
}
