package ib.driver.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.core.verbs.Gid;
import ib.core.verbs.Mtu;
import ib.core.verbs.QpType;
import ib.core.wire.Bth;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("issue 4, section 1: UDP source port entropy per queue pair")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class SourcePortTest {
  private static final int PEER_QPN = 0x123456;

  @ParameterizedTest
  @CsvSource({"native", "portable"})
  @DisplayName("the port of a connection is the one that Linux computes")
  void connected(String io) throws IOException {
    try (RxeLab lab = new RxeLab();
        DatagramChannel peer = DatagramChannel.open()) {
      peer.bind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.2"), 4791));
      lab.configure("rxe0", "address", "127.0.0.1", "io", io);
      RxeSide a = lab.side("rxe0");
      a.open(QpType.RC);
      a.bringUp(Gid.parse("::ffff:127.0.0.2"), PEER_QPN, Mtu.MTU_1024);
      long v = (long) a.qp.qpn() * PEER_QPN;
      v ^= v >>> 20;
      v ^= v >>> 40;
      int label = (int) v & 0xfffff;
      int expected = (label & 0x3fff ^ (label & 0xfc000) >>> 14) | 0xc000;
      a.send(1, 0, 64);
      assertEquals(4791, source(peer), "before there is a socket for it");
      lab.running.get("rxe0").watch.look();
      int port = 4791;
      for (int i = 0; i < 5 && port == 4791; i++) {
        port = source(peer); // it is sent again, since nobody answers
      }
      assertEquals(expected, port);
    }
  }

  private static int source(DatagramChannel peer) throws IOException {
    ByteBuffer packet = ByteBuffer.allocate(2048);
    InetSocketAddress from = (InetSocketAddress) peer.receive(packet);
    assertEquals(Bth.BYTES + 64 + 4, packet.position());
    return from.getPort();
  }
}
