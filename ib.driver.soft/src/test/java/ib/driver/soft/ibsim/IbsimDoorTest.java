package ib.driver.soft.ibsim;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.driver.soft.fabric.Fabric;
import ib.driver.soft.fabric.FabricPort;
import ib.driver.soft.sm.BuiltinSm;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Timeout;

@DisplayName("reference 4.2: the server of ibsim's protocol")
@Timeout(600)
final class IbsimDoorTest {
  private static final int CLIENTS = 8;
  private static final int ROUNDS = 50;

  private final Fabric fabric = BuiltinSm.newFabric();
  private final List<String> errors = new CopyOnWriteArrayList<>();

  /** A client's two sockets. */
  private static final class Client implements AutoCloseable {
    private final DatagramChannel control = DatagramChannel.open();
    private final DatagramChannel data = DatagramChannel.open();
    private final InetSocketAddress door;
    private int id;

    Client(InetSocketAddress door) throws IOException {
      this.door = door;
      control.bind(new InetSocketAddress(door.getAddress(), 0));
      data.bind(new InetSocketAddress(door.getAddress(), 0));
      connect();
    }

    private ByteBuffer message(int type) {
      ByteBuffer c = ByteBuffer.allocate(Control.BYTES).order(ByteOrder.nativeOrder());
      return c.putInt(0, Control.MAGIC).putInt(4, id).putInt(8, type);
    }

    void connect() throws IOException {
      ByteBuffer c = message(Control.CONNECT);
      control.send(c.putInt(Control.DATA, data.socket().getLocalPort()), door);
      ByteBuffer answer = ByteBuffer.allocate(Control.BYTES).order(ByteOrder.nativeOrder());
      control.receive(answer);
      assertEquals(Control.CONNECT, Control.type(answer));
      id = Control.client(answer);
    }

    void leave() throws IOException {
      control.send(message(Control.DISCONNECT), door);
    }

    void left() throws IOException {
      control.receive(ByteBuffer.allocate(Control.BYTES));
    }

    void ask() throws IOException {
      ByteBuffer nothing = ByteBuffer.allocate(Request.BYTES);
      data.send(nothing, new InetSocketAddress(door.getAddress(), door.getPort() + 1 + id));
    }

    @Override
    public void close() throws IOException {
      control.close();
      data.close();
    }
  }

  private static int freePort() throws IOException {
    try (DatagramChannel probe = DatagramChannel.open()) {
      probe.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      return Math.min(probe.socket().getLocalPort(), 65_000);
    }
  }

  @RepeatedTest(4) // the order of the sockets is another each time
  @DisplayName("a client leaves while requests of others wait: the others are not disturbed")
  void leaves() throws IOException {
    List<FabricPort> ports = fabric.plug("soft0", 0x10, 1, "ib-sw0");
    int port = freePort();
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    List<Client> clients = new ArrayList<>();
    try (IbsimDoor door = new IbsimDoor(fabric, port, errors::add)) {
      for (int i = 0; i < CLIENTS; i++) {
        clients.add(new Client(address));
      }
      for (int round = 0; round < ROUNDS; round++) {
        Client leaver = clients.get(round % CLIENTS);
        synchronized (
            fabric) { // the door waits at the first: then all the others are there at once
          for (Client c : clients) {
            c.ask();
          }
          leaver.leave();
        }
        leaver.left();
        leaver.connect();
      }
      assertEquals(CLIENTS, door.clients().size());
    } finally {
      for (Client c : clients) {
        c.close();
      }
      ports.forEach(FabricPort::close);
    }
    assertEquals(List.of(), errors);
    assertEquals(0, fabric.size());
  }
}
