package ib.driver.rxe.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.engine.time.NanoClock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The receiving thread of a device with many sockets")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class NativeReceiverTest {
  private static final int WAIT_MS = 600_000;
  private static final int IDLE_MS = 1500; // above the second that the sleep once lasted at most
  private static final InetAddress QUIET = InetAddress.ofLiteral("127.0.0.1");
  private static final InetAddress LOUD = InetAddress.ofLiteral("127.0.0.2");
  private static final UdpOptions OPTIONS = ReceiverTest.options(UdpOptions.Path.NATIVE);

  private final Libc libc = Objects.requireNonNull(Libc.INSTANCE);
  private final UdpCounters counters = new UdpCounters();

  private NativeEndpoint endpoint(InetAddress address) throws IOException {
    NetworkInterface on = Addresses.holder(address);
    return NativeEndpoint.open(libc, address, on, OPTIONS, UdpOptions.ROCE_PORT, counters);
  }

  private NativeReceiver receiver(ReceivePool pool) throws IOException {
    Inbound inbound =
        new Inbound(
            new ReceiverTest.Port(),
            new ReceiverTest.Run(),
            pool,
            counters,
            new RefusedDatagrams(),
            NanoClock.SYSTEM,
            (high, low) -> false,
            OPTIONS);
    return new NativeReceiver(libc, inbound, pool, counters, 0);
  }

  @Test
  @DisplayName(
      "an idle device wakes up for nothing: its sleep lasts until the bell, which it reads")
  void idle() throws Exception {
    try (ReceivePool pool = new ReceivePool(1, 64, 1, 1);
        NativeEndpoint quiet = endpoint(QUIET)) {
      NativeReceiver receiver = receiver(pool);
      try {
        receiver.endpoints(new Endpoint[] {quiet});
        receiver.sleep();
        assertTrue(receiver.rang());
        Thread sleeper = Thread.ofPlatform().start(receiver::sleep);
        assertFalse(sleeper.join(Duration.ofMillis(IDLE_MS)), "woke up without a reason");
        receiver.wake();
        sleeper.join();
        assertTrue(receiver.rang());
        assertEquals(0, receiver.ready(0), "the bell was read");
        assertFalse(receiver.rang());
      } finally {
        receiver.stop();
      }
    }
  }

  @Test
  @DisplayName("S32: a consumer that rings the bell while the device goes hinders neither")
  void bellAtTheEnd() throws Exception {
    for (int round = 0; round < 300; round++) {
      try (ReceivePool pool = new ReceivePool(1, 64, 1, 1)) {
        NativeReceiver receiver = receiver(pool);
        AtomicBoolean stopped = new AtomicBoolean();
        AtomicInteger rung = new AtomicInteger();
        FutureTask<Void> ringer =
            new FutureTask<>(
                () -> {
                  while (!stopped.get()) {
                    receiver.wake();
                    rung.incrementAndGet();
                  }
                  receiver.wake();
                },
                null);
        Thread.ofPlatform().start(ringer);
        while (rung.get() == 0 && !ringer.isDone()) {
          Thread.onSpinWait();
        }
        receiver.stop(); // threw, so that the sockets of the device stayed open
        stopped.set(true);
        ringer.get();
      }
    }
  }

  @Test
  @DisplayName("asleep: a datagram ends the sleep without a read of the bell")
  void silentBell() throws IOException {
    try (ReceivePool pool = new ReceivePool(1, 64, 1, 1);
        NativeEndpoint loud = endpoint(LOUD);
        DatagramChannel peer = DatagramChannel.open()) {
      NativeReceiver receiver = receiver(pool);
      try {
        receiver.endpoints(new Endpoint[] {loud});
        receiver.sleep();
        peer.send(ByteBuffer.allocate(3), new InetSocketAddress(LOUD, UdpOptions.ROCE_PORT));
        receiver.sleep();
        assertFalse(receiver.rang());
      } finally {
        receiver.stop();
      }
    }
  }

  @ParameterizedTest(name = "{0} sockets")
  @ValueSource(ints = {1, 2, 8, 256, 257, 258, 1000})
  @DisplayName("a datagram at the last socket, or at the first, ends the sleep")
  void last(int count) throws IOException {
    try (ReceivePool pool = new ReceivePool(1, 64, 1, 1);
        NativeEndpoint quiet = endpoint(QUIET);
        NativeEndpoint loud = endpoint(LOUD);
        DatagramChannel peer = DatagramChannel.open()) {
      NativeReceiver receiver = receiver(pool);
      try {
        Endpoint[] all = new Endpoint[count]; // the system may be asked for one socket many times
        Arrays.fill(all, quiet);
        receiver.endpoints(all);
        receiver.sleep(); // ends at once, because new endpoints ring the bell
        assertEquals(0, receiver.ready(0));
        peer.send(ByteBuffer.allocate(3), new InetSocketAddress(LOUD, UdpOptions.ROCE_PORT));
        for (int place : new int[] {count - 1, 0}) {
          Endpoint[] one = all.clone();
          one[place] = loud;
          receiver.endpoints(one);
          receiver.sleep();
          assertEquals(1, receiver.ready(WAIT_MS), "socket " + place);
        }
      } finally {
        receiver.stop();
      }
    }
  }
}
