package ib.driver.soft.ibsim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.mad.smp.Smp;
import ib.driver.soft.fabric.Datagram;
import ib.driver.soft.fabric.Fabric;
import ib.driver.soft.fabric.FabricPort;
import ib.driver.soft.fabric.Subnet;
import ib.driver.soft.sm.BuiltinSm;
import ib.driver.soft.topology.Node;
import ib.driver.soft.topology.NodePort;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.DatagramChannel;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("reference 4.2: what runs behind the door, as the subnet sees it")
final class ClientTest {
  private static final int SM_INFO = 0x20;
  private static final int NOTICE = 0x02;
  private static final int GET = 1;
  private static final int REPRESS = 7;
  private static final long TID = 0x1234_5678_9abc_def0L;
  private static final int TRIES = 1000;

  /** An address that somebody had and has no more. */
  private static SocketAddress deserted() throws IOException {
    try (DatagramChannel dead = DatagramChannel.open()) {
      dead.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      return dead.getLocalAddress();
    }
  }

  private static Datagram datagram(int method, int attribute) {
    Datagram d = new Datagram(MemorySegment.ofArray(new byte[256]));
    Smp.MGMT_CLASS.set(d.mad, Smp.CLASS_LID);
    Smp.METHOD.set(d.mad, method);
    Smp.ATTRIBUTE_ID.set(d.mad, attribute);
    return d;
  }

  @Test
  @DisplayName("IBA 13.4.9 what represses a trap keeps the trap's number, and waits for no answer")
  void represses() throws IOException {
    Fabric fabric = BuiltinSm.newFabric();
    List<FabricPort> ports = fabric.plug("soft0", 0x10, 1, "ib-sw0");
    try (DatagramChannel channel = DatagramChannel.open()) {
      channel.connect(deserted());
      synchronized (fabric) {
        Subnet subnet = fabric.subnetOf("soft0");
        Client client =
            new Client(
                0, channel.getRemoteAddress(), 1, channel, subnet, subnet.node("soft0").port(1));
        Datagram repress = datagram(REPRESS, NOTICE);
        Smp.TRANSACTION_ID.set(repress.mad, TID);
        client.send(repress);
        assertEquals(TID, Smp.TRANSACTION_ID.of(repress.mad));
        assertFalse(client.waits());
        Datagram question = datagram(GET, SM_INFO);
        Smp.TRANSACTION_ID.set(question.mad, TID);
        client.send(question);
        assertNotEquals(TID, Smp.TRANSACTION_ID.of(question.mad), "one of its own");
        client.leave();
      }
    }
    ports.forEach(FabricPort::close);
  }

  @Test
  @DisplayName("section 4.4: a manager found dead by what it is given leaves the subnet to others")
  void foundDead() throws IOException {
    Fabric fabric = BuiltinSm.newFabric();
    List<FabricPort> ports = fabric.plug("soft0", 0x10, 1, "ib-sw0");
    try (DatagramChannel channel = DatagramChannel.open()) {
      channel.connect(deserted());
      synchronized (fabric) {
        Subnet subnet = fabric.subnetOf("soft0");
        Node node = subnet.node("soft0");
        NodePort place = node.port(1);
        Client client = new Client(0, channel.getRemoteAddress(), 1, channel, subnet, place);
        client.manages(true);
        assertFalse(subnet.foreignManagers().isEmpty());
        for (int i = 0; i < TRIES && !client.gone(); i++) {
          client.take(place, datagram(GET, SM_INFO));
        }
        assertTrue(client.gone(), "the host says that nobody listens");
        client.leave();
        assertTrue(subnet.foreignManagers().isEmpty(), "the built-in one is master again");
      }
    }
    ports.forEach(FabricPort::close);
  }
}
