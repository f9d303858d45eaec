package ib.tools.run;

import ib.tools.getopt.CommandException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Opens and reads the TCP connection between two programs. Calls block, with a time limit. */
public final class Tcp {
  private static final int CONNECT_MS = 10_000;
  private static final int LOOK_MS = 200;
  private static final long RECORD_NS = TimeUnit.SECONDS.toNanos(10);

  private Tcp() {}

  /**
   * Connects to a server, within 10 s.
   *
   * @param host name or address of the server
   * @param port TCP port of the server
   * @return the connection
   * @throws CommandException when no server answers
   */
  public static Socket connect(String host, int port) {
    Socket socket = null;
    try {
      socket = SocketChannel.open().socket(); // an interrupt closes such a socket
      socket.connect(new InetSocketAddress(host, port), CONNECT_MS);
      socket.setTcpNoDelay(true);
      return socket;
    } catch (IOException | IllegalArgumentException e) {
      close(socket, e);
      throw new CommandException("Couldn't connect to " + host + ":" + port, e);
    }
  }

  private static void close(@Nullable Socket socket, Exception because) {
    try {
      if (socket != null) {
        socket.close();
      }
    } catch (IOException e) {
      because.addSuppressed(e);
    }
  }

  /**
   * Reads a record.
   *
   * @param socket from {@link #connect} or a {@link Listener}
   * @param length bytes of the record
   * @param patienceNs how long its first byte may take; the others must follow within 10 s
   * @param stop called while waiting; throws to abort the wait
   * @return the record
   * @throws IOException when the peer closed the connection, or was too slow
   */
  public static byte[] read(Socket socket, int length, long patienceNs, Runnable stop)
      throws IOException {
    byte[] record = new byte[length];
    long since = System.nanoTime();
    long patience = patienceNs;
    socket.setSoTimeout(LOOK_MS);
    for (int have = 0; have < length; ) {
      try {
        int n = socket.getInputStream().read(record, have, length - have);
        if (n < 0) {
          throw new IOException("the other end hung up: " + came(have, length));
        }
        if (have == 0) {
          since = System.nanoTime();
          patience = RECORD_NS;
        }
        have += n;
      } catch (SocketTimeoutException e) {
        stop.run();
      } catch (ClosedByInterruptException e) {
        stop.run();
        throw e;
      }
      if (have < length && System.nanoTime() - since > patience) {
        throw new IOException("the other end was too slow: " + came(have, length));
      }
    }
    return record;
  }

  private static String came(int have, int length) {
    return have + "/" + length + " bytes of the record came";
  }
}
