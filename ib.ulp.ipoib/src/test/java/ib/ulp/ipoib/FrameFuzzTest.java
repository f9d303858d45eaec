package ib.ulp.ipoib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import ib.core.verbs.Gid;
import ib.core.verbs.IbTimedOutException;
import ib.core.verbs.WcStatus;
import ib.ulp.ipoib.link.LinkConfig;
import ib.ulp.ipoib.net.NetIf;
import ib.ulp.ipoib.testing.Lab;
import ib.ulp.ipoib.wire.Arp;
import ib.ulp.ipoib.wire.Encapsulation;
import ib.ulp.ipoib.wire.Groups;
import ib.ulp.ipoib.wire.Ip;
import ib.ulp.ipoib.wire.LinkAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * System properties: {@code ib.fuzz.frames} says how many, {@code ib.fuzz.seed} replays what a
 * failure printed.
 */
@Tag("finding")
@DisplayName("bad input: every byte of packets that an interface receives, by UD and by RC")
@Timeout(value = 1800, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FrameFuzzTest {
  private static final long SEED = Long.getLong("ib.fuzz.seed", 20_261);
  private static final int FRAMES = Integer.getInteger("ib.fuzz.frames", 20_000);
  private static final int WARM = 1_000;
  private static final int PING_EVERY = 500;
  private static final int MAX_UD = 2048;
  private static final int MAX_RC = 65_524;
  private static final long MIN_PATIENCE_NS = 100_000_000L;
  private static final long MAX_PATIENCE_NS = 6_000_000_000L;
  private static final long PATIENCE_NS = 100 * MAX_PATIENCE_NS; // with all tries of a ping
  private static final long MAX_HEAP = 24 << 20;
  private static final Ip[] ONE = {Ip.parse("10.96.0.1"), Ip.parse("fd00::1")};
  private static final Ip[] TWO = {Ip.parse("10.96.0.2"), Ip.parse("fd00::2")};

  private final SplittableRandom random = new SplittableRandom(SEED);
  private final Lab lab = new Lab(3);
  private final AtomicLong heard = new AtomicLong();
  private FrameMutations mutations;
  private Stranger stranger;
  private NetIf a;
  private NetIf b;
  private int sent;

  /** ib0 and ib1 have connected mode; the stranger has the third device. */
  @BeforeEach
  void open() {
    a = lab.stack("ib0");
    b = lab.stack("ib1");
    for (int i = 0; i < 2; i++) {
      a.address(ONE[i], i == 0 ? 24 : 64);
      b.address(TWO[i], i == 0 ? 24 : 64);
    }
    for (String name : List.of("ib0", "ib1", "ib2")) {
      lab.up(name);
    }
    for (String name : List.of("ib0", "ib1")) {
      asked(
          () -> {
            lab.device(name).connected(true);
            return true;
          });
    }
    Lab.await(() -> lab.device("ib1").state().mtu() > MAX_RC - 10, "connected mode");
    List<Ip> own = new ArrayList<>(List.of(ONE));
    Lab.await(() -> a.addresses().size() == 3 && b.addresses().size() == 3, "addresses");
    own.addAll(a.addresses());
    stranger = new Stranger(lab, "soft2", "soft1", lab.device("ib1").state().address());
    mutations = new FrameMutations(random, List.of(TWO), own, stranger.address());
    b.bind(FrameMutations.PORT, (from, port, to, data) -> heard.incrementAndGet());
    afterwards();
  }

  @AfterEach
  void close() {
    stranger.close();
    lab.close();
  }

  /** Asks an interface, which has a second to answer in, until it does: machines may be busy. */
  private static <T> T asked(Supplier<T> question) {
    AtomicReference<T> answer = new AtomicReference<>();
    Lab.await(
        () -> {
          try {
            answer.set(question.get());
          } catch (IbTimedOutException late) {
            return false;
          }
          return true;
        },
        "an answer of the interface");
    return answer.get();
  }

  /** One packet in four goes by the connection, some of them longer than a datagram. */
  private void attack(int count) {
    for (int i = 0; i < count; i++) {
      boolean connected = mutations.chance(25);
      int length = mutations.fill(stranger.memory(), connected ? MAX_RC : MAX_UD);
      if (connected) {
        assertEquals(WcStatus.SUCCESS, stranger.message(length));
      } else {
        stranger.datagram(length, mutations.chance(50));
      }
      sent++;
      if (i % PING_EVERY == 0) {
        lab.subnet.log.clear();
        ping(a, TWO[0], 56);
      }
    }
  }

  /**
   * A ping that may be lost in the crowd, but not for ever. Each try is given twice the time of the
   * one before: most answers come at once, and the packet of a try may be lost.
   */
  private static void ping(NetIf from, Ip to, int bytes) {
    List<Throwable> lost = new ArrayList<>();
    long patience = MIN_PATIENCE_NS;
    for (long left = PATIENCE_NS; left > 0; left -= patience) {
      patience = Math.min(lost.isEmpty() ? patience : 2 * patience, MAX_PATIENCE_NS);
      CompletableFuture<Long> reply = from.ping(to, bytes, patience);
      Throwable why = reply.handle((ns, e) -> e).join();
      if (why == null) {
        return;
      }
      lost.add(why);
    }
    fail(to + ", " + bytes + " bytes: " + lost);
  }

  private long failures(String name) {
    return lab.device(name).statistics().getOrDefault("failures", 0L);
  }

  /** Everybody is as if nothing had been. */
  private void afterwards() {
    for (int i = 0; i < 2; i++) {
      for (int bytes : new int[] {56, 9000}) {
        ping(a, TWO[i], bytes);
        ping(b, ONE[i], bytes);
      }
    }
    for (String name : List.of("ib0", "ib1")) {
      assertEquals(0, failures(name), () -> name + ": " + lab.device(name).statistics());
    }
  }

  @Test
  @DisplayName("nothing dies, all is counted by reason, pings and connections go on")
  void frames(TestReporter reporter) {
    reporter.publishEntry("ib.fuzz.seed", "" + SEED);
    try {
      attack(WARM);
      afterwards();
      TreeSet<String> threads = threads();
      long heap = heap();
      attack(FRAMES);
      afterwards();
      Map<String, Long> counts = lab.device("ib1").statistics();
      for (String why : List.of("short", "type", "malformed", "checksum", "not_mine")) {
        assertTrue(counts.getOrDefault("drop_rx_" + why, 0L) > 0, why + ": " + counts);
      }
      assertTrue(heard.get() > 0, "right ones were heard");
      assertEquals(threads, threads());
      Lab.await(() -> heap() - heap < MAX_HEAP, "the heap as it was, " + heap);
      reporter.publishEntry("sent", sent + " " + counts);
    } catch (AssertionError e) {
      throw new AssertionError("seed " + SEED + ", after " + sent + " packets", e);
    }
  }

  private void plant() {
    b.bind(
        FrameMutations.PORT,
        (from, port, to, data) -> {
          heard.incrementAndGet();
          throw new IllegalStateException("planted");
        });
  }

  @Test
  @DisplayName("canary: one receiver that throws does not pass unnoticed")
  void canary() {
    plant();
    attack(2 * WARM);
    assertTrue(heard.get() > 0, "it was reached");
    AssertionError noticed = assertThrows(AssertionError.class, this::afterwards);
    assertTrue(noticed.getMessage().startsWith("ib1: {"), noticed.getMessage());
    Lab.await(() -> heard.get() == failures("ib1"), "each is counted");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName(
      "a receiver that throws takes no buffer along: more packets than buffers, then pings")
  void buffers(boolean connected) {
    plant();
    for (int i = 0; i < 3 * LinkConfig.DEFAULT.receives(); i++) {
      int length = mutations.udpOf(stranger.memory(), ONE[0], TWO[0]);
      if (connected) {
        assertEquals(WcStatus.SUCCESS, stranger.message(length));
      } else {
        stranger.datagram(length, false);
      }
      if (i % 50 == 0) {
        ping(a, TWO[0], 56);
      }
    }
    for (int i = 0; i < 2; i++) {
      ping(a, TWO[i], 56);
      ping(a, TWO[i], 9000);
    }
    Lab.await(() -> heard.get() == failures("ib1"), "each is counted");
  }

  @Test
  @DisplayName(
      "as many neighbours and paths as the bounds allow, with any number of claimed senders")
  void flood() {
    int askers = 6_000;
    for (int i = 0; i < askers; i++) {
      LinkAddress asker = new LinkAddress(0, 1 + i, Gid.linkLocal(0x5000_0000L + i));
      Encapsulation.write(stranger.memory(), 0, Encapsulation.ARP);
      new Arp(Arp.REQUEST, asker, 0x0a61_0000 + i, Arp.UNKNOWN, TWO[0].v4())
          .write(stranger.memory(), Encapsulation.BYTES);
      stranger.datagram(Encapsulation.BYTES + Arp.BYTES, false);
      if (i % 100 == 0) {
        lab.subnet.log.clear();
        ping(a, TWO[0], 56);
      }
    }
    NetDevice device = lab.device("ib1");
    int neighbours = asked(device::neighbours).size();
    assertTrue(neighbours > 3000 && neighbours <= 4096, neighbours + " neighbours");
    int paths = asked(device::paths).size();
    assertTrue(paths > 3000 && paths <= 4096, paths + " paths");
    afterwards();
  }

  @Test
  @DisplayName("as many groups as the bound allows, with any number of solicited-node addresses")
  void groups() {
    int askers = 1_300;
    for (int i = 0; i < askers; i++) {
      Ip asker = new Ip(ONE[1].high(), 0x10_0000 + i);
      stranger.datagram(mutations.echoOf(stranger.memory(), asker, TWO[1]), false);
      if (i % 100 == 0) {
        lab.subnet.log.clear();
        ping(a, TWO[0], 56);
      }
    }
    int groups = asked(lab.device("ib1")::groups).size();
    assertTrue(groups > 500 && groups <= 1024, groups + " groups");
    afterwards();
  }

  @Test
  @DisplayName("a neighbour with a multicast address gets no answer, and no group is joined for it")
  void group() {
    List<String> unwanted = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      Ip four = Ip.v4(0xe000_0100 + i);
      Ip six = new Ip(0xff02L << 48, 0x100 + i);
      for (Ip from : List.of(four, six)) {
        unwanted.add(Groups.of(from, lab.device("ib1").state().broadcast()).toString());
        Ip to = TWO[from.isV4() ? 0 : 1];
        stranger.datagram(mutations.echoOf(stranger.memory(), from, to), false);
      }
    }
    Lab.await(
        () -> lab.device("ib1").statistics().getOrDefault("drop_rx_malformed", 0L) >= 200,
        "counted");
    Map<String, String> groups = asked(lab.device("ib1")::groups);
    assertTrue(Collections.disjoint(groups.keySet(), unwanted), groups.toString());
  }

  /** {@return the service threads; those that come and go by themselves left out} */
  private static TreeSet<String> threads() {
    TreeSet<String> names = new TreeSet<>();
    for (Thread t : Thread.getAllStackTraces().keySet()) {
      String name = t.getName();
      if (name.startsWith("ipoib-")) {
        names.add(name);
      }
    }
    return names;
  }

  private static long heap() {
    System.gc();
    Runtime r = Runtime.getRuntime();
    return r.totalMemory() - r.freeMemory();
  }
}
