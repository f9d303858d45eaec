package ib.cm.stream;

import ib.cm.rdma.RdmaAddressException;
import ib.cm.rdma.RdmaCm;
import ib.cm.rdma.RdmaConnection;
import ib.cm.rdma.RdmaRejectedException;
import ib.core.verbs.AnyContext;
import ib.core.verbs.IbDisassociatedException;
import ib.core.verbs.IbException;
import ib.core.verbs.IbExistsException;
import ib.core.verbs.IbNoDeviceException;
import ib.core.verbs.IbTimedOutException;
import ib.core.verbs.MaySleep;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousByteChannel;
import java.nio.channels.ByteChannel;
import java.nio.channels.Channels;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A stream of bytes in both directions over a reliable connection. Every byte arrives once and in
 * order, or the stream fails. It is used as a {@link java.nio.channels.SocketChannel}, with its
 * exceptions, and always blocks; on virtual threads without a carrier.
 *
 * <pre>{@code
 * try (RdmaStream s = RdmaStream.connect(cm, new InetSocketAddress("10.77.0.2", 7471), StreamOptions.defaults())) {
 *   s.write(StandardCharsets.UTF_8.encode("hello"));
 *   s.shutdownOutput();
 *   s.inputStream().transferTo(System.out);
 * }
 * }</pre>
 *
 * <p>Any thread may call; one thread reads at a time, and one writes. A thread that is interrupted
 * closes the stream, as that of a {@code SocketChannel} does. What was written is on its way when
 * {@code write} returns; {@link #close} waits until the peer has it.
 */
public final class RdmaStream implements ByteChannel {
  private final StreamEnd end;
  private final RdmaConnection connection;
  private final ReentrantLock reading = new ReentrantLock();
  private final ReentrantLock writing = new ReentrantLock();
  private final AtomicBoolean closed = new AtomicBoolean();
  private final AsynchronousView view = new AsynchronousView(this);
  private volatile boolean outputClosed;

  RdmaStream(StreamEnd end, RdmaConnection connection) {
    this.end = end;
    this.connection = connection;
  }

  /**
   * Connects, and waits for the peer.
   *
   * @param cm makes the connection
   * @param to address and port
   * @param options sizes and times
   * @return the stream; the caller closes it
   * @throws ConnectException when nothing listens there, or the peer refuses
   * @throws NoRouteToHostException when no device reaches the address, or it is unknown
   * @throws SocketTimeoutException when the peer does not answer in time ({@link
   *     StreamOptions#connectTimeout}, 30 s), be it that no program accepts there
   * @throws BindException when the local port is in use
   * @throws SocketException when the {@link RdmaCm} is closed or the device goes, also meanwhile
   * @throws ClosedByInterruptException after an interrupt
   * @throws IOException when the peer is no stream, or the queue pair cannot be made
   */
  @MaySleep
  public static RdmaStream connect(RdmaCm cm, InetSocketAddress to, StreamOptions options)
      throws IOException {
    StreamEnd end = new StreamEnd(options, new StreamQueue(options));
    RdmaConnection made = start(cm, to, options, end);
    boolean done = false;
    try {
      made.established().get();
      end.begin(made, StreamTerms.of(made.data()));
      done = true;
      return new RdmaStream(end, made);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IbException why ? socketError(why) : new IOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ClosedByInterruptException();
    } finally {
      if (!done) {
        made.close();
      }
    }
  }

  private static RdmaConnection start(
      RdmaCm cm, InetSocketAddress to, StreamOptions options, StreamEnd end) throws IOException {
    try {
      return cm.start(to, options.connection(), end, end);
    } catch (IbException e) {
      throw socketError(e);
    }
  }

  private static IOException socketError(IbException why) {
    String text = String.valueOf(why.getMessage());
    IOException as =
        switch (why) {
          case RdmaRejectedException e -> new ConnectException("Connection refused: " + text);
          case IbTimedOutException e -> new SocketTimeoutException("Connect timed out: " + text);
          case RdmaAddressException e -> new NoRouteToHostException(text);
          case IbNoDeviceException e -> new NoRouteToHostException(text);
          case IbExistsException e -> new BindException(text);
          case IbDisassociatedException e -> new SocketException("Closed: " + text);
          default -> new IOException(text);
        };
    as.initCause(why);
    return as;
  }

  /**
   * Reads, and waits for the first byte.
   *
   * @param into takes at most its remaining bytes
   * @return how many bytes; 0 only for a full buffer; -1 when the peer writes no more
   * @throws ClosedChannelException when this stream is closed, also by another thread meanwhile
   * @throws SocketException when the connection has failed, or the device goes
   */
  @Override
  @MaySleep
  public int read(ByteBuffer into) throws IOException {
    enter(reading);
    try {
      goingOn();
      return into.hasRemaining() ? end.read(into) : 0;
    } catch (ClosedByInterruptException e) {
      close();
      throw e;
    } finally {
      reading.unlock();
    }
  }

  /**
   * Writes all of a buffer, and waits until there is space for it.
   *
   * @param from the bytes
   * @return how many bytes it had
   * @throws ClosedChannelException when this stream or its output is closed
   * @throws SocketException when the peer has closed, the connection has failed, or the device
   *     goes; some of the bytes may have arrived
   */
  @Override
  @MaySleep
  public int write(ByteBuffer from) throws IOException {
    int all = from.remaining();
    send(Bytes.inOrder(from));
    return all;
  }

  private void send(Message message) throws IOException {
    enter(writing);
    try {
      goingOn();
      if (outputClosed) {
        throw new ClosedChannelException();
      }
      end.send(message);
    } catch (ClosedByInterruptException e) {
      close();
      throw e;
    } finally {
      writing.unlock();
    }
  }

  /**
   * Lets the peer write into memory of this side, without a message to read: with {@link
   * #writeDirect}, or rsockets' {@code riowrite}. Which bytes it has written, the peer has to say,
   * or the bytes themselves; a message that it writes afterwards comes afterwards. What this side
   * writes later, the peer reads when it knows of the region. Waits until the peer can hear of it.
   *
   * @param memory native memory, which stays this side's
   * @param offset by which the peer names the first byte, 0 or more; regions must not overlap
   * @return close it to take the memory back
   * @throws ClosedChannelException when this stream or its output is closed
   * @throws IOException when the peer has no space for another region ({@link
   *     StreamOptions#regions}), or the connection has failed
   */
  @MaySleep
  public DirectRegion map(MemorySegment memory, long offset) throws IOException {
    Offer offer = new Offer(end.queue, memory, offset);
    send(offer);
    return new DirectRegion(end, offer.index(), offset);
  }

  /**
   * Writes all of a buffer into a region of the peer. The bytes come in their order, also among
   * those of {@link #write}; the peer hears nothing of them.
   *
   * @param from the bytes
   * @param offset where to, by the peer's {@link #map}
   * @return how many bytes it had
   * @throws ClosedChannelException when this stream or its output is closed
   * @throws IOException when the peer has mapped no region there, or the connection has failed;
   *     some of the bytes may have arrived
   */
  @MaySleep
  public int writeDirect(ByteBuffer from, long offset) throws IOException {
    int all = from.remaining();
    send(Bytes.direct(from, offset));
    return all;
  }

  /**
   * Ends the output: the peer reads what was written, and then the end of the stream. This side can
   * still read.
   *
   * @throws IOException as {@link #write}
   */
  @MaySleep
  public void shutdownOutput() throws IOException {
    enter(writing);
    try {
      goingOn();
      if (!outputClosed) {
        end.shutdownOutput();
        outputClosed = true;
      }
    } catch (ClosedByInterruptException e) {
      close();
      throw e;
    } finally {
      writing.unlock();
    }
  }

  /** Waits for its turn; a thread that is interrupted meanwhile closes the stream. */
  private void enter(ReentrantLock direction) throws ClosedByInterruptException {
    try {
      direction.lockInterruptibly();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      close();
      throw new ClosedByInterruptException();
    }
  }

  private void goingOn() throws ClosedChannelException {
    if (closed.get()) {
      throw new ClosedChannelException();
    }
  }

  /**
   * Closes the stream. Waits until the peer has what was written, at most {@link
   * StreamOptions#closeTimeout}. Threads that read or write get an {@link
   * java.nio.channels.AsynchronousCloseException}.
   */
  @Override
  @MaySleep
  public void close() {
    if (closed.compareAndSet(false, true)) {
      end.close();
    }
  }

  /** {@return whether {@link #close} has not been called} */
  @Override
  @AnyContext
  public boolean isOpen() {
    return !closed.get();
  }

  /**
   * {@return whether the connection is there: no side has closed it, and it has not failed} What
   * has come before its end can still be read.
   */
  @AnyContext
  public boolean isConnected() {
    return !end.isOver();
  }

  /** {@return the input as a stream; closing it closes this} */
  public InputStream inputStream() {
    return Channels.newInputStream(this);
  }

  /** {@return the output as a stream, without a buffer; closing it closes this} */
  public OutputStream outputStream() {
    return Channels.newOutputStream(this);
  }

  /**
   * {@return the stream as a channel whose reads and writes do not block their callers} One read
   * and one write may be pending at a time; they run, and handlers are called, on virtual threads.
   * A write ends when all bytes of its buffer are on their way. A future that is cancelled with an
   * interrupt closes the stream. Its close is that of the stream.
   */
  @AnyContext
  public AsynchronousByteChannel asynchronous() {
    return view;
  }

  /** {@return address and port of this side} */
  @AnyContext
  public InetSocketAddress localAddress() {
    return connection.localAddress();
  }

  /** {@return address and port of the other side} */
  @AnyContext
  public InetSocketAddress remoteAddress() {
    return connection.remoteAddress();
  }

  @Override
  public String toString() {
    return "stream: " + connection;
  }
}
