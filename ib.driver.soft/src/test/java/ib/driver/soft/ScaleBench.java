package ib.driver.soft;

import ib.core.mad.smp.PortInfo;
import ib.core.verbs.NodeType;
import ib.core.verbs.PortState;
import ib.driver.base.Slot;
import ib.driver.soft.fabric.Subnet;
import ib.driver.soft.ibsim.IbsimDoor;
import ib.driver.soft.topology.Node;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
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
  private static final String NOT_UP = "not up";
  private static final int PATIENCE_S = 120;

  private ScaleBench() {}

  /**
   * Brings a subnet up, with a midlayer and all that a driver has, and prints a row. What OpenSM
   * does not manage in time is said in the row, with the end of its log in the error output.
   *
   * @param args how many adapters, and {@code opensm} to have it manage them afterwards
   * @throws Exception when it does not come up
   */
  public static void main(String[] args) throws Exception {
    int adapters = Integer.parseInt(args[0]);
    boolean opensm = args.length > 1 && args[1].equals("opensm");
    PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true);
    PrintStream err = new PrintStream(new FileOutputStream(FileDescriptor.err), true);
    boolean good;
    try (Lab lab = new Lab()) {
      long first = sinceLaunchMs();
      Subnet subnet = lab.fabric.describe("scale", fatTree(adapters));
      for (int i = 0; i < adapters; i++) {
        lab.devices.configure("ib.driver.soft~n" + i, Map.of());
      }
      await("ACTIVE", () -> active(subnet) == adapters);
      long active = sinceLaunchMs();
      lab.devices.slots().forEach(Slot::quiesce);
      long known = sinceLaunchMs();
      long processor = processorMs();
      await("the slots' threads end", () -> slotThreads() == 0);
      long threads = status("Threads:");
      long resident = status("VmRSS:") >> 10;
      System.gc();
      Runtime vm = Runtime.getRuntime();
      long heap = vm.totalMemory() - vm.freeMemory() >> 20;
      String managed = opensm ? opensm(lab, subnet, adapters, err) : "-";
      good = !managed.equals(NOT_UP);
      long ending = sinceLaunchMs();
      lab.devices.stop();
      String row = "| %,d | %,d | %,d | %,d | %,d | %s | %,d | %,d | %,d | %,d |%n";
      long down = sinceLaunchMs() - ending;
      out.printf(
          row, adapters, first, active, known, processor, managed, down, threads, heap, resident);
    }
    if (!good) {
      System.exit(1);
    }
  }

  /** {@return how long OpenSM took from its start until it managed all, or why it does not} */
  private static String opensm(Lab lab, Subnet subnet, int adapters, PrintStream err)
      throws Exception {
    if (Opensm.missing().isPresent()) {
      return Opensm.missing().get();
    }
    Path dir = Files.createTempDirectory("ib-scale");
    int port = Opensm.freePort();
    long begin = System.nanoTime();
    try (IbsimDoor door = new IbsimDoor(lab.fabric, port, lab.errors::add);
        Opensm sm = Opensm.start(port, "n0", dir)) {
      sm.awaitUp(PATIENCE_S);
      await("managed by OpenSM", () -> managedByOther(subnet) == adapters);
      long took = System.nanoTime() - begin;
      return String.format("%,d", took / 1_000_000) + (door.clients().isEmpty() ? "?" : "");
    } catch (AssertionError e) {
      err.println(adapters + " adapters, OpenSM: " + e.getMessage());
      lab.errors.forEach(err::println);
      return NOT_UP;
    } finally {
      try (Stream<Path> all = Files.walk(dir)) {
        for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(each);
        }
      }
    }
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
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_S);
    while (!done.getAsBoolean()) {
      if (System.nanoTime() > end) {
        throw new AssertionError("not within two minutes: " + what);
      }
      LockSupport.parkNanos(2_000_000);
    }
  }

  private static long sinceLaunchMs() {
    return ManagementFactory.getRuntimeMXBean().getUptime();
  }

  private static long processorMs() {
    return ProcessHandle.current().info().totalCpuDuration().orElseThrow().toMillis();
  }

  private static long slotThreads() {
    return Lab.threads().stream().filter(name -> name.startsWith("ib-slot-")).count();
  }

  /** A number of the process's status: Linux says how many threads there are, and how many KiB. */
  private static long status(String what) throws IOException {
    return Files.readAllLines(Path.of("/proc/self/status")).stream()
        .filter(line -> line.startsWith(what))
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
