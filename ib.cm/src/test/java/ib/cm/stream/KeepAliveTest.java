package ib.cm.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.cm.stream.StreamWorld.Both;
import ib.core.spi.FaultInjection;
import ib.core.spi.FaultRule;
import ib.core.verbs.IbInvalidException;
import ib.driver.soft.standalone.SoftFabric;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("RS-10: keepalive of streams")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class KeepAliveTest {
  private static final Duration OFTEN = Duration.ofMillis(20);
  private final StreamWorld world = new StreamWorld(SoftFabric.open("soft0", "soft1"));

  @AfterEach
  void close() {
    world.close();
  }

  /** All packets are lost from now on. */
  private void silence() {
    for (String device : world.fabric.names()) {
      world.fabric.service(device, FaultInjection.class).add(FaultRule.parse("loss rate=1"));
    }
  }

  private void sound() {
    for (String device : world.fabric.names()) {
      world.fabric.service(device, FaultInjection.class).clear();
    }
  }

  @Test
  @DisplayName("a reader hears that its silent peer is gone; without keepalive it waits on")
  void gone() throws Exception {
    StreamOptions quick = StreamWorld.DEFAULTS.closeTimeout(Duration.ZERO);
    try (Both both = world.connected(quick.keepAlive(OFTEN));
        Both without = world.connected(quick)) {
      Future<Integer> waits =
          world.threads.submit(() -> without.mine().read(ByteBuffer.allocate(1)));
      silence();
      Future<Integer> hears = world.threads.submit(() -> both.mine().read(ByteBuffer.allocate(1)));
      ExecutionException e =
          assertThrows(ExecutionException.class, () -> hears.get(1, TimeUnit.MINUTES));
      SocketException why = assertInstanceOf(SocketException.class, e.getCause());
      assertEquals("Connection reset: RETRY_EXC_ERR", why.getMessage());
      assertThrows(TimeoutException.class, () -> waits.get(100, TimeUnit.MILLISECONDS));
      sound();
    }
  }

  @Test
  @DisplayName(
      "RS-8: looks, which are writes of no length, disturb no data and end with the stream")
  void harmless() throws Exception {
    try (Both both = world.connected(StreamWorld.DEFAULTS.keepAlive(Duration.ofNanos(1)))) {
      for (int i = 0; i < 2_000; i++) {
        both.mine().write(ByteBuffer.wrap(new byte[] {(byte) i}));
        ByteBuffer into = ByteBuffer.allocate(1);
        assertEquals(1, both.theirs().read(into));
        assertEquals((byte) i, into.get(0));
      }
    }
    assertThrows(
        IbInvalidException.class, () -> StreamWorld.DEFAULTS.keepAlive(Duration.ofDays(2)));
  }

  @Test
  @DisplayName("a stop ends the looks at once, also between two of them")
  void stops() throws Exception {
    CountDownLatch three = new CountDownLatch(3);
    AtomicInteger looks = new AtomicInteger();
    KeepAlive often =
        new KeepAlive(
            Duration.ofMillis(1),
            () -> {
              three.countDown();
              return looks.incrementAndGet() < 3;
            });
    often.start();
    assertTrue(three.await(1, TimeUnit.MINUTES));
    KeepAlive seldom = new KeepAlive(Duration.ofDays(1), () -> looks.incrementAndGet() > 0);
    seldom.start();
    seldom.stop();
    assertTrue(seldom.ends(Duration.ofMinutes(1)));
    assertTrue(often.ends(Duration.ofMinutes(1)));
    assertEquals(3, looks.get());
  }
}
