package ib.cm.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.sa.SaClient;
import ib.core.verbs.Gid;
import ib.core.verbs.QpType;
import ib.driver.rxe.standalone.RxeHost;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("RD-13: multicast groups by address")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class GroupTest {
  private static final int GRH = 40;
  private static final String ONE = "127.0.44.1";
  private static final String TWO = "127.0.44.2";
  private static final String CLOSED = "RDMA_CM_EVENT_CLOSED, error 0";

  private final Party mine = new Party(QpType.UD);
  private final Party theirs = new Party(QpType.UD);

  /** Two members: one sends, both hear it, until one leaves. */
  private void whole(World world, InetAddress one, InetAddress two, String group) throws Exception {
    InetAddress at = InetAddress.getByName(group);
    RdmaOptions ud = RdmaOptions.ud();
    RdmaConnection a = world.client.join(at, ud.from(new InetSocketAddress(one, 0)), mine, mine);
    RdmaConnection b =
        world.server.join(at, ud.from(new InetSocketAddress(two, 0)), theirs, theirs);
    assertEquals("ESTABLISHED", mine.hear());
    assertEquals("ESTABLISHED", theirs.hear());
    assertEquals(0xffffff, a.destination().qpn());
    assertEquals(PortSpace.DATAGRAM_QKEY, a.destination().qkey());
    assertEquals("join " + at.getHostAddress(), a.toString());
    mine.send(a.destination(), 60);
    assertEquals(GRH + 60, theirs.receive());
    b.close();
    assertEquals(CLOSED, theirs.hear());
    mine.send(a.destination(), 60);
    a.close();
    assertEquals(CLOSED, mine.hear());
  }

  @Test
  @DisplayName("over Ethernet: the group's address is its GID")
  void overEthernet() throws Exception {
    try (World world = new World(RxeHost.open(ONE, TWO))) {
      whole(world, InetAddress.getByName(ONE), InetAddress.getByName(TWO), "239.1.2.3");
    }
  }

  @ParameterizedTest
  @CsvSource({"239.1.2.3", "ff12::1:2:3"})
  @DisplayName("over a fabric: the subnet administrator makes the group and says its LID")
  void overFabric(String group) throws Exception {
    try (World world = new World()) {
      whole(world, world.address("soft0"), world.address("soft1"), group);
    }
  }

  @Test
  @DisplayName("the port is a member until the last connection to the group is closed")
  void left() throws Exception {
    InetAddress group = InetAddress.getByName("239.9.9.9");
    Gid mgid = Gid.parse("ff12:4001:ffff::0f09:0909");
    try (World world = new World();
        SaClient sa = SaClient.open(world.fabric.device("soft0"), 1)) {
      RdmaConnection one = world.client.join(group, RdmaOptions.ud(), mine, mine);
      RdmaConnection two = world.server.join(group, RdmaOptions.ud(), theirs, theirs);
      assertEquals("ESTABLISHED", mine.hear());
      assertEquals("ESTABLISHED", theirs.hear());
      one.close();
      assertTrue(sa.multicast().joinedByOthers(mgid).join());
      two.close();
      assertFalse(sa.multicast().joinedByOthers(mgid).join());
    }
  }

  @ParameterizedTest
  @CsvSource({
    "239.1.2.3, ff12:4001:ffff::0f01:0203",
    "224.0.0.9, ff12:4001:ffff::9",
    "ff15::1234:0:5, ff12:6001:ffff::1234:0:5"
  })
  @DisplayName("the GID of a group in a subnet is apart from IPoIB's")
  void mgids(String group, String gid) throws Exception {
    InetAddress address = InetAddress.getByName(group);
    Gid asIs = new AddressBook(Map.of()).gid(address);
    assertEquals(Gid.parse(gid), Group.inSubnet(address, asIs, 0x7fff));
  }

  @Test
  @DisplayName(
      "RD-13, RD-17: no group, no device: typed errors; a device that goes ends the membership")
  void errors() throws Exception {
    try (World world = new World()) {
      InetAddress group = InetAddress.getByName("239.1.2.3");
      assertThrows(
          RdmaAddressException.class,
          () -> world.client.join(world.address("soft0"), RdmaOptions.ud(), mine, mine));
      RdmaOptions nowhere = RdmaOptions.ud().from(new InetSocketAddress("192.0.2.9", 0));
      RdmaConnection none = world.client.join(group, nowhere, mine, mine);
      assertEquals("RDMA_CM_EVENT_ADDR_ERROR, error -19", mine.hear());
      none.close();
      RdmaConnection connecting =
          world.client.start(new InetSocketAddress(group, 7), RdmaOptions.rc(), theirs, theirs);
      assertEquals("RDMA_CM_EVENT_ADDR_ERROR", theirs.hear().replaceAll(",.*", ""));
      connecting.close();
      Party member = new Party(QpType.UD);
      RdmaConnection joined = world.client.join(group, RdmaOptions.ud(), member, member);
      assertEquals("ESTABLISHED", member.hear());
      Thread closer =
          Thread.startVirtualThread(
              () -> {
                joined.ended().join();
                joined.close();
              });
      world.fabric.unplug("soft0");
      closer.join();
      assertEquals("RDMA_CM_EVENT_DEVICE_REMOVAL, error 0", member.hear());
    }
  }
}
