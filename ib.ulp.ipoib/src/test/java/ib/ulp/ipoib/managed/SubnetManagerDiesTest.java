package ib.ulp.ipoib.managed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ib.core.spi.PacketCapture;
import ib.driver.soft.Opensm;
import ib.driver.soft.fabric.NoSm;
import ib.driver.soft.ibsim.IbsimDoor;
import ib.driver.soft.sm.BuiltinSm;
import ib.ulp.ipoib.tap.TapBackend;
import ib.ulp.ipoib.testing.Lab;
import ib.ulp.ipoib.testing.Namespaces;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName(
    "issue 5, section 4: OpenSM, the Java fabric, IPoIB on TAP: the kernel's stacks talk on")
@Timeout(600)
class SubnetManagerDiesTest {
  private static final Pattern ANSWER = Pattern.compile("icmp_seq=(\\d+) .*time=");

  /** A ping that goes on, and what it prints. */
  private record Pinger(Process process, CompletableFuture<String> output) {}

  private final Namespaces namespaces = new Namespaces();
  private final List<Pinger> pings = new ArrayList<>();
  private final String[] names = new String[2];
  private String left;
  private String right;
  private int port;
  @TempDir Path dir;

  @BeforeEach
  void need() throws Exception {
    assumeTrue(Opensm.missing().isEmpty(), () -> Opensm.missing().get());
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/tshark")), "no tshark");
    Namespaces.require("ip", "ping", "iperf3");
    port = Opensm.freePort();
    for (int i = 0; i < 2; i++) {
      names[i] = "ib" + i + "m" + ProcessHandle.current().pid();
    }
    left = namespaces.add();
    right = namespaces.add();
  }

  @AfterEach
  void end() {
    pings.forEach(ping -> ping.process.destroy());
    namespaces.close();
  }

  @ParameterizedTest(name = "in between the built-in subnet manager: {0}")
  @ValueSource(booleans = {true, false})
  @DisplayName("kill -9 and restart of the SM: no ping is lost, no frame is malformed")
  void dies(boolean builtin) throws Exception {
    Path file = dir.resolve("ipoib.pcapng");
    try (ManagedSubnet subnet =
            new ManagedSubnet(
                2,
                builtin ? BuiltinSm::new : NoSm::new,
                name -> TapBackend.open(names[name.charAt(2) - '0']));
        IbsimDoor door = subnet.door(port);
        PacketCapture.Session capture = subnet.capture(1, file)) {
      namespaces.move(names[0], left, "10.96.0.1/24", "fd00::1/64");
      namespaces.move(names[1], right, "10.96.0.2/24", "fd00::2/64");
      Process server;
      Process stream;
      try (Opensm sm = Opensm.start(port, "soft0", subdirectory("first"))) {
        sm.awaitUp();
        subnet.managedFrom(1);
        server = namespaces.startIn(right, "iperf3", "-s", "-1");
        begin(subnet);
        stream = namespaces.startIn(left, "iperf3", "-c", "10.96.0.2", "-b", "10M", "-t", "5");
        sm.kill();
        Lab.await(() -> door.clients().isEmpty(), "its end is seen");
      }
      answered();
      heard();
      finished(List.of(pings.removeLast()));
      try (Opensm sm = Opensm.start(port, "soft0", subdirectory("second"))) {
        sm.awaitUp();
        subnet.managedFrom(1);
        answered();
        heard();
        String sent = Namespaces.output(stream);
        assertTrue(sent.contains("receiver"), sent);
        Namespaces.output(server);
        finished(pings);
        assertEquals(0, capture.dropped());
      }
    }
    decoded(file);
  }

  private Path subdirectory(String name) throws Exception {
    return Files.createDirectory(dir.resolve(name));
  }

  /** Begins to ping: small, as long as the MTU allows (I9), IPv6, a group. */
  private void begin(ManagedSubnet subnet) {
    namespaces.in(right, "sysctl", "-q", "net.ipv4.icmp_echo_ignore_broadcasts=0");
    namespaces.in(right, "ip", "addr", "add", "239.9.9.9/32", "dev", names[1], "autojoin");
    subnet.joined(1, "::f09:909");
    // D1: three packets wait for a path that is not known yet, more are dropped
    namespaces.in(left, "ping", "-n", "-c", "1", "-W", "30", "10.96.0.2");
    namespaces.in(left, "ping", "-n", "-6", "-c", "1", "-W", "30", "fd00::2");
    heard(); // OpenSM writes forwarding tables after it has answered who joins
    ping("-i", "0.01", "10.96.0.2");
    ping("-i", "0.05", "-M", "do", "-s", "2016", "10.96.0.2");
    ping("-6", "-i", "0.02", "fd00::2");
    ping("-i", "0.01", "-I", names[0], "239.9.9.9");
  }

  private void ping(String... options) {
    List<String> command = new ArrayList<>(List.of("ping", "-n"));
    command.addAll(List.of(options));
    Process process = namespaces.startIn(left, command.toArray(String[]::new));
    pings.add(
        new Pinger(
            process,
            CompletableFuture.supplyAsync(
                () -> Namespaces.output(process), Thread::startVirtualThread)));
  }

  /** Sees twenty pings answered from now on. */
  private void answered() {
    namespaces.in(left, "ping", "-n", "-q", "-c", "20", "-i", "0.01", "-W", "30", "10.96.0.2");
  }

  /**
   * Sees a group answer fifty times. A new OpenSM knows of no group, and takes those that it hears
   * of out of the forwarding tables one after the other: until all ports have joined again a group
   * may be deaf.
   */
  private void heard() {
    String[] ping = {"ping", "-n", "-q", "-c", "50", "-i", "0.02", "-w", "60", "-I", names[0]};
    String[] group = Arrays.copyOf(ping, ping.length + 1);
    group[ping.length] = "239.9.9.9";
    namespaces.in(left, group);
  }

  /** Ends pings and looks for those that were not answered before the last answer. */
  private static void finished(List<Pinger> all) {
    StringBuilder lost = new StringBuilder();
    for (Pinger ping : all) {
      Namespaces.run("kill", "-INT", String.valueOf(ping.process.pid()));
      String output = ping.output.join();
      BitSet answers = new BitSet();
      ANSWER.matcher(output).results().forEach(m -> answers.set(Integer.parseInt(m.group(1)) - 1));
      assertTrue(answers.cardinality() > 40, output);
      if (answers.cardinality() < answers.length()) {
        lost.append(answers.cardinality()).append(" of ").append(answers.length()).append(output);
      }
    }
    assertEquals("", lost.toString(), "0 lost pings");
  }

  private void decoded(Path file) throws Exception {
    assertEquals("", Opensm.tshark(dir, file, "_ws.malformed"));
    String all = Opensm.tshark(dir, file, "frame");
    for (String kind : List.of(" ARP ", " ICMP ", " ICMPv6 ", " 239.9.9.9 ", " TCP ")) {
      assertTrue(all.contains(kind), kind);
    }
  }
}
