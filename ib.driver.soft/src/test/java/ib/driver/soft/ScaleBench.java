package ib.driver.soft;

import ib.core.mad.smp.PortInfo;
import ib.core.verbs.NodeType;
import ib.core.verbs.PortState;
import ib.driver.base.Slot;
import ib.driver.soft.fabric.Subnet;
import ib.driver.soft.ibsim.IbsimDoor;
import ib.driver.soft.topology.Node;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** What {@code bench/scale} runs: one row of its table for one number of adapters. */
final class ScaleBench {
  private static final int UPLINKS = 4;
  private static final int DOWNLINKS = 32;
  private static final long PATIENCE_NS = TimeUnit.MINUTES.toNanos(2);

  private ScaleBench() {}

  /**
   * Brings a subnet up, with a midlayer and all that a driver has, and prints a row.
   *
   * @param args how many adapters, and {@code opensm} to have it manage them afterwards
   * @throws Exception when it does not come up
   */
  public static void main(String[] args) throws Exception {
    int adapters = Integer.parseInt(args[0]);
    boolean opensm = args.length > 1 && args[1].equals("opensm");
    PrintStream out = new PrintStream(new java.io.FileOutputStream(java.io.FileDescriptor.out));
    long rssBefore = residentKb();
    int threadsBefore = Thread.getAllStackTraces().size();
    try (Lab lab = new Lab()) {
      long cpuBefore = cpuNs();
      long begin = System.nanoTime();
      Subnet subnet = lab.fabric.describe("scale", fatTree(adapters));
      for (int i = 0; i < adapters; i++) {
        lab.devices.configure("ib.driver.soft~n" + i, Map.of());
      }
      await("ACTIVE", () -> active(subnet) == adapters);
      long active = System.nanoTime() - begin;
      lab.devices.slots().forEach(Slot::quiesce);
      long live = System.nanoTime() - begin;
      long cpu = cpuNs() - cpuBefore;
      int threads = Thread.getAllStackTraces().size() - threadsBefore;
      long rss = residentKb() - rssBefore;
      System.gc();
      Runtime vm = Runtime.getRuntime();
      long heap = vm.totalMemory() - vm.freeMemory();
      String managed = opensm ? opensm(lab, subnet, adapters) : "-";
      long ending = System.nanoTime();
      lab.devices.stop();
      out.printf(
          "| %,d | %,d | %,d | %,d | %s | %,d | %,d | %,d | %,d |%n",
          adapters,
          active / 1_000_000,
          live / 1_000_000,
          cpu / 1_000_000,
          managed,
          (System.nanoTime() - ending) / 1_000_000,
          threads,
          heap >> 20,
          rss >> 10);
      out.flush();
    }
  }

  private static String opensm(Lab lab, Subnet subnet, int adapters) throws Exception {
    if (Opensm.missing().isPresent()) {
      return Opensm.missing().get();
    }
    Path dir = Files.createTempDirectory("ib-scale");
    int port = Opensm.freePort();
    try (IbsimDoor door = new IbsimDoor(lab.fabric, port, lab.errors::add);
        Opensm sm = beginning(port, dir)) {
      long begin = System.nanoTime();
      sm.awaitUp();
      await("managed by OpenSM", () -> managedByOther(subnet) == adapters);
      long took = System.nanoTime() - begin;
      return String.format("%,d", took / 1_000_000) + (door.clients().isEmpty() ? "?" : "");
    } finally {
      try (Stream<Path> all = Files.walk(dir)) {
        for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(each);
        }
      }
    }
  }

  private static Opensm beginning(int port, Path dir) throws IOException {
    return Opensm.start(port, "n0", dir);
  }

  private static long active(Subnet subnet) {
    synchronized (subnet.fabric()) {
      return adapters(subnet).filter(n -> n.port(1).state() == PortState.ACTIVE).count();
    }
  }

  private static long managedByOther(Subnet subnet) {
    synchronized (subnet.fabric()) {
      return adapters(subnet)
          .filter(n -> n.port(1).state() == PortState.ACTIVE)
          .filter(n -> PortInfo.SM_LID.in(n.port(1).info()) == n.port(1).lid() || smLid(n) < 0xB000)
          .count();
    }
  }

  private static int smLid(Node node) {
    return PortInfo.SM_LID.in(node.port(1).info());
  }

  private static Stream<Node> adapters(Subnet subnet) {
    return subnet.nodes().stream().filter(n -> !n.isSwitch());
  }

  private static void await(String what, java.util.function.BooleanSupplier done) {
    long end = System.nanoTime() + PATIENCE_NS;
    while (!done.getAsBoolean()) {
      if (System.nanoTime() > end) {
        throw new AssertionError("not within two minutes: " + what);
      }
      LockSupport.parkNanos(2_000_000);
    }
  }

  private static long cpuNs() {
    return ProcessHandle.current()
        .info()
        .totalCpuDuration()
        .map(java.time.Duration::toNanos)
        .orElse(0L);
  }

  private static long residentKb() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/status")).stream()
        .filter(line -> line.startsWith("VmRSS:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
        .findFirst()
        .orElse(0);
  }

  /** Two levels: leaves with 32 adapters each, every leaf with a link to each of four spines. */
  static List<Node> fatTree(int adapters) {
    int leaves = (adapters + DOWNLINKS - 1) / DOWNLINKS;
    List<Node> nodes = new ArrayList<>();
    for (int i = 0; i < UPLINKS + leaves; i++) {
      String name = i < UPLINKS ? "spine" + i : "leaf" + (i - UPLINKS);
      nodes.add(new Node(NodeType.SWITCH, 0x0200_0000_0000_0000L + i, 36, name));
    }
    for (int leaf = 0; leaf < leaves; leaf++) {
      for (int spine = 0; spine < UPLINKS; spine++) {
        nodes.get(UPLINKS + leaf).port(36 - spine).cable(nodes.get(spine).port(leaf + 1));
      }
    }
    for (int i = 0; i < adapters; i++) {
      Node node = new Node(NodeType.CA, 0x0300_0000_0000_0000L + 0x100L * i, 1, "n" + i);
      node.port(1).cable(nodes.get(UPLINKS + i / DOWNLINKS).port(1 + i % DOWNLINKS));
      nodes.add(node);
    }
    return nodes;
  }
}
