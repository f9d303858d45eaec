package ib.driver.soft.ibsim;

import ib.core.client.Incidents;
import ib.driver.soft.fabric.Fabric;
import ib.driver.soft.fabric.Subnet;
import ib.driver.soft.topology.Node;
import ib.driver.soft.topology.NodePort;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The clients of ibsim's protocol, each with a number and a socket of its own: who comes, who
 * leaves, and who is gone. When all numbers are taken, the client that came first of those that
 * have said nothing since makes place. Changed by the server's thread only, under the fabric's
 * lock.
 */
final class Clients {
  private static final int MAX_CLIENTS = 64;
  private static final int MAX_PORT = 65_535;

  private final Fabric fabric;
  private final int port;
  private final ClientSockets opener;
  private final Incidents incidents;
  private final @Nullable Client[] clients = new @Nullable Client[MAX_CLIENTS];
  private final LocalSockets sockets = new LocalSockets();

  /** Opens and closes the sockets of clients, which the server's thread reads. */
  interface ClientSockets {
    /** {@return a socket of the loopback interface that is bound to a UDP port} */
    DatagramChannel open(int port) throws IOException;

    /** Closes a socket, if there is one, and gives its port back. */
    void close(@Nullable DatagramChannel channel);
  }

  Clients(Fabric fabric, int port, ClientSockets opener, Incidents incidents) {
    this.fabric = fabric;
    this.port = port;
    this.opener = opener;
    this.incidents = incidents;
  }

  /** {@return the names of the clients' nodes} */
  List<String> names() {
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

  /** {@return the client of a socket; null when the socket belongs to no client} */
  @Nullable Client of(DatagramChannel channel) {
    for (Client c : clients) {
      if (c != null && c.channel.equals(channel)) {
        return c;
      }
    }
    return null;
  }

  /**
   * Handles a control message, and replaces the message by its answer. {@return why the message is
   * refused; null when it is not}
   */
  @Nullable String control(ByteBuffer c, SocketAddress from) {
    synchronized (fabric) {
      return Control.type(c) == Control.CONNECT ? connect(c, from) : known(c, from);
    }
  }

  /** Handles a request of a connected client. {@return why the request is refused, or null} */
  private @Nullable String known(ByteBuffer c, SocketAddress from) {
    int number = Control.client(c);
    Client client = number >= 0 && number < MAX_CLIENTS ? clients[number] : null;
    if (Control.type(c) == Control.DISCONNECT && client == null) {
      return null; // the client has left already
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

  /** Connects a new client. {@return why the client is refused, or null} */
  private @Nullable String connect(ByteBuffer c, SocketAddress from) {
    String name = Control.nodeId(c);
    Subnet subnet = fabric.subnetOf(name);
    NodePort place = subnet == null ? null : place(subnet, name);
    if (subnet == null || place == null) {
      return "a node that is not there";
    }
    int data = c.getInt(Control.DATA);
    if (data < 1 || data > MAX_PORT) {
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

  /** A number that no client has, and the socket of that number. */
  private record Place(int id, DatagramChannel channel) {}

  private @Nullable Place free(SocketAddress from, int data) {
    for (int id = 0; id < MAX_CLIENTS; id++) {
      DatagramChannel channel = clients[id] == null ? open(id, from, data) : null;
      if (channel != null) {
        return new Place(id, channel);
      }
    }
    return null;
  }

  /** Ends the oldest client of those that have sent nothing since they connected. */
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

  /** {@return the socket of a new client; null when, for example, another program has its port} */
  private @Nullable DatagramChannel open(int id, SocketAddress from, int data) {
    DatagramChannel channel = null;
    try {
      channel = opener.open(port + 1 + id);
      channel.connect(new InetSocketAddress(((InetSocketAddress) from).getAddress(), data));
      return channel;
    } catch (IOException | RuntimeException e) {
      incidents.refused("a port of this host", () -> port + 1 + id + ": " + e.getMessage());
      opener.close(channel);
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

  /** Reports lost requests to the clients, and ends each client whose program has ended. */
  void tick() {
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

  /** Ends a client; does nothing for null. */
  void drop(@Nullable Client client) {
    if (client == null) {
      return;
    }
    synchronized (fabric) {
      clients[client.id] = null;
      client.leave();
      client.subnet.carry();
    }
    opener.close(client.channel);
  }

  /** Ends all clients, when the server's thread has ended. */
  void close() {
    for (Client c : clients.clone()) {
      drop(c);
    }
  }
}
