package ib.driver.soft.ibsim;

import ib.core.client.Incidents;
import ib.core.verbs.IbInvalidException;
import ib.driver.soft.fabric.Fabric;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The ibsim server. It has a control socket at a UDP port of the loopback interface, and one more
 * socket per client: client n has the port n + 1 above the control port. The server finds a client
 * that ended without disconnecting by the client's closed socket. When all places are taken, a new
 * client replaces the oldest client that has sent nothing since it connected. A datagram that is
 * malformed, or that comes from a foreign socket, is refused and counted; no datagram ends the
 * server.
 */
public final class IbsimDoor implements AutoCloseable {
  private static final int MAX_READS = 256; // of one socket, before another one
  private static final long TICK_MS = 50;
  private static final long JOIN_MS = 5_000;

  private final Fabric fabric;
  private final Selector selector;
  private final DatagramChannel control;
  private final Thread thread;

  /** The refused datagrams by reason, and the exceptions that the server has survived. */
  final Incidents incidents;

  private final Clients clients;
  private final ByteBuffer bytes = ByteBuffer.allocate(1024);
  private volatile boolean closed;

  /**
   * Starts the server.
   *
   * @param fabric the fabric that the clients manage
   * @param port UDP port of the control socket, 1 to 65471; 7070 is what ibsim uses
   * @param report takes a line for the log about what is refused or goes wrong, one a minute
   * @throws IbInvalidException when the port cannot be had
   */
  public IbsimDoor(Fabric fabric, int port, Consumer<String> report) {
    this.fabric = fabric;
    this.incidents = new Incidents("the door of ibsim's clients", report);
    try {
      selector = Selector.open();
      control = open(port);
    } catch (IOException e) {
      throw new IbInvalidException(
          "ibsim.port " + port, "cannot be had: " + e.getMessage(), "another port, or 0 for none");
    }
    clients = new Clients(fabric, port, new Sockets(), incidents);
    thread = new Thread(this::run, "ib-ibsim-" + port);
    thread.setDaemon(true);
    thread.start();
  }

  private final class Sockets implements Clients.ClientSockets {
    @Override
    public DatagramChannel open(int at) throws IOException {
      return IbsimDoor.this.open(at);
    }

    @Override
    public void close(@Nullable DatagramChannel channel) {
      try {
        if (channel != null) {
          channel.close();
          selector.selectNow(); // only now its port is free
        }
      } catch (IOException e) {
        incidents.outlived(e);
      }
    }
  }

  private DatagramChannel open(int at) throws IOException {
    DatagramChannel channel = DatagramChannel.open();
    boolean good = false;
    try {
      channel.configureBlocking(false);
      channel.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), at));
      channel.register(selector, SelectionKey.OP_READ);
      good = true;
      return channel;
    } finally {
      if (!good) {
        channel.close();
      }
    }
  }

  /** {@return the names of the clients' nodes} */
  public List<String> clients() {
    return clients.names();
  }

  private void run() {
    while (!closed) {
      incidents.serve(this::turn);
    }
  }

  private void turn() {
    try {
      selector.select(TICK_MS);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    List<SelectionKey> ready = List.copyOf(selector.selectedKeys()); // drop() selects, too
    selector.selectedKeys().clear();
    for (SelectionKey key : ready) {
      if (key.isValid() && key.channel() instanceof DatagramChannel channel) {
        incidents.outlive(() -> read(channel));
      }
    }
    clients.tick();
  }

  private void read(DatagramChannel channel) {
    Client client = clients.of(channel);
    for (int i = 0; i < MAX_READS; i++) {
      bytes.clear();
      SocketAddress from;
      try {
        from = channel.receive(bytes);
      } catch (PortUnreachableException e) {
        clients.drop(client);
        return;
      } catch (IOException e) {
        incidents.outlived(e);
        clients.drop(client);
        return;
      }
      if (from == null) {
        return;
      }
      bytes.flip();
      incidents.outlive(() -> received(client, from));
    }
  }

  private void received(@Nullable Client client, SocketAddress from) {
    if (bytes.limit() != (client == null ? Control.BYTES : Request.BYTES)) {
      incidents.refused("of another length", from::toString);
    } else if (client == null) {
      control(bytes, from);
    } else {
      synchronized (fabric) {
        client.silent = false;
        client.send(Request.read(bytes));
      }
    }
  }

  private void control(ByteBuffer c, SocketAddress from) {
    c.order(ByteOrder.nativeOrder());
    if (c.getInt(0) != Control.MAGIC) {
      incidents.refused("without the magic number", from::toString);
      return;
    }
    String why = clients.control(c, from);
    if (why != null) {
      incidents.refused(why, from::toString);
      Control.refuse(c);
    }
    c.order(ByteOrder.nativeOrder());
    c.rewind();
    try {
      control.send(c, from);
    } catch (IOException e) {
      incidents.refused("cannot be answered", from::toString);
    }
  }

  /** Drops all clients; returns when the server's thread has ended. */
  @Override
  public void close() {
    closed = true;
    selector.wakeup();
    try {
      thread.join(JOIN_MS);
      clients.close();
      control.close();
      selector.close();
    } catch (IOException e) {
      incidents.outlived(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
