package ib.bench.connect;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;

/**
 * TCP over loopback. A connection counts as made when a byte of the server has come, as one of RDMA
 * CM does when the server has accepted it. The client closes with a reset, so that none of its
 * ports stays in TIME_WAIT.
 */
final class TcpNet implements Net {
  private static final int BACKLOG = 4096;

  private final ServerSocketChannel ear;
  private final InetSocketAddress address;
  private final Thread server;

  TcpNet() throws IOException {
    ear = ServerSocketChannel.open();
    ear.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), BACKLOG);
    address = (InetSocketAddress) ear.getLocalAddress();
    server = Thread.ofVirtual().name("tcp-server").start(this::serve);
  }

  private void serve() {
    try {
      while (true) {
        SocketChannel come = ear.accept();
        Thread.ofVirtual().start(() -> serve(come));
      }
    } catch (IOException e) { // closed
      if (ear.isOpen()) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private static void serve(SocketChannel come) {
    try (come) {
      come.write(ByteBuffer.allocate(1));
      while (come.read(ByteBuffer.allocate(1)) >= 0) {
        Thread.onSpinWait(); // nothing is sent
      }
    } catch (IOException e) { // the client's reset
      if (come.isOpen()) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @Override
  public String name() {
    return "TCP, loopback";
  }

  @Override
  public Making begin() {
    FutureTask<Made> made = new FutureTask<>((Callable<Made>) this::connect);
    Thread.ofVirtual().start(made);
    return made::get;
  }

  private Made connect() throws IOException {
    SocketChannel mine = SocketChannel.open(address);
    if (mine.read(ByteBuffer.allocate(1)) != 1) {
      throw new IOException("the server has closed the connection");
    }
    mine.setOption(StandardSocketOptions.SO_LINGER, 0);
    return new Made() {
      @Override
      public void disconnect() throws IOException {
        mine.close();
      }

      @Override
      public void close() {}
    };
  }

  @Override
  public void close() throws InterruptedException {
    try {
      ear.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.join();
  }
}
