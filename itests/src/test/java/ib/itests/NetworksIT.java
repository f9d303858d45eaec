package ib.itests;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;
import static org.junit.Assume.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Issue 16: the blocks of docs/two-hosts.md, run as they stand there. */
public class NetworksIT {
  private static final Pattern BLOCK = Pattern.compile("(?s)```sh\n(.*?)```");

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  /** Runs a block, and has it end what it has started when it fails. */
  private String run(int block, String... cleanup) throws Exception {
    List<String> blocks =
        BLOCK
            .matcher(Files.readString(Path.of("../docs/two-hosts.md")))
            .results()
            .map(MatchResult::group)
            .map(b -> b.substring(6, b.length() - 3))
            .toList();
    assertEquals(3, blocks.size());
    Path root = temporary.getRoot().toPath();
    Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwxr-xr-x"));
    Path archive = Distro.HOME.resolveSibling("ib-0.1.0-SNAPSHOT.tar.gz");
    List<String> unpack = List.of("tar", "xzf", archive.toString(), "-C", root.toString());
    assertEquals(0, Program.run(unpack, "", Map.of()).status());
    Files.move(root.resolve("ib-0.1.0-SNAPSHOT"), root.resolve("ib"));
    String script = "cd '" + root + "' && set -e\n" + blocks.get(block);
    Map<String, String> java = Map.of("IB_JAVA", System.getProperty("java.home") + "/bin/java");
    Program ran = Program.run(List.of("sh", "-c", script), "", java, Await.HANG_S);
    if (ran.status() != 0) {
      for (String command : cleanup) {
        Program.run(List.of("sh", "-c", "cd '" + root + "'; " + command), "", java, Await.HANG_S);
      }
    }
    assertEquals(ran.out() + ran.err(), 0, ran.status());
    return ran.out();
  }

  private static boolean isRoot() throws Exception {
    return Program.run(List.of("id", "-u"), "", Map.of()).out().strip().equals("0");
  }

  @Test
  public void issue16TwoProcessesOnOneHostExchangeMessages() throws Exception {
    String out = run(0, "one/bin/ib stop", "two/bin/ib stop");
    assertEquals(out, 3, out.split("1000 iters in", -1).length);
  }

  @Test
  public void issue16TwoHostsExchangeMessages() throws Exception {
    assumeTrue("network namespaces are made by root", isRoot());
    String out =
        run(1, "one/bin/ib stop", "two/bin/ib stop", "ip netns del ib-one", "ip netns del ib-two");
    assertEquals(out, 3, out.split("1000 iters in", -1).length);
  }

  @Test
  public void issue16AUserWithoutAnyCapabilityHasADevice() throws Exception {
    assumeTrue("only root can become another user", isRoot());
    String out = run(2);
    assertTrue(out, out.contains("100 iters in"));
  }
}
