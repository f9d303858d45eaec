package ib.driver.soft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ib.driver.soft.fabric.Fabric;
import ib.driver.soft.fabric.FabricPort;
import ib.driver.soft.fabric.NoSm;
import ib.driver.soft.fabric.Subnet;
import ib.driver.soft.ibsim.IbsimDoor;
import ib.driver.soft.topology.NetFile;
import ib.driver.soft.topology.NetText;
import ib.driver.soft.topology.Node;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName(
    "A6: a topology file is the same subnet here as in C ibsim, as ibnetdiscover prints it")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class IbsimTextTest {
  private static final Path IBSIM = Path.of("/usr/bin/ibsim");
  private static final int ADAPTERS = 120;

  @TempDir Path dir;

  @BeforeEach
  void tools() {
    assumeTrue(Opensm.missing().isEmpty(), () -> Opensm.missing().get());
  }

  @ParameterizedTest
  @ValueSource(strings = {"names", "guids"})
  @DisplayName("A6: what C ibsim was recorded to give")
  void recorded(String name) throws Exception {
    assertEquals(resource(name + ".txt"), ours(resource(name + ".net")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"names", "guids"})
  @DisplayName("A6: what C ibsim gives now")
  void live(String name) throws Exception {
    same(resource(name + ".net"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"net", "net.1", "net.2sw2path", "net.2sw2path4hca", "net.2sw2path4hca2port"})
  @DisplayName("A6: C ibsim's own examples, where its package is installed")
  void examples(String name) throws Exception {
    Path file = Path.of("/usr/share/doc/ibsim-utils/net-examples", name);
    assumeTrue(Files.isReadable(file), "no " + file + " (package ibsim-utils)");
    same(Files.readString(file));
  }

  @Test
  @DisplayName("A6: a dump of 120 adapters is shown as it was written")
  void dump() throws Exception {
    String dump = NetText.fatTree(4, 10, ADAPTERS);
    assertEquals(records(dump), records(ours(dump)));
  }

  @Test
  @DisplayName("A6: a dump of 120 adapters, what C ibsim gives now")
  void liveDump() throws Exception {
    same(NetText.fatTree(4, 10, ADAPTERS));
  }

  private static Set<String> records(String text) {
    return Arrays.stream(text.split("\n\n"))
        .map(
            record ->
                record
                    .lines()
                    .filter(l -> !l.startsWith("#"))
                    .collect(Collectors.joining("\n"))
                    .strip())
        .filter(record -> !record.isEmpty())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private void same(String net) throws Exception {
    assumeTrue(Files.isExecutable(IBSIM), "no " + IBSIM + " (package ibsim-utils)");
    String theirs = theirs(net);
    assertTrue(theirs.contains("caguid="), theirs);
    assertEquals(theirs, ours(net));
  }

  private static String resource(String name) throws IOException {
    try (var in = IbsimTextTest.class.getResourceAsStream(name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** What ibnetdiscover prints here at the first adapter, when all adapters are there. */
  private String ours(String net) throws Exception {
    Fabric fabric = new Fabric(NoSm::new);
    List<Node> nodes = NetFile.read(net);
    Subnet subnet = fabric.describe("file", nodes);
    List<FabricPort> ports = new ArrayList<>();
    for (Node node : nodes) {
      if (!node.isSwitch()) {
        ports.addAll(fabric.plug("-", node.guid(), node.portCount(), "elsewhere"));
      }
    }
    ports.forEach(FabricPort::plugCable);
    int port = Opensm.freePort();
    List<String> errors = new ArrayList<>();
    try (IbsimDoor door = new IbsimDoor(fabric, port, errors::add)) {
      Node first = nodes.stream().filter(n -> !n.isSwitch()).findFirst().orElseThrow();
      String at = String.format("%016x", first.guid());
      String text = undated(Opensm.tool(port, at, dir, "ibnetdiscover"));
      assertTrue(door.clients().size() <= 1, "one client at most");
      return text;
    } finally {
      ports.forEach(FabricPort::close);
      fabric.forget(subnet);
      assertEquals(List.of(), errors);
    }
  }

  /** What ibnetdiscover prints at C ibsim's first adapter. */
  private String theirs(String net) throws Exception {
    Path file = Files.writeString(dir.resolve("net"), net);
    int port = Opensm.freePort();
    Path out = dir.resolve("ibsim.out");
    Process ibsim =
        new ProcessBuilder(
                IBSIM.toString(), "-r", "-l", String.valueOf(port), "-s", "-n", file.toString())
            .redirectErrorStream(true)
            .redirectOutput(out.toFile())
            .start();
    try {
      OpensmTest.await("ibsim listens", () -> !ibsim.isAlive() || listens(port));
      assertTrue(ibsim.isAlive(), () -> "ibsim has ended: " + read(out));
      String id = net.replaceAll("(?s).*?\n(?:Ca|Hca)\\s+\\d+ \"([^\"]+)\".*", "$1");
      return undated(Opensm.tool(port, id, dir, "ibnetdiscover"));
    } finally {
      ibsim.destroyForcibly().waitFor();
    }
  }

  /** Tells whether C ibsim has all its ports; it prints its last line before the first. */
  private static boolean listens(int port) {
    return read(Path.of("/proc/net/udp"))
        .contains(String.format(": 00000000:%04X ", port + Opensm.IBSIM_PORTS - 1));
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String undated(String text) {
    return text.lines()
        .filter(line -> !line.startsWith("# Topology file: generated on"))
        .filter(line -> !line.startsWith("ibwarn: ")) // of libumad2sim, where it is attached
        .map(line -> line + "\n")
        .collect(Collectors.joining());
  }
}
