package ib.itests.interop;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;
import static org.junit.Assume.assumeTrue;

import ib.itests.Folder;
import ib.itests.Program;
import ib.itests.Shell;
import java.util.HashMap;
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
 * chooses the peer's kernel: 6.1, 6.12 or newest.
 */
final class Lane extends ExternalResource {
  /** The one lane. */
  static final Lane LANE = new Lane();

  /** TCP port of the exchange, the programs' default. */
  static final int PORT = 18515;

  private static final boolean WANTED = Boolean.getBoolean("ib.interop");
  private static final long BUILD_S = 900;
  private static final long START_S = 240;
  private static final Pattern GID = Pattern.compile("GID\\[ *(\\d+)]:\\s*(\\S+)");

  private final TemporaryFolder temporary = new TemporaryFolder();
  final LinuxPeer peer = new LinuxPeer(System.getProperty("ib.peer.kernel", "6.1"));
  private @Nullable Folder folder;
  private @Nullable Shell shell;
  private final Map<String, Integer> gids = new HashMap<>();
  private boolean started;

  private Lane() {}

  @Override
  protected void before() throws Throwable {
    assumeTrue("it takes minutes and a download: say -Dib.interop=true", WANTED);
    Program why = peer.run(60, "why-not");
    assumeTrue(why.out().strip(), why.status() == 0);
    started = peer.run(60, "status").status() != 0;
    if (started) {
      Program up = peer.run(START_S, "start");
      if (up.err().contains("not built yet")) {
        Program built = peer.run(BUILD_S, "build");
        assumeTrue(built.err().strip(), built.status() == 0);
        up = peer.run(START_S, "start");
      }
      assertEquals(up.err(), 0, up.status());
    }
    temporary.create();
    folder = Folder.copy(temporary.getRoot().toPath().resolve("ib"));
    folder.configure("ib.driver.rxe-rxe0.cfg", "name = rxe0\ninterface = ibpeer0\n");
    shell = new Shell(folder.home(), LinuxPeer.host());
    shell.runUntil("ibv_devices", text -> text.contains("rxe0"));
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

  /** {@return the index of an address in the runtime's GID table} */
  int gidIndex(String address) {
    Integer index = gids.get(address);
    assertTrue(address + " is in " + gids, index != null);
    return index;
  }

  /** Runs a line in the runtime. */
  String run(String line) {
    try {
      return shell().run(line);
    } catch (java.io.IOException e) {
      throw new AssertionError(e);
    }
  }

  /** The runtime serves, the peer comes. Returns what both printed: ours, theirs. */
  String[] serve(String ours, String theirs) throws Exception {
    CompletableFuture<String> here =
        CompletableFuture.supplyAsync(() -> run(ours), LinuxPeer.BESIDE);
    peer.awaitListenerHere(PORT);
    Program there = peer.exec(theirs);
    assertEquals(there.toString(), 0, there.status());
    String printed = here.get(90, TimeUnit.SECONDS);
    return new String[] {printed, there.out()};
  }

  /** The peer serves, the runtime comes. Returns what both printed: ours, theirs. */
  String[] visit(String ours, String theirs) throws Exception {
    CompletableFuture<Program> there =
        CompletableFuture.supplyAsync(() -> peer.exec(theirs), LinuxPeer.BESIDE);
    peer.awaitListener(PORT);
    String printed = run(ours);
    Program ended = there.get(90, TimeUnit.SECONDS);
    assertEquals(ended + "\n" + printed, 0, ended.status());
    return new String[] {printed, ended.out()};
  }
}
