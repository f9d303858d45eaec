package ib.tools.run;

import ib.tools.getopt.CommandException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** The TCP connection over which two programs meet. */
public final class Tcp {
  private static final int CONNECT_MS = 10_000;
  private static final int LOOK_MS = 200;

  private Tcp() {}

  /**
   * Goes to a server.
   *
   * @param host its name or address
   * @param port its port
   * @return the connection
   * @throws CommandException when nobody answers there
   */
  public static Socket connect(String host, int port) {
    Socket socket = new Socket();
    try {
      socket.connect(new InetSocketAddress(host, port), CONNECT_MS);
      socket.setTcpNoDelay(true);
      return socket;
    } catch (IOException | IllegalArgumentException e) {
      try {
        socket.close();
      } catch (IOException also) {
        e.addSuppressed(also);
      }
      throw new CommandException("Couldn't connect to " + host + ":" + port, e);
    }
  }

  /**
   * Waits for one client.
   *
   * @param port where
   * @param stop asked while waiting; throws to give up
   * @return the connection
   * @throws CommandException when the port is taken
   */
  public static Socket accept(int port, Runnable stop) {
    try (ServerSocketChannel server = ServerSocketChannel.open();
        Selector selector = Selector.open()) {
      server.setOption(StandardSocketOptions.SO_REUSEADDR, true);
      server.bind(new InetSocketAddress(port), 1);
      server.configureBlocking(false);
      server.register(selector, SelectionKey.OP_ACCEPT);
      while (true) {
        selector.select(LOOK_MS);
        stop.run();
        SocketChannel channel = server.accept();
        if (channel != null) {
          channel.socket().setTcpNoDelay(true);
          return channel.socket();
        }
      }
    } catch (IOException e) {
      throw new CommandException("Couldn't listen to port " + port, e);
    }
  }
}
