package ib.driver.rxe.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("issue 13, point 5: what marks a receive buffer that is getting full")
final class BacklogTest {
  private static final InetAddress HERE = InetAddress.ofLiteral("127.0.0.1");
  private static final int DATAGRAMS = 10_000; // more than any socket keeps

  private final Libc libc = Objects.requireNonNull(Libc.INSTANCE);

  @ParameterizedTest
  @CsvSource({"0, 0", "300, 0", "375, 0", "562, 0.5", "750, 1", "1200, 1"})
  @DisplayName("none below 3/8 of the buffer, all above 3/4, between them by chance")
  void share(int allocated, double expected) {
    assertEquals(expected, Backlog.share(allocated, 1000), 0.01);
  }

  @Test
  @DisplayName("RFC 3168: a socket with nothing to read marks nothing, a full one each datagram")
  void socket() throws IOException {
    try (Arena arena = Arena.ofConfined();
        NativeEndpoint socket =
            NativeEndpoint.open(
                libc,
                HERE,
                Addresses.holder(HERE),
                ReceiverTest.options(UdpOptions.Path.NATIVE),
                UdpOptions.ROCE_PORT,
                new UdpCounters());
        DatagramChannel peer = DatagramChannel.open()) {
      Backlog backlog =
          new Backlog(arena.allocate(Backlog.bytes(), 8), arena.allocate(Libc.stateBytes(), 8));
      assertTrue(backlog.isDue(1, 1), "the size of the buffer is not known yet");
      backlog.look(libc, socket.fd());
      assertFalse(backlog.marks());
      assertFalse(backlog.isDue(1, 1));
      for (int i = 0; i < DATAGRAMS; i++) {
        peer.send(ByteBuffer.allocate(1024), new InetSocketAddress(HERE, UdpOptions.ROCE_PORT));
      }
      backlog.look(libc, socket.fd());
      for (int i = 0; i < 100; i++) {
        assertTrue(backlog.marks());
      }
      backlog.clear();
      assertFalse(backlog.marks());
    }
  }

  @Test
  @DisplayName("a descriptor that is no socket: nothing is marked")
  void unknown() {
    try (Arena arena = Arena.ofConfined()) {
      Backlog backlog =
          new Backlog(arena.allocate(Backlog.bytes(), 8), arena.allocate(Libc.stateBytes(), 8));
      backlog.look(libc, -1);
      assertFalse(backlog.marks());
    }
  }
}
