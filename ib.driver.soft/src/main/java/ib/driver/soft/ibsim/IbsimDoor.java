package ib.driver.soft.ibsim;

import ib.core.verbs.IbInvalidException;
import ib.driver.soft.fabric.Fabric;
import ib.driver.soft.fabric.Subnet;
import ib.driver.soft.topology.Node;
import ib.driver.soft.topology.NodePort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The server of ibsim's protocol: control at a UDP port of the loopback interface, and for each
 * client one more socket, at the port above by 1 and its number. A client that has ended without
 * saying so is found by its socket being gone.
 */
public final class IbsimDoor implements AutoCloseable {
  private static final int CLIENTS_MOST = 64;
  private static final long TICK_MS = 50;
  private static final long JOIN_MS = 5_000;

  private final Fabric fabric;
  private final int port;
  private final Selector selector;
  private final DatagramChannel control;
  private final Thread thread;
  private final BiConsumer<String, Throwable> report;
  private final @Nullable Client[] clients = new @Nullable Client[CLIENTS_MOST];
  private final LocalSockets sockets = new LocalSockets();
  private volatile boolean closed;

  /**
   * Opens the door.
   *
   * @param fabric what is managed
   * @param port UDP port of the control socket, 1 to 65471; 7070 is what ibsim uses
   * @param report is told what goes wrong
   * @throws IbInvalidException when the port cannot be had
   */
  public IbsimDoor(Fabric fabric, int port, BiConsumer<String, Throwable> report) {
    this.fabric = fabric;
    this.port = port;
    this.report = report;
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
    try {
      channel.configureBlocking(false);
      channel.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), at));
      channel.register(selector, SelectionKey.OP_READ);
      return channel;
    } catch (IOException e) {
      channel.close();
      throw e;
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

  private void run() {
    ByteBuffer bytes = ByteBuffer.allocate(1024);
    while (!closed) {
      try {
        selector.select(TICK_MS);
        List<SelectionKey> ready = List.copyOf(selector.selectedKeys()); // drop() selects, too
        selector.selectedKeys().clear();
        for (SelectionKey key : ready) {
          if (key.isValid() && key.channel() instanceof DatagramChannel channel) {
            read(channel, bytes);
          }
        }
        tick();
      } catch (IOException | RuntimeException e) {
        report.accept("the door of ibsim's clients: " + e, e);
      }
    }
  }

  private void read(DatagramChannel channel, ByteBuffer bytes) throws IOException {
    Client client = of(channel);
    for (int i = 0; i < 256; i++) {
      bytes.clear();
      SocketAddress from;
      try {
        from = channel.receive(bytes);
      } catch (java.net.PortUnreachableException e) {
        drop(client);
        return;
      }
      if (from == null) {
        return;
      }
      bytes.flip();
      if (client == null && bytes.limit() == Control.BYTES) {
        control(bytes, from);
      } else if (client != null && bytes.limit() == Request.BYTES) {
        synchronized (fabric) {
          client.send(Request.read(bytes));
        }
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

  private void control(ByteBuffer c, SocketAddress from) throws IOException {
    c.order(ByteOrder.nativeOrder());
    if (c.getInt(0) != Control.MAGIC) {
      return;
    }
    synchronized (fabric) {
      int number = Control.client(c);
      Client client = number >= 0 && number < CLIENTS_MOST ? clients[number] : null;
      switch (Control.type(c)) {
        case Control.CONNECT -> connect(c, from);
        case Control.DISCONNECT -> drop(client);
        case Control.SET_ISSM -> {
          if (client != null) {
            client.manages(c.getInt(Control.DATA) != 0);
            client.subnet.carry();
          }
        }
        default -> {
          if (client == null || !Control.answer(c, client.place)) {
            Control.refuse(c);
          }
        }
      }
    }
    c.order(ByteOrder.nativeOrder());
    c.rewind();
    control.send(c, from);
  }

  private void connect(ByteBuffer c, SocketAddress from) throws IOException {
    String name = Control.nodeId(c);
    Subnet subnet = fabric.subnetOf(name);
    NodePort place = subnet == null ? null : place(subnet, name);
    int id = 0;
    while (id < CLIENTS_MOST && clients[id] != null) {
      id++;
    }
    if (subnet == null || place == null || id == CLIENTS_MOST) {
      Control.refuse(c);
      return;
    }
    int data = c.getInt(Control.DATA);
    DatagramChannel channel = open(port + 1 + id);
    channel.connect(new InetSocketAddress(((InetSocketAddress) from).getAddress(), data));
    Client client = new Client(id, data, channel, subnet, place);
    clients[id] = client;
    client.manages(c.getInt(Control.DATA + 8) != 0);
    c.putInt(4, id);
    c.putInt(Control.DATA, id);
    Control.nodeId(c, place.node().description());
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
    try {
      client.channel.close();
      selector.selectNow(); // only now its port is free
    } catch (IOException e) {
      report.accept("the socket of a client of the door: " + e, e);
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
      report.accept("closing the door of ibsim's clients: " + e, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
