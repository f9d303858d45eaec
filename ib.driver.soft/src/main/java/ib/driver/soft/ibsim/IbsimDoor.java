package ib.driver.soft.ibsim;

import ib.core.client.Incidents;
import ib.core.verbs.IbInvalidException;
import ib.driver.soft.fabric.Fabric;
import ib.driver.soft.fabric.Subnet;
import ib.driver.soft.topology.Node;
import ib.driver.soft.topology.NodePort;
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
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The server of ibsim's protocol: control at a UDP port of the loopback interface, and for each
 * client one more socket, at the port above by 1 and its number. A client that has ended without
 * saying so is found by its socket being gone. When all places are taken, the client that came
 * first of those that have said nothing since makes room. What cannot be understood, or is of
 * somebody else, is refused and counted; nothing that a datagram brings about ends the door.
 */
public final class IbsimDoor implements AutoCloseable {
  private static final int CLIENTS_MOST = 64;
  private static final int READS_MOST = 256; // of one socket, before another one
  private static final long TICK_MS = 50;
  private static final long JOIN_MS = 5_000;

  private static final int PORT_MOST = 65_535;

  private final Fabric fabric;
  private final int port;
  private final Selector selector;
  private final DatagramChannel control;
  private final Thread thread;
  private final Incidents incidents;
  private final @Nullable Client[] clients = new @Nullable Client[CLIENTS_MOST];
  private final LocalSockets sockets = new LocalSockets();
  private final ByteBuffer bytes = ByteBuffer.allocate(1024);
  private volatile boolean closed;

  /**
   * Opens the door.
   *
   * @param fabric what is managed
   * @param port UDP port of the control socket, 1 to 65471; 7070 is what ibsim uses
   * @param report takes a line for the log about what is refused or goes wrong, one a minute
   * @throws IbInvalidException when the port cannot be had
   */
  public IbsimDoor(Fabric fabric, int port, Consumer<String> report) {
    this.fabric = fabric;
    this.port = port;
    this.incidents = new Incidents("the door of ibsim's clients", report);
    try {
      selector = Selector.open();
      control = open(port);
    } catch (IOException e) {
      throw new IbInvalidException(
          "ibsim.port " + port, "cannot be had: " + e.getMessage(), "another port, or 0 for none");
    }
    thread = new Thread(this::run, "ib-ibsim-" + port);
    thread.setDaemon(true);
    thread.start();
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
    synchronized (fabric) {
      List<String> names = new ArrayList<>();
      for (Client c : clients) {
        if (c != null) {
          names.add(c.place.node().description());
        }
      }
      return names;
    }
  }

  /** {@return what the door has refused, by reason, and outlived} */
  public Incidents incidents() {
    return incidents;
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
    tick();
  }

  private void read(DatagramChannel channel) {
    Client client = of(channel);
    for (int i = 0; i < READS_MOST; i++) {
      bytes.clear();
      SocketAddress from;
      try {
        from = channel.receive(bytes);
      } catch (PortUnreachableException e) {
        drop(client);
        return;
      } catch (IOException e) {
        incidents.outlived(e);
        drop(client);
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

  private @Nullable Client of(DatagramChannel channel) {
    for (Client c : clients) {
      if (c != null && c.channel.equals(channel)) {
        return c;
      }
    }
    return null;
  }

  private void control(ByteBuffer c, SocketAddress from) {
    c.order(ByteOrder.nativeOrder());
    if (c.getInt(0) != Control.MAGIC) {
      incidents.refused("without the magic number", from::toString);
      return;
    }
    String why;
    synchronized (fabric) {
      why = Control.type(c) == Control.CONNECT ? connect(c, from) : told(c, from);
    }
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

  /** What a client that is there says. {@return why it is refused, or null} */
  private @Nullable String told(ByteBuffer c, SocketAddress from) {
    int number = Control.client(c);
    Client client = number >= 0 && number < CLIENTS_MOST ? clients[number] : null;
    if (Control.type(c) == Control.DISCONNECT && client == null) {
      return null; // it has left already
    }
    if (client == null || !client.control.equals(from)) {
      return "in the name of another client";
    }
    client.silent = false;
    switch (Control.type(c)) {
      case Control.DISCONNECT -> drop(client);
      case Control.SET_ISSM -> {
        client.manages(c.getInt(Control.DATA) != 0);
        client.subnet.carry();
      }
      default -> {
        return Control.answer(c, client.place) ? null : "a question that is not known";
      }
    }
    return null;
  }

  /** A client comes. {@return why it is refused, or null} */
  private @Nullable String connect(ByteBuffer c, SocketAddress from) {
    String name = Control.nodeId(c);
    Subnet subnet = fabric.subnetOf(name);
    NodePort place = subnet == null ? null : place(subnet, name);
    if (subnet == null || place == null) {
      return "a node that is not there";
    }
    int data = c.getInt(Control.DATA);
    if (data < 1 || data > PORT_MOST) {
      return "a client's port that is none";
    }
    Place free = free(from, data);
    if (free == null) {
      makeRoom();
      free = free(from, data);
    }
    if (free == null) {
      return "no room for another client";
    }
    int id = free.id;
    Client client = new Client(id, from, data, free.channel, subnet, place);
    clients[id] = client;
    client.manages(c.getInt(Control.DATA + 8) != 0);
    c.putInt(4, id);
    c.putInt(Control.DATA, id);
    Control.nodeId(c, place.node().description());
    return null;
  }

  /** A number that no client has, and its socket. */
  private record Place(int id, DatagramChannel channel) {}

  private @Nullable Place free(SocketAddress from, int data) {
    for (int id = 0; id < CLIENTS_MOST; id++) {
      DatagramChannel channel = clients[id] == null ? open(id, from, data) : null;
      if (channel != null) {
        return new Place(id, channel);
      }
    }
    return null;
  }

  /** Ends the client that came first of those that have said nothing since. */
  private void makeRoom() {
    Client oldest = null;
    for (Client c : clients) {
      if (c != null && c.silent && (oldest == null || c.sinceNs - oldest.sinceNs < 0)) {
        oldest = c;
      }
    }
    if (oldest != null) {
      incidents.refused("silent while another client needs room", oldest.control::toString);
      drop(oldest);
    }
  }

  /** The socket of a client, or null when it cannot be had: another program has the port. */
  private @Nullable DatagramChannel open(int id, SocketAddress from, int data) {
    DatagramChannel channel = null;
    try {
      channel = open(port + 1 + id);
      channel.connect(new InetSocketAddress(((InetSocketAddress) from).getAddress(), data));
      return channel;
    } catch (IOException | RuntimeException e) {
      incidents.refused("a port of this host", () -> port + 1 + id + ": " + e.getMessage());
      close(channel);
      return null;
    }
  }

  private static @Nullable NodePort place(Subnet subnet, String name) {
    Node node = subnet.node(name);
    for (Node n : subnet.nodes()) {
      if (node == null && !n.isSwitch() && name.isEmpty()) {
        node = n;
      }
    }
    if (node == null || node.isSwitch()) {
      return node == null ? null : node.port(0);
    }
    return node.ports().stream().filter(NodePort::linked).findFirst().orElse(node.port(1));
  }

  private void tick() {
    long now = System.nanoTime();
    synchronized (fabric) {
      for (Client c : clients) {
        if (c != null) {
          c.tick(now);
          if (c.gone() || !sockets.bound(c.port, c.sinceNs, now)) {
            drop(c);
          }
        }
      }
    }
  }

  private void drop(@Nullable Client client) {
    if (client == null) {
      return;
    }
    synchronized (fabric) {
      clients[client.id] = null;
      client.leave();
      client.subnet.carry();
    }
    close(client.channel);
  }

  private void close(@Nullable DatagramChannel channel) {
    try {
      if (channel != null) {
        channel.close();
        selector.selectNow(); // only now its port is free
      }
    } catch (IOException e) {
      incidents.outlived(e);
    }
  }

  /** Drops all clients; returns when the door's thread has ended. */
  @Override
  public void close() {
    closed = true;
    selector.wakeup();
    try {
      thread.join(JOIN_MS);
      for (Client c : clients.clone()) {
        drop(c);
      }
      control.close();
      selector.close();
    } catch (IOException e) {
      incidents.outlived(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
