package ib.driver.rxe.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.wire.Bth;
import ib.core.wire.BthOpcode;
import ib.core.wire.DropReason;
import ib.core.wire.Icrc;
import ib.core.wire.Ipv4Header;
import ib.core.wire.UdpHeader;
import ib.engine.time.NanoClock;
import ib.engine.wire.Packet;
import ib.engine.wire.RunContext;
import ib.engine.wire.WirePort;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("bad input: the receiving thread survives every exception")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ReceiverTest {
  private static final int FAILURES = 30;
  private static final int LENGTH = Bth.BYTES + 4 + Icrc.BYTES;
  private static final InetAddress HERE = InetAddress.ofLiteral("127.0.0.1");
  private static final InetAddress THERE = InetAddress.ofLiteral("127.0.0.2");

  /** A run that does nothing, or throws. */
  static final class Run extends RunContext {
    private final AtomicInteger failing = new AtomicInteger();
    private int finished;

    @Override
    public void finish() {
      finished++;
      if (failing.getAndDecrement() > 0) {
        throw new IllegalStateException("in finish");
      }
    }
  }

  /** A port that throws before it takes anything. */
  static final class Port implements WirePort {
    private final AtomicInteger received = new AtomicInteger();

    @Override
    public void receive(Packet packet, RunContext run) {
      int n = received.incrementAndGet();
      packet.release(run);
      if (n <= FAILURES) {
        throw n % 2 == 0 ? new OutOfMemoryError("planted") : new AssertionError("planted");
      }
    }

    @Override
    public void dropped(DropReason reason) {
      throw new StackOverflowError("planted");
    }

    @Override
    public int number() {
      return 1;
    }

    @Override
    public int lid() {
      return 0;
    }

    @Override
    public boolean active() {
      return true;
    }
  }

  private static void until(java.util.function.BooleanSupplier condition, String what) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() - start < TimeUnit.MINUTES.toNanos(10), what);
      Thread.onSpinWait();
    }
  }

  /** A right acknowledgement. */
  private static ByteBuffer packet(int sourcePort) {
    MemorySegment packet = MemorySegment.ofArray(new byte[LENGTH]);
    Bth bth = new Bth();
    bth.wrap(packet, 0);
    bth.opcode(BthOpcode.RC_ACKNOWLEDGE.value());
    bth.pkey(0xffff);
    bth.destQp(0x123456);
    MemorySegment headers = MemorySegment.ofArray(new byte[Icrc.Network.IPV4.bytes()]);
    Ipv4Header ip = new Ipv4Header();
    ip.wrap(headers, 0);
    ip.versionAndLength(Ipv4Header.PLAIN);
    ip.totalLength(28 + LENGTH);
    ip.fragment(Ipv4Header.DONT_FRAGMENT);
    ip.protocol(UdpHeader.PROTOCOL);
    ip.source(0x7f000002);
    ip.destination(0x7f000001);
    UdpHeader udp = new UdpHeader();
    udp.wrap(headers, Ipv4Header.BYTES);
    udp.sourcePort(sourcePort);
    udp.destinationPort(UdpOptions.ROCE_PORT);
    udp.length(8 + LENGTH);
    int at = LENGTH - Icrc.BYTES;
    Icrc.store(packet, at, new Icrc().of(Icrc.Network.IPV4, headers, 0, packet, 0, at));
    return packet.asByteBuffer();
  }

  /** Hands nothing over, and ends as it is told. */
  private static final class Told extends Receiver {
    private final IntSupplier how;

    Told(Inbound inbound, UdpCounters counters, IntSupplier how) {
      super(inbound, counters, 0);
      this.how = how;
    }

    @Override
    void endpoints(Endpoint[] now) {}

    @Override
    int sweep() {
      return how.getAsInt();
    }

    @Override
    void sleep() {}

    @Override
    void settle() {}

    @Override
    void wake() {}

    @Override
    void release() {}
  }

  @Test
  @DisplayName(
      "issue 13, G8b: polls pause with looks at silent sockets; a datagram sent ends the pause, and"
          + " a datagram received ends the silence")
  void pauses() {
    UdpCounters counters = new UdpCounters();
    try (ReceivePool pool = new ReceivePool(1, 64, 1, 1)) {
      Inbound inbound =
          new Inbound(
              new Port(),
              new Run(),
              pool,
              counters,
              new RefusedDatagrams(),
              NanoClock.SYSTEM,
              (high, low) -> false,
              options(UdpOptions.Path.PORTABLE));
      AtomicInteger looks = new AtomicInteger();
      AtomicInteger waiting = new AtomicInteger();
      Receiver receiver =
          new Told(
              inbound,
              counters,
              () -> {
                looks.getAndIncrement();
                return waiting.getAndSet(0);
              });
      for (int round = 0; round < 1000; round++) {
        int before = looks.get();
        for (int i = 0; i < 10_000 && looks.get() - before == i; i++) {
          receiver.poll(); // until one has not looked
        }
        receiver.sent();
        before = looks.get();
        receiver.poll();
        assertEquals(before + 1, looks.get(), "a look, because an answer may come");
      }
      for (int i = 0; i < 1_000_000; i++) {
        receiver.poll(); // a long silence, so long pauses
      }
      waiting.set(1);
      until(receiver::poll, "what arrives in silence is found");
      for (int i = 0; i < 10; i++) {
        int before = looks.get();
        receiver.poll();
        assertEquals(before + 1, looks.get(), "a look, because more may come");
      }
    }
  }

  @Test
  @DisplayName("A16: a sweep throws midway: what it has handed over is run, its claims come back")
  void midway() {
    UdpCounters counters = new UdpCounters();
    Run run = new Run();
    RefusedDatagrams refusals = new RefusedDatagrams();
    try (ReceivePool pool = new ReceivePool(1, 64, 1, 1)) {
      Inbound inbound =
          new Inbound(
              new Port(),
              run,
              pool,
              counters,
              refusals,
              NanoClock.SYSTEM,
              (high, low) -> false,
              options(UdpOptions.Path.PORTABLE));
      IntSupplier fails =
          () -> {
            throw new OutOfMemoryError("planted");
          };
      assertFalse(new Told(inbound, counters, fails).poll());
      assertEquals(1, run.finished);
      assertEquals(1, counters.read(UdpCounter.RX_FAILED));
      assertTrue(new Told(inbound, counters, () -> 1).poll());
      assertEquals(2, run.finished);
      assertFalse(new Told(inbound, counters, () -> 0).poll());
      assertEquals(2, run.finished, "nothing came, nothing is run");
    }
  }

  static UdpOptions options(UdpOptions.Path path) {
    return new UdpOptions(
        UdpOptions.ROCE_PORT,
        1 << 20,
        0,
        path,
        0,
        UdpOptions.Gso.OFF,
        UdpOptions.Progress.THREAD,
        UdpOptions.IdCheck.LOOSE,
        UdpOptions.Local.WIRE,
        Set.of());
  }

  /** Starts a wire without a free file descriptor, and prints what it gets. */
  static final class Program {
    private Program() {}

    public static void main(String[] arguments) throws IOException {
      UdpOptions options = options(UdpOptions.Path.valueOf(arguments[0]));
      UdpWire first = new UdpWire(options, new LocalWires()); // so that the classes are loaded
      first.start(new Port(), new Run(), "first");
      first.stop();
      first.close();
      UdpWire wire = new UdpWire(options, new LocalWires());
      String got = "a receiver";
      List<FileInputStream> files = open();
      try {
        wire.start(new Port(), new Run(), "wire");
      } catch (IOException e) {
        got = e.getMessage();
      }
      for (FileInputStream file : files) {
        file.close();
      }
      wire.stop();
      wire.close();
      new PrintStream(System.out, true, StandardCharsets.UTF_8).println(got);
    }

    /** {@return open files, all that this process may have} */
    private static List<FileInputStream> open() {
      List<FileInputStream> files = new ArrayList<>();
      while (true) {
        try {
          files.add(new FileInputStream("/dev/null"));
        } catch (IOException e) {
          return files;
        }
      }
    }
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({"NATIVE", "PORTABLE"})
  @DisplayName("A14: a process without a free file descriptor: start() refuses, with the reason")
  void descriptors(UdpOptions.Path path) throws Exception {
    List<String> command =
        List.of(
            "sh",
            "-c",
            "ulimit -n 256 && exec \"$@\"",
            "sh",
            System.getProperty("java.home") + "/bin/java",
            "-XX:TieredStopAtLevel=1",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            Program.class.getName(),
            path.name());
    Process child =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try {
      List<String> said = child.inputReader(StandardCharsets.UTF_8).lines().toList();
      assertEquals(0, child.waitFor(), said::toString);
      assertTrue(said.getLast().contains("Too many open files"), said::toString);
    } finally {
      child.destroyForcibly();
    }
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({"NATIVE", "PORTABLE"})
  @DisplayName(
      "errors of the port, the run and the counters are counted, and the next packet is "
          + "received")
  void outlives(UdpOptions.Path path) throws IOException {
    UdpWire wire = new UdpWire(options(path), new LocalWires());
    Port port = new Port();
    Run run = new Run();
    wire.start(port, run, "ib-test-rx");
    wire.open(HERE);
    InetSocketAddress to = new InetSocketAddress(HERE, UdpOptions.ROCE_PORT);
    try (DatagramChannel peer = DatagramChannel.open()) {
      peer.bind(new InetSocketAddress(THERE, 0));
      int from = ((InetSocketAddress) peer.getLocalAddress()).getPort();
      for (int i = 1; i <= FAILURES; i++) {
        peer.send(packet(from), to);
        peer.send(ByteBuffer.allocate(3), to); // refused, and that throws as well
        int n = 2 * i;
        until(() -> wire.counter(UdpCounter.RX_FAILED) >= n, "failure " + n);
      }
      run.failing.set(3);
      peer.send(packet(from), to);
      until(() -> wire.counter(UdpCounter.RX_FAILED) > 2 * FAILURES, "failure of the run");
      int before = port.received.get();
      peer.send(packet(from), to);
      until(() -> port.received.get() > before, "the next packet was not heard");
      assertEquals(0, wire.counter(UdpCounter.RX_OVERRUN), "nothing is lost but the packets");
      String line = wire.report().orElseThrow();
      assertTrue(line.contains("short 30, the last from 127.0.0.2 port " + from), line);
      assertTrue(line.contains("times to receive"), line);
    } finally {
      wire.stop();
      wire.close();
    }
  }
}
