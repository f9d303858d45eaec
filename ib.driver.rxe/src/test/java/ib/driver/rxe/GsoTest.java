package ib.driver.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.core.verbs.Gid;
import ib.core.verbs.Mtu;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.driver.rxe.udp.UdpCounter;
import ib.driver.rxe.udp.UdpWire;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("issue 4, section 1: the system cuts long sends (UDP_SEGMENT), where it is proven")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class GsoTest {
  private static final int PEER_QPN = 0x123456;
  private static final int FIRST_PSN = 0xfffff0; // RxeSide's
  private static final Gid HERE = Gid.parse("::ffff:127.0.0.1");
  private static final int MTU = 1024;
  private static final int ACK = 0x1f;
  private static final int NAK_SEQUENCE = 0x60;

  private RxeLab lab;
  private WirePeer peer;
  private RxeSide side;
  private int posted;

  @BeforeEach
  void setUp() throws IOException {
    lab = new RxeLab();
    peer = new WirePeer("127.0.0.2");
  }

  @AfterEach
  void tearDown() throws IOException {
    lab.close();
    peer.close();
  }

  private UdpWire device(String gso) {
    lab.configure("rxe0", "address", "127.0.0.1", "io", "native", "gso", gso, "source_ports", 0);
    side = lab.side("rxe0");
    side.timeout = 0; // nothing is sent again unless the peer asks for it
    side.open(QpType.RC);
    side.bringUp(peer.gid, PEER_QPN, Mtu.MTU_1024);
    return lab.running.get("rxe0").wire;
  }

  private void post(int... sizes) {
    side.qp.wrStart();
    for (int size : sizes) {
      side.qp.wrId(++posted).wrFlags(SendFlags.SIGNALED);
      side.qp.wrSend();
      side.qp.wrSetSge(side.mr.lkey(), side.mr.iova(), size);
    }
    assertEquals(0, side.qp.wrComplete());
  }

  /** The identifications that so many datagrams were made for, whose numbers go up by one. */
  private List<Integer> ids(int count) throws IOException {
    List<Integer> ids = new ArrayList<>();
    int before = -1;
    for (int i = 0; i < count; i++) {
      ids.add(peer.next());
      assertEquals(before < 0 ? peer.psn : before + 1 & 0xffffff, peer.psn, "in order");
      before = peer.psn;
    }
    return ids;
  }

  @Test
  @DisplayName(
      "each ICRC is made for the identification that the system gives:"
          + " 0, 1, 2, …; a shorter one ends a send; requests never overtake each other")
  void identifications() throws IOException {
    UdpWire wire = device("on");
    post(64, 64, 64, 64, 64);
    assertEquals(List.of(0, 1, 2, 3, 4), ids(5));
    post(64, 64, 8, 64, 64);
    assertEquals(List.of(0, 1, 2, 0, 1), ids(5));
    post(8, 64, 64);
    assertEquals(List.of(0, 0, 1), ids(3));
    post(3000);
    assertEquals(List.of(0, 1, 2), ids(3));
    assertEquals(16, wire.counter(UdpCounter.UDP_SENT));
    assertEquals(15, wire.counter(UdpCounter.GSO_SENT));
  }

  @Test
  @DisplayName("at most 64 packets are one send")
  void sixtyFour() throws IOException {
    device("on");
    int[] sizes = new int[70];
    Arrays.fill(sizes, 16);
    post(sizes);
    List<Integer> expected = new ArrayList<>();
    for (int i = 0; i < 70; i++) {
      expected.add(i % 64);
    }
    assertEquals(expected, ids(70));
  }

  @Test
  @DisplayName("off: each packet is its own datagram; one call sends all")
  void off() throws IOException {
    UdpWire wire = device("off");
    post(64, 64, 64);
    assertEquals(List.of(0, 0, 0), ids(3));
    assertEquals(0, wire.counter(UdpCounter.GSO_SENT));
  }

  @Test
  @DisplayName("auto: one packet is the trial; after its acknowledgement long sends are used")
  void proven() throws IOException {
    UdpWire wire = device("auto");
    post(64, 64, 64, 64);
    assertEquals(List.of(0, 1, 0, 0), ids(4));
    peer.acknowledge(HERE, side.qp.qpn(), FIRST_PSN, ACK); // not the one that was tried
    side.next(1);
    post(64, 64);
    assertEquals(List.of(0, 0), ids(2));
    assertEquals(0, wire.counter(UdpCounter.GSO_PROVEN));
    peer.acknowledge(HERE, side.qp.qpn(), FIRST_PSN + 5, ACK);
    for (int i = 2; i <= 6; i++) {
      side.next(i);
    }
    assertEquals(1, wire.counter(UdpCounter.GSO_PROVEN));
    post(64, 64, 64, 64);
    assertEquals(List.of(0, 1, 2, 3), ids(4));
  }

  @Test
  @DisplayName("auto: after repeated retransmissions of trials, no long sends are used")
  void refuted() throws IOException {
    UdpWire wire = device("auto");
    for (int i = 0; i < 3; i++) {
      assertEquals(0, wire.counter(UdpCounter.GSO_REFUTED));
      int second = FIRST_PSN + 2 * i + 1;
      post(64, 64);
      assertEquals(List.of(0, 1), ids(2)); // the second as if lost, by a card that counts otherwise
      peer.acknowledge(HERE, side.qp.qpn(), second, NAK_SEQUENCE);
      side.next(2 * i + 1);
      for (int copy = 0; copy < (i == 0 ? 1 : 2); copy++) { // twice where losses are frequent
        assertEquals(List.of(0), ids(1)); // by itself it arrives
        assertEquals(second, peer.psn);
      }
      peer.acknowledge(HERE, side.qp.qpn(), second, ACK);
      side.next(2 * i + 2);
    }
    assertEquals(1, wire.counter(UdpCounter.GSO_REFUTED));
    post(64, 64, 64);
    assertEquals(List.of(0, 0, 0), ids(3));
    assertEquals(0, wire.counter(UdpCounter.GSO_PROVEN));
  }

  @Test
  @DisplayName(
      "auto: whole sends that get lost, where many senders meet, are no proof against the path")
  void lostWhole() throws IOException {
    UdpWire wire = device("auto");
    for (int i = 0; i < 4; i++) {
      int first = FIRST_PSN + 2 * i;
      post(64, 64);
      assertEquals(List.of(0, 1), ids(2), "a trial"); // both as if lost, in a full buffer
      peer.acknowledge(HERE, side.qp.qpn(), first, NAK_SEQUENCE);
      do {
        assertEquals(List.of(0), ids(1)); // by itself
      } while (peer.psn != first + 1);
      peer.acknowledge(HERE, side.qp.qpn(), first + 1, ACK);
      side.next(2 * i + 1);
      side.next(2 * i + 2);
    }
    assertEquals(0, wire.counter(UdpCounter.GSO_REFUTED));
    post(64, 64);
    assertEquals(List.of(0, 1), ids(2));
    peer.acknowledge(HERE, side.qp.qpn(), FIRST_PSN + 9, ACK);
    side.next(9);
    assertEquals(1, wire.counter(UdpCounter.GSO_PROVEN));
  }

  private void read(int at, int bytes) throws IOException {
    peer.read(HERE, side.qp.qpn(), FIRST_PSN + at, side.mr, bytes);
  }

  @Test
  @DisplayName("auto: the answer to a read is the trial; 255 reads behind it prove that it arrived")
  void reads() throws IOException {
    UdpWire wire = device("auto");
    read(0, 6 * MTU);
    assertEquals(List.of(0, 1, 0, 0, 0, 0), ids(6));
    for (int i = 0; i < 254; i++) { // as many as may be under way beside that of the trial
      read(6 + i, 8);
      assertEquals(List.of(0), ids(1));
    }
    assertEquals(0, wire.counter(UdpCounter.GSO_PROVEN));
    read(260, 8);
    assertEquals(List.of(0), ids(1));
    assertEquals(1, wire.counter(UdpCounter.GSO_PROVEN));
    read(261, 6 * MTU);
    assertEquals(List.of(0, 1, 0, 1, 2, 0), ids(6)); // the first and the last are 4 bytes longer
  }

  @Test
  @DisplayName("auto: a peer that asks for the trial's answer again, time after time, refutes")
  void readsRefuted() throws IOException {
    UdpWire wire = device("auto");
    for (int i = 0; i < 3; i++) {
      assertEquals(0, wire.counter(UdpCounter.GSO_REFUTED));
      read(2 * i, 2 * MTU);
      assertEquals(List.of(0, 1), ids(2), "a trial");
      read(2 * i + 1, MTU); // the second did not arrive
      assertEquals(List.of(0), ids(1));
    }
    assertEquals(1, wire.counter(UdpCounter.GSO_REFUTED));
    read(6, 3 * MTU);
    assertEquals(List.of(0, 0, 0), ids(3));
    assertEquals(0, wire.counter(UdpCounter.GSO_PROVEN));
  }

  @Test
  @DisplayName("auto: answers that get lost as a whole are no proof against the path")
  void readsLostWhole() throws IOException {
    UdpWire wire = device("auto");
    for (int i = 0; i < 4; i++) {
      read(2 * i, 2 * MTU);
      assertEquals(List.of(0, 1), ids(2), "a trial");
      read(2 * i, MTU); // neither has arrived
      assertEquals(List.of(0), ids(1));
    }
    assertEquals(0, wire.counter(UdpCounter.GSO_REFUTED));
  }

  @Test
  @DisplayName("auto: a request takes the trial over from an answer, since its result comes sooner")
  void readThenRequests() throws IOException {
    UdpWire wire = device("auto");
    read(0, 2 * MTU);
    assertEquals(List.of(0, 1), ids(2), "a trial");
    read(2, 2 * MTU);
    assertEquals(List.of(0, 0), ids(2), "none while that one is outstanding");
    post(64, 64);
    assertEquals(List.of(0, 1), ids(2), "another trial");
    peer.acknowledge(HERE, side.qp.qpn(), FIRST_PSN + 1, ACK);
    side.next(1);
    side.next(2);
    assertEquals(1, wire.counter(UdpCounter.GSO_PROVEN));
  }
}
