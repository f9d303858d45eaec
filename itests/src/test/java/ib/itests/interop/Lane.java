package ib.itests.interop;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;
import static org.junit.Assume.assumeTrue;

import ib.itests.Folder;
import ib.itests.Program;
import ib.itests.Shell;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.rules.ExternalResource;
import org.junit.rules.TemporaryFolder;

/**
 * The peer and the runtime. Property {@code ib.interop} asks for them; {@code ib.peer.kernel}
 * chooses the peer's kernel: 6.1, 6.12 or newest, {@code ib.peer.mtu} the link's MTU, {@code
 * ib.interop.only}, an expression, the cases by their names.
 */
final class Lane extends ExternalResource {
  /** The one lane. */
  static final Lane LANE = new Lane();

  /** TCP port of the exchange, the programs' default. */
  static final int PORT = 18515;

  private static final boolean WANTED = Boolean.getBoolean("ib.interop");
  // other tests run beside one another, which takes from the emulated peer what its timers need
  private static final boolean ALONE = Boolean.getBoolean("ib.interop.lane");
  // a machine that needs longer, emulating beside other work, does what it can
  private static final long BUDGET_MIN = Long.getLong("ib.interop.minutes", Matrix.FULL ? 180 : 12);
  private static final long COMMAND_S = 120; // longer than any end waits for the other
  static final long END_S = 150;
  private static final int HEADERS = 80; // that rdma_rxe leaves room for
  private static final Pattern ONLY = Pattern.compile(System.getProperty("ib.interop.only", ""));
  private static final Pattern MTU = Pattern.compile("-m (\\d+)");
  private static final Pattern GID = Pattern.compile("GID\\[ *(\\d+)]:\\s*(\\S+)");

  private final TemporaryFolder temporary = new TemporaryFolder();
  final LinuxPeer peer = new LinuxPeer(System.getProperty("ib.peer.kernel", "6.1"));
  private @Nullable Folder folder;
  private @Nullable Shell shell;
  private final Map<String, Integer> gids = new HashMap<>();
  private boolean started;
  private boolean met;
  private long began;

  /** What was run a second time. */
  final Repeats repeats = new Repeats();

  private Lane() {}

  @Override
  protected void before() throws Throwable {
    assumeTrue("it takes minutes and a download: say -Dib.interop=true", WANTED);
    assumeTrue("it runs alone, in the execution linux-peer", ALONE);
    Program why = peer.run(60, "why-not");
    assumeTrue(why.out().strip(), why.status() == 0);
    boolean ready = false;
    try {
      start();
      ready = true;
    } finally {
      if (!ready) {
        after();
      }
    }
  }

  private void start() throws Exception {
    started = peer.start();
    temporary.create();
    peer.open(temporary.getRoot().toPath().resolve("door"));
    peer.must("tc qdisc del dev eth0 root 2>/dev/null; true"); // of a run that was ended by force
    began = System.nanoTime();
    folder = Folder.copy(temporary.getRoot().toPath().resolve("ib"));
    folder.configure("ib.driver.rxe-rxe0.cfg", "name = rxe0\ninterface = ibpeer0\n");
    shell = new Shell(folder.home(), LinuxPeer.host(), COMMAND_S);
    shell.runUntil("ibv_devices", text -> text.contains("rxe0"));
    ScenarioBundle.deploy(this);
    Matcher found = GID.matcher(run("ibv_devinfo -d rxe0 -v"));
    while (found.find()) {
      gids.put(found.group(2).replaceAll(",.*", ""), Integer.parseInt(found.group(1)));
    }
  }

  @Override
  protected void after() {
    try {
      if (shell != null) {
        shell.close();
      }
    } catch (java.io.IOException e) {
      throw new AssertionError(e);
    } finally {
      peer.close();
      temporary.delete();
      if (started) {
        peer.run(60, "stop");
      }
    }
  }

  /** {@return the runtime's shell} */
  Shell shell() {
    assertTrue("the lane runs as a part of InteropIT", shell != null);
    return shell;
  }

  /** {@return the index of the runtime's address in its GID table} */
  int gidIndex(boolean ipv6) {
    Integer index = gids.get(ipv6 ? "fd77::1" : "::ffff:" + LinuxPeer.HERE);
    assertTrue("both addresses are in " + gids, index != null);
    return index;
  }

  /** {@return the index of the peer's address in its GID table} */
  static int gidIndexThere(boolean ipv6) {
    return ipv6 ? 2 : 1;
  }

  /** The exchange over IPv4 TCP makes the ends neighbours of each other; IPv6 must be, too. */
  void meet(boolean ipv6) {
    if (ipv6 && !met) {
      peer.must("ping -6 -q -c 1 -w 20 fd77::1");
      met = true;
    }
  }

  /** Runs a line in the runtime. */
  String run(String line) {
    try {
      return shell().run(line);
    } catch (java.io.IOException e) {
      throw new AssertionError(e);
    }
  }

  /** One run of a test. */
  @FunctionalInterface
  interface Run {
    void run() throws Exception;
  }

  /**
   * Runs a test when there is time left. A test that fails after rdma_rxe has sent something again
   * is run a second time, and counted: see {@link Repeats}.
   */
  void once(Run run) throws Exception {
    inTime();
    repeats.run(run, peer::hasSentAgain);
  }

  /** Skips what there is no time left for. */
  void inTime() {
    long took = System.nanoTime() - began;
    assumeTrue(
        "the lane has had its " + BUDGET_MIN + " minutes (ib.interop.minutes)",
        took < TimeUnit.MINUTES.toNanos(BUDGET_MIN));
  }

  /** {@return the cases that are asked for and whose MTU fits the link} */
  static List<Object[]> chosen(List<Object[]> cases) {
    return cases.stream()
        .filter(c -> fits(c[1].toString()) && ONLY.matcher(Arrays.toString(c)).find())
        .toList();
  }

  private static boolean fits(String options) {
    Matcher mtu = MTU.matcher(options);
    return !mtu.find() || Integer.parseInt(mtu.group(1)) + HEADERS <= LinuxPeer.LINK_MTU;
  }

  /** The runtime serves, the peer comes. Returns what both printed: ours, theirs. */
  String[] serve(String ours, String theirs) throws Exception {
    CompletableFuture<String> here =
        CompletableFuture.supplyAsync(() -> run(ours), LinuxPeer.BESIDE);
    peer.awaitListenerHere(PORT);
    Program there = peer.exec(theirs);
    String printed = here.get(END_S, TimeUnit.SECONDS);
    assertEquals(there + "\n" + printed, 0, there.status());
    return new String[] {printed, there.out()};
  }

  /** The peer serves, the runtime comes. Returns what both printed: ours, theirs. */
  String[] visit(String ours, String theirs) throws Exception {
    CompletableFuture<Program> there =
        CompletableFuture.supplyAsync(() -> peer.exec(theirs), LinuxPeer.BESIDE);
    peer.awaitListener(PORT);
    String printed = run(ours);
    Program ended = there.get(END_S, TimeUnit.SECONDS);
    assertEquals(ended + "\n" + printed, 0, ended.status());
    return new String[] {printed, ended.out()};
  }
}
