package ib.driver.soft.ibsim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.driver.soft.fabric.Fabric;
import ib.driver.soft.fabric.FabricPort;
import ib.driver.soft.sm.BuiltinSm;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.DatagramChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("A12 datagrams that no client of the door sends")
@Timeout(600)
final class HostileClientTest {
  private static final long SEED = Long.getLong("ib.fuzz.seed", 20_262);
  private static final int DATAGRAMS = Integer.getInteger("ib.fuzz.datagrams", 20_000);
  private static final String SILENT = "silent while another client needs room";
  private static final int PORTS_FROM = 12_000;
  private static final int RANGE = 65; // the server's port, and one for each client
  private static final int RANGES = 300;
  private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
  private static final int CLIENT_PORT_OF_A12 = 70_000;

  private final Fabric fabric = BuiltinSm.newFabric();
  private final List<String> lines = new CopyOnWriteArrayList<>();
  private List<FabricPort> ports;
  private DatagramChannel socket;
  private InetSocketAddress address;
  private IbsimDoor door;

  @BeforeEach
  void open() throws IOException {
    ports = fabric.plug("soft0", 0x10, 1, "ib-sw0");
    socket = bound(0);
    address = new InetSocketAddress(InetAddress.getLoopbackAddress(), freeRange());
    door = new IbsimDoor(fabric, address.getPort(), lines::add);
  }

  @AfterEach
  void close() throws IOException {
    door.close();
    socket.close();
    ports.forEach(FabricPort::close);
  }

  /**
   * The first of the server's ports, below those that the system gives to the test's own sockets.
   */
  private static int freeRange() throws IOException {
    int first = PORTS_FROM + RANGE * ThreadLocalRandom.current().nextInt(RANGES / 2);
    for (int i = 0; i < RANGES / 2; i++) {
      if (isFree(first + i * RANGE)) {
        return first + i * RANGE;
      }
    }
    throw new IOException("no " + RANGE + " free ports in a row from " + first);
  }

  private static boolean isFree(int first) throws IOException {
    for (int port = first; port < first + RANGE; port++) {
      try {
        bound(port).close();
      } catch (BindException e) {
        return false;
      }
    }
    return true;
  }

  private static DatagramChannel bound(int port) throws IOException {
    DatagramChannel channel = DatagramChannel.open();
    try {
      channel.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return channel;
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  private static ByteBuffer control(int type, int client) {
    ByteBuffer c = ByteBuffer.allocate(Control.BYTES).order(ByteOrder.nativeOrder());
    return c.putInt(0, Control.MAGIC).putInt(4, client).putInt(8, type);
  }

  private ByteBuffer ask(DatagramChannel from, ByteBuffer question) throws IOException {
    from.send(question.rewind(), address);
    ByteBuffer answer = ByteBuffer.allocate(Control.BYTES).order(ByteOrder.nativeOrder());
    from.receive(answer);
    return answer;
  }

  /** Connects a client whose data port is that of the socket, and says its number. */
  private int connect(DatagramChannel from) throws IOException {
    int data = ((InetSocketAddress) from.getLocalAddress()).getPort();
    ByteBuffer answer = ask(from, control(Control.CONNECT, 0).putInt(Control.DATA, data));
    assertEquals(Control.CONNECT, Control.type(answer), "connected");
    return Control.client(answer);
  }

  @Test
  @DisplayName(
      "A12 CONNECT with client port 70000: refused, no socket is left, the next one comes in")
  void portOfNoHost() throws IOException {
    for (int data : new int[] {CLIENT_PORT_OF_A12, 0, -1, CLIENT_PORT_OF_A12}) {
      ByteBuffer answer = ask(socket, control(Control.CONNECT, 0).putInt(Control.DATA, data));
      assertEquals(0, Control.type(answer), "refused");
    }
    bound(address.getPort() + 1).close(); // nobody has it
    assertEquals(0, connect(socket));
    assertEquals(List.of("soft0"), door.clients());
    assertEquals(1, lines.size(), lines.toString());
    assertTrue(lines.getFirst().contains("a client's port that is none, from /127.0.0.1:"));
    assertEquals(4, door.incidents.refused("a client's port that is none"));
    assertEquals(0, door.incidents.outlived());
  }

  @Test
  @DisplayName("A12 another program has the port of a number: the next number is taken")
  void takenPort() throws IOException {
    try (DatagramChannel other = bound(address.getPort() + 1)) {
      assertTrue(other.isOpen());
      assertEquals(1, connect(socket));
      try (DatagramChannel second = bound(0)) {
        assertEquals(2, connect(second));
      }
    }
    assertEquals(1, lines.size(), lines.toString());
  }

  @Test
  @DisplayName("no client sends in the name of another client")
  void otherClient() throws IOException {
    int id = connect(socket);
    try (DatagramChannel other = bound(0)) {
      assertEquals(0, Control.type(ask(other, control(Control.DISCONNECT, id))), "refused");
      ByteBuffer manages = control(Control.SET_ISSM, id).putInt(Control.DATA, 1);
      assertEquals(0, Control.type(ask(other, manages)), "refused");
    }
    assertEquals(List.of("soft0"), door.clients());
    assertEquals(Control.DISCONNECT, Control.type(ask(socket, control(Control.DISCONNECT, id))));
    assertEquals(List.of(), door.clients());
  }

  @Test
  @DisplayName(
      "A12 random datagrams at the door and at a client's socket: a line, no socket is left")
  void random() throws IOException {
    Random random = new Random(SEED);
    int id = connect(socket);
    long before = sockets();
    try (DatagramChannel stranger = bound(0)) {
      int data = ((InetSocketAddress) stranger.getLocalAddress()).getPort();
      InetSocketAddress own =
          new InetSocketAddress(address.getAddress(), address.getPort() + 1 + id);
      for (int i = 0; i < DATAGRAMS; i++) {
        if (random.nextInt(4) == 0) {
          stranger.send(noise(random, Request.BYTES), random.nextBoolean() ? address : own);
        } else {
          stranger.send(question(random, data), address);
        }
        if (i % 64 == 63) {
          await(stranger); // so that the door has not more waiting than a socket holds
        }
      }
      for (int each = 0; each < 64; each++) {
        ask(stranger, control(Control.DISCONNECT, each));
      }
    }
    assertTrue(door.incidents.total() > DATAGRAMS / 10, "seed " + SEED);
    assertEquals(0, door.incidents.outlived(), "seed " + SEED + " " + door.incidents.counts());
    assertEquals(1, lines.size(), lines.toString());
    assertEquals(List.of("soft0"), door.clients(), "seed " + SEED);
    assertEquals(before, sockets(), "seed " + SEED);
    door.close();
    door = new IbsimDoor(fabric, address.getPort(), lines::add);
    assertEquals(0, connect(socket));
  }

  @Test
  @DisplayName(
      "1,000 silent clients keep no client out, and replace no client that has sent; all end with the server")
  void silence() throws IOException {
    int spoken = connect(socket);
    long before = sockets();
    assertEquals(Control.SET_ISSM, Control.type(ask(socket, control(Control.SET_ISSM, spoken))));
    List<DatagramChannel> strangers = new ArrayList<>();
    try {
      for (int i = 0; i < 1_000; i++) {
        strangers.add(bound(0));
        connect(strangers.getLast());
        socket.send(ByteBuffer.allocate(1), address); // a byte now and then
      }
      try (DatagramChannel late = bound(0)) {
        int id = connect(late);
        assertEquals(Control.SET_ISSM, Control.type(ask(late, control(Control.SET_ISSM, id))));
        assertEquals(
            Control.SET_ISSM, Control.type(ask(socket, control(Control.SET_ISSM, spoken))));
        assertEquals(64, door.clients().size());
        assertEquals(1_000, door.incidents.refused("of another length"));
        assertEquals(1 + 1_000 + 1 - 64, door.incidents.refused(SILENT));
        assertEquals(0, door.incidents.outlived(), door.incidents.counts().toString());
        assertEquals(1, lines.size(), lines.toString());
        door.close();
        assertEquals(List.of(), door.clients());
        bound(address.getPort()).close(); // nobody has it
      }
    } finally {
      for (DatagramChannel stranger : strangers) {
        stranger.close();
      }
    }
    door = new IbsimDoor(fabric, address.getPort(), lines::add);
    assertEquals(0, connect(socket));
    assertEquals(before, sockets(), "those of one client");
  }

  @Test
  @DisplayName(
      "64 clients that have sent stay: the next one is refused, since all places are taken")
  void crowd() throws IOException {
    List<DatagramChannel> crowd = new ArrayList<>();
    try {
      for (int i = 0; i < 64; i++) {
        crowd.add(bound(0));
        int id = connect(crowd.getLast());
        ask(crowd.getLast(), control(Control.SET_ISSM, id));
      }
      int data = ((InetSocketAddress) socket.getLocalAddress()).getPort();
      ByteBuffer answer = ask(socket, control(Control.CONNECT, 0).putInt(Control.DATA, data));
      assertEquals(0, Control.type(answer), "refused");
      assertEquals(1, door.incidents.refused("no room for another client"));
    } finally {
      for (DatagramChannel each : crowd) {
        each.close();
      }
    }
  }

  private static ByteBuffer noise(Random random, int most) {
    byte[] bytes = new byte[random.nextInt(10) == 0 ? random.nextInt(2 * most) : most];
    random.nextBytes(bytes);
    return ByteBuffer.wrap(bytes);
  }

  private static ByteBuffer question(Random random, int data) {
    ByteBuffer c = noise(random, Control.BYTES).order(ByteOrder.nativeOrder());
    if (c.limit() >= Control.BYTES) {
      c.putInt(0, Control.MAGIC).putInt(4, random.nextInt(70) - 3).putInt(8, random.nextInt(12));
      if (random.nextBoolean()) {
        c.putInt(Control.DATA, random.nextBoolean() ? data : CLIENT_PORT_OF_A12);
        c.put(Control.NODE_ID, (byte) 0);
      }
    }
    return c;
  }

  /** Whatever was sent before has been read when this is answered. */
  private void await(DatagramChannel stranger) throws IOException {
    int mark = 0x10000 + (int) (System.nanoTime() & 0xffff);
    stranger.send(control(99, mark).rewind(), address);
    ByteBuffer answer = ByteBuffer.allocate(Request.BYTES).order(ByteOrder.nativeOrder());
    do {
      answer.clear();
      stranger.receive(answer);
    } while (answer.position() != Control.BYTES || answer.getInt(4) != mark);
  }

  /**
   * How many sockets the process has; other descriptors come with classes. 0 where nobody tells.
   */
  private static long sockets() throws IOException {
    if (!Files.isDirectory(DESCRIPTORS)) {
      return 0;
    }
    try (Stream<Path> all = Files.list(DESCRIPTORS)) {
      return all.filter(HostileClientTest::isSocket).count();
    }
  }

  private static boolean isSocket(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString().startsWith("socket:");
    } catch (IOException e) {
      return false; // closed meanwhile, such as the one of the list itself
    }
  }
}
