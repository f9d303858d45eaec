package ib.itests;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** What {@code bin/make-start-cache} makes, and that it is never missed. */
public class StartCacheIT {

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  @Test
  public void g17ExecLoadsItsClassesFromTheCacheWhileTheCacheIsItsOwn() throws Exception {
    Path home = Folder.copy(temporary.getRoot().toPath().resolve("an ib")).home();
    for (Path cache : caches(home)) { // of ./ib, which has built the folder
      Files.delete(cache);
    }
    assertFalse("before it was made", loads(home));
    make(home);
    List<Path> made = caches(home);
    assertFalse("a cache is made", made.isEmpty());
    assertFalse(Files.exists(home.resolve("etc/start.aot.making")));
    assertTrue("once it was made", loads(home));

    Path jar = home.resolve("lib/ib.launcher.jar");
    byte[] own = Files.readAllBytes(jar);
    try (FileSystem inside = FileSystems.newFileSystem(jar)) {
      Files.writeString(inside.getPath("/more"), "more");
    }
    assertFalse("with another jar", loads(home));
    Files.write(jar, own);
    assertTrue("with its own jar again", loads(home));

    Path cache = made.getFirst();
    try (FileChannel file = FileChannel.open(cache, StandardOpenOption.WRITE)) {
      file.truncate(1000);
    }
    assertFalse("when it is damaged", loads(home));
  }

  @Test
  public void g17WhoFindsAnotherOneMakingItLeavesItToThatOne() throws Exception {
    Path home = Folder.copy(temporary.getRoot().toPath().resolve("ib")).home();
    Path making = Files.createDirectory(home.resolve("etc/start.aot.making"));
    for (Path cache : caches(home)) {
      Files.delete(cache);
    }
    make(home);
    assertTrue(Files.exists(making));
    assertEquals(List.of(), caches(home));
  }

  private static List<Path> caches(Path home) throws IOException {
    try (Stream<Path> files = Files.list(home.resolve("etc"))) {
      return files.filter(f -> f.toString().endsWith(".aot")).toList();
    }
  }

  private static void make(Path home) throws IOException, InterruptedException {
    Path script = home.resolve("bin/make-start-cache");
    Program run = Program.run(List.of("sh", script.toString()), "", Map.of(), Await.HANG_S);
    assertEquals(run.err(), 0, run.status());
    assertEquals("", run.out());
    assertEquals("", run.err());
  }

  /** Runs a command, which must succeed and print nothing else; tells whether a cache was used. */
  private boolean loads(Path home) throws IOException, InterruptedException {
    Path log = temporary.newFile().toPath();
    Map<String, String> logging = Map.of("IB_OPTS", "-Xlog:class+load:file=" + log);
    Program run = Program.ib(home, "", logging, "exec", "echo done");
    assertEquals(run.err(), 0, run.status());
    assertEquals("done", run.out().strip());
    assertEquals("", run.err());
    return Files.readString(log)
        .lines()
        .anyMatch(l -> l.contains(" ib.launcher.Launcher ") && l.contains("shared objects file"));
  }
}
