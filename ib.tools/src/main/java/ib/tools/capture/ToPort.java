package ib.tools.capture;

import ib.core.spi.PacketCapture;
import ib.core.spi.PacketCapture.Filter;
import ib.core.spi.PacketCapture.Session;
import ib.tools.getopt.CommandException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A capture for readers on this host, one after another. Each reader gets a stream that begins when
 * the reader connects: {@code wireshark -k -i TCP@127.0.0.1:PORT}. The capture's own thread accepts
 * readers; any thread may call the methods of {@link Target}.
 */
final class ToPort implements Target, Runnable {
  private static final int WAITING_MAX = 16;
  private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(50); // after a failure
  private static final long CLOSE_MS = 5_000;
  private static final String WAITING = "waiting for a reader";

  private final PacketCapture capture;
  private final Filter filter;
  private final ServerSocketChannel server;
  private final InetSocketAddress address;
  private final Thread thread;
  private final AtomicLong refused = new AtomicLong();
  private volatile @Nullable Session session;
  private volatile String state = WAITING;
  private int failures; // used by the thread only
  private volatile boolean closed;

  private ToPort(PacketCapture capture, Filter filter, ServerSocketChannel server)
      throws IOException {
    this.capture = capture;
    this.filter = filter;
    this.server = server;
    this.address = (InetSocketAddress) server.getLocalAddress();
    this.thread =
        Thread.ofPlatform().name("ib-capture-" + address.getPort()).daemon().unstarted(this);
  }

  /** Listens on a port of the loopback address; port 0 stands for a free port. */
  static ToPort open(PacketCapture capture, int port, Filter filter) {
    try {
      ServerSocketChannel server = ServerSocketChannel.open();
      server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), WAITING_MAX);
      ToPort target = new ToPort(capture, filter, server);
      target.thread.start();
      return target;
    } catch (IOException e) {
      throw new CommandException("ib:capture: cannot listen on TCP port " + port, e);
    }
  }

  int port() {
    return address.getPort();
  }

  @Override
  public void run() {
    while (server.isOpen()) {
      try {
        serve(server.accept());
      } catch (Throwable e) { // one reader's failure, or no memory: the next reader is served
        failures++;
        state = WAITING + "; " + failures + " failed, the last one: " + e.getMessage();
        LockSupport.parkNanos(this, PAUSE_NS);
      }
    }
    state = "ended";
  }

  private void serve(SocketChannel reader) throws IOException {
    Session started;
    try {
      started = capture.start(reader, filter);
    } catch (RuntimeException | Error e) {
      reader.close();
      throw e;
    }
    session = started;
    state = "running";
    if (!closed) {
      awaitEnd(reader);
    }
    started.close();
    state = WAITING;
  }

  /**
   * Waits until the reader hangs up, or its session ends, which closes the connection. A peer that
   * sends a byte is no reader, and is counted as refused.
   */
  private void awaitEnd(SocketChannel reader) {
    try {
      if (reader.read(ByteBuffer.allocate(1)) > 0) {
        refused.incrementAndGet();
      }
    } catch (IOException e) {
      state = "ending: " + e.getMessage();
    }
  }

  @Override
  public String device() {
    return capture.device();
  }

  @Override
  public String where() {
    return "TCP@" + address.getAddress().getHostAddress() + ":" + address.getPort();
  }

  @Override
  public String state() {
    long strangers = refused.get();
    return strangers == 0 ? state : state + ", " + strangers + " refused";
  }

  @Override
  public long written() {
    Session s = session;
    return s == null ? 0 : s.written();
  }

  @Override
  public long dropped() {
    Session s = session;
    return s == null ? 0 : s.dropped();
  }

  @Override
  public void close() {
    closed = true;
    try {
      server.close();
      Session running = session;
      if (running != null) {
        running.close();
      }
      thread.join(CLOSE_MS);
    } catch (IOException e) {
      state = Captures.FAILED + e.getMessage();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
