package ib.tools.perftest;

import ib.tools.run.Tcp;
import java.io.IOException;
import java.net.Socket;
import org.jspecify.annotations.Nullable;

/** A TCP connection between the ends, which is the usual carrier. For the run's thread only. */
final class TcpCarrier implements Carrier {
  private final Socket socket;
  private final boolean client;
  private final Runnable stop;
  private byte @Nullable [] greeting;

  /**
   * Creates the carrier.
   *
   * @param socket the connection
   * @param client whether this is the client's end
   * @param greeting the peer's first record, which was read already; null otherwise
   * @param stop called while waiting; throws to abort the wait
   */
  TcpCarrier(Socket socket, boolean client, byte @Nullable [] greeting, Runnable stop) {
    this.socket = socket;
    this.client = client;
    this.greeting = greeting;
    this.stop = stop;
  }

  @Override
  public byte[] exchange(byte[] mine, long patienceNs) throws IOException {
    if (client) {
      socket.getOutputStream().write(mine);
    }
    byte[] first = greeting;
    byte[] theirs = first == null ? Tcp.read(socket, mine.length, patienceNs, stop) : first;
    greeting = null;
    if (!client) {
      socket.getOutputStream().write(mine);
    }
    return theirs;
  }

  @Override
  public boolean binary() {
    return false;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
