package ib.ulp.ipoib.managed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ib.core.spi.PacketCapture;
import ib.driver.soft.Opensm;
import ib.driver.soft.fabric.NoSm;
import ib.driver.soft.ibsim.IbsimDoor;
import ib.driver.soft.sm.BuiltinSm;
import ib.ulp.ipoib.net.Backend;
import ib.ulp.ipoib.net.NetIf;
import ib.ulp.ipoib.testing.Lab;
import ib.ulp.ipoib.wire.Ip;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("issue 5, section 4: OpenSM, the Java fabric, IPoIB in this JVM: no privilege needed")
@Timeout(600)
class SubnetManagerDiesJvmTest {
  private static final long TRY_NS = 2_000_000_000L;
  private static final Ip GROUP = Ip.parse("239.9.9.9");

  private final AtomicInteger answered = new AtomicInteger();
  private final AtomicInteger heard = new AtomicInteger();
  private final AtomicInteger words = new AtomicInteger();
  private volatile boolean silent;
  private volatile boolean enough;
  private int port;
  @TempDir Path dir;

  @BeforeEach
  void need() throws Exception {
    assumeTrue(Opensm.missing().isEmpty(), () -> Opensm.missing().get());
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/tshark")), "no tshark");
    port = Opensm.freePort();
  }

  @ParameterizedTest(name = "in between the built-in subnet manager: {0}")
  @ValueSource(booleans = {true, false})
  @DisplayName("kill -9 and restart of the SM: no ping is lost, no frame is malformed")
  void dies(boolean builtin) throws Exception {
    Path file = dir.resolve("ipoib.pcapng");
    try (ManagedSubnet subnet =
            new ManagedSubnet(2, builtin ? BuiltinSm::new : NoSm::new, name -> Backend.inJvm());
        IbsimDoor door = subnet.door(port);
        PacketCapture.Session capture = subnet.capture(1, file)) {
      CompletableFuture<Void> pinged;
      try (Opensm sm = Opensm.start(port, "soft0", Files.createDirectory(dir.resolve("first")))) {
        sm.awaitUp();
        subnet.managedFrom(1);
        addresses(subnet);
        pinged =
            CompletableFuture.runAsync(() -> ping(subnet.stack(0)), Thread::startVirtualThread);
        Lab.await(() -> heard.get() > 0, "OpenSM has written its forwarding tables");
        silence();
        words.set(heard.get());
        silent = false;
        more(20);
        sm.kill();
        Lab.await(() -> door.clients().isEmpty(), "its end is seen");
      }
      more(20);
      silence();
      assertEquals(words.get(), heard.get(), "no word to the group was lost");
      try (Opensm sm = Opensm.start(port, "soft0", Files.createDirectory(dir.resolve("second")))) {
        sm.awaitUp();
        subnet.managedFrom(1);
        silent = false;
        more(100);
        int before = heard.get();
        Lab.await(() -> heard.get() > before + 20, "the group hears");
        enough = true;
        pinged.join();
        assertEquals(0, capture.dropped());
      }
    }
    assertEquals("", Opensm.tshark(dir, file, "_ws.malformed"));
    String all = Opensm.tshark(dir, file, "frame");
    for (String kind : List.of(" ARP ", " ICMP ", " ICMPv6 ", " 239.9.9.9 ")) {
      assertTrue(all.contains(kind), kind);
    }
  }

  private void addresses(ManagedSubnet subnet) {
    for (int i = 0; i < 2; i++) {
      subnet.stack(i).address(Ip.parse("10.96.0." + (i + 1)), 24);
      subnet.stack(i).address(Ip.parse("fd00::" + (i + 1)), 64);
    }
    subnet.stack(1).bind(7, (from, fromPort, to, data) -> heard.incrementAndGet());
    subnet.stack(1).join(GROUP);
    subnet.joined(1, "::f09:909");
  }

  /** One after the other: small, as long as the MTU allows (I9), IPv6, and a word to a group. */
  private void ping(NetIf from) {
    try {
      while (!enough) {
        from.ping(Ip.parse("10.96.0.2"), 56, TRY_NS).get();
        from.ping(Ip.parse("10.96.0.2"), 2016, TRY_NS).get();
        from.ping(Ip.parse("fd00::2"), 56, TRY_NS).get();
        if (!silent) {
          from.send(9, GROUP, 7, new byte[] {1}).get();
          words.incrementAndGet();
        }
        answered.incrementAndGet();
        LockSupport.parkNanos(5_000_000);
      }
    } catch (InterruptedException | ExecutionException e) {
      throw new AssertionError("a ping was lost after " + answered + " rounds", e);
    }
  }

  /** Says no more to the group; what was said is where it goes before the next ping is. */
  private void silence() {
    silent = true;
    more(2);
  }

  /** Sees rounds of pings answered from now on. */
  private void more(int rounds) {
    int before = answered.get();
    Lab.await(() -> answered.get() >= before + rounds, "answers, " + answered + " so far");
  }
}
