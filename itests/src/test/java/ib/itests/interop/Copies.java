package ib.itests.interop;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import ib.itests.Program;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.After;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/** librdmacm's rcopy in both directions (T8). */
@RunWith(Parameterized.class)
public class Copies {
  private static final int PORT = 7_427;
  private static final int BYTES = 300_003;

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  public Copies(String program, String options) {
    assertEquals("rcopy", program);
    assertEquals("", options);
  }

  @Parameters(name = "{0}")
  public static List<Object[]> cases() {
    return Lane.chosen(Arrays.asList(new Object[][] {{"rcopy", ""}}));
  }

  private Path source() throws Exception {
    Lane.LANE.meet(false);
    Lane.LANE.inTime();
    byte[] random = new byte[BYTES];
    new Random(BYTES).nextBytes(random);
    return Files.write(folder.newFile("source").toPath(), random);
  }

  @Test
  public void weServe() throws Exception {
    Path source = source();
    Lane.LANE.peer.run(30, "put", source.toString(), "/tmp/source");
    Path target = folder.newFolder("target").toPath();
    String line = "rcopy -b " + LinuxPeer.HERE + " -d " + target;
    Lane.LANE.run("interop:begin rcopy '" + line + "'");
    Lane.LANE.shell().awaitText("rcopy: listening on " + LinuxPeer.HERE + ", port " + PORT + "\n");
    Program theirs = Lane.LANE.peer.exec("rcopy /tmp/source " + LinuxPeer.HERE + ":/tmp/copy");
    String printed = Lane.LANE.run("interop:finish rcopy 0");
    assertEquals(theirs + "\n" + printed, 0, theirs.status());
    assertTrue(theirs.out(), theirs.out().contains(BYTES + " bytes in "));
    assertArrayEquals(Files.readAllBytes(source), Files.readAllBytes(target.resolve("copy")));
  }

  @Test
  public void linuxServes() throws Exception {
    Path source = source();
    CompletableFuture<Program> theirs =
        CompletableFuture.supplyAsync(() -> Lane.LANE.peer.exec("rcopy"), LinuxPeer.BESIDE);
    Lane.LANE.peer.must(
        "for i in $(seq 300); do rdma res show cm_id | grep -q LISTEN && exit 0; sleep 0.1; done;"
            + " exit 1");
    String printed = Lane.LANE.run("rcopy " + source + " " + LinuxPeer.ADDRESS + ":/tmp/copied");
    assertTrue(printed, printed.contains(BYTES + " bytes in "));
    Lane.LANE.peer.signal("TERM", "rcopy");
    theirs.get(Lane.END_S, TimeUnit.SECONDS);
    Lane.LANE.peer.run(30, "put", source.toString(), "/tmp/source");
    Lane.LANE.peer.must("cmp /tmp/source /tmp/copied");
  }

  @After
  public void nothingIsLeft() {
    Managers.nothingIsLeft();
  }
}
