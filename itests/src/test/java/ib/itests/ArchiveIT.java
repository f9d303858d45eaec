package ib.itests;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** U23: the archives of the distribution run with a JDK alone, and are made of sources alone. */
public class ArchiveIT {
  private static final Path TARGET = Path.of("../cnf/target").toAbsolutePath().normalize();
  private static final String NAME = "ib-0.1.0-SNAPSHOT";

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  private static Program run(String... command) throws Exception {
    Program run = Program.run(List.of(command), "", Map.of());
    assertEquals(run.out() + run.err(), 0, run.status());
    return run;
  }

  @Test
  public void u23TheArchiveRunsWhereItIsUnpacked() throws Exception {
    Path root = folder.getRoot().toPath();
    run("tar", "xzf", TARGET.resolve(NAME + ".tar.gz").toString(), "-C", root.toString());
    Path home = root.resolve(NAME);
    Program exec = run(home.resolve("bin/ib").toString(), "exec", "ibv_devices; lb -s");
    assertTrue(exec.out(), exec.out().contains("soft0") && exec.out().contains("soft1"));
    String index = Files.readString(home.resolve("index.xml"));
    for (String jar : List.of("bundles/ib.core.jar", "deploy/ib.driver.soft.jar")) {
      assertTrue(index, index.contains("name=\"url\" value=\"" + jar + "\""));
      assertTrue(Files.exists(home.resolve(jar)));
    }
  }

  @Test
  public void u23BothArchivesHoldTheSameFilesWithTheTimeOfTheRelease() throws Exception {
    String listed = run("tar", "tzf", TARGET.resolve(NAME + ".tar.gz").toString()).out();
    Set<String> tar =
        listed.lines().filter(f -> !f.endsWith("/")).collect(Collectors.toCollection(TreeSet::new));
    try (ZipFile zip = new ZipFile(TARGET.resolve(NAME + ".zip").toFile())) {
      List<? extends ZipEntry> entries = zip.stream().filter(e -> !e.isDirectory()).toList();
      Set<String> zipped =
          entries.stream().map(ZipEntry::getName).collect(Collectors.toCollection(TreeSet::new));
      assertTrue(zipped.equals(tar));
      assertEquals(
          Set.of(entries.getFirst().getTimeLocal()),
          entries.stream().map(ZipEntry::getTimeLocal).collect(Collectors.toSet()));
    }
    assertTrue(listed, tar.contains(NAME + "/LICENSE") && tar.contains(NAME + "/docs/service.md"));
    assertTrue(listed, tar.stream().noneMatch(f -> f.matches(".*(/target/|/run/|\\.aot).*")));
  }

  @Test
  public void u23TheChecksumsAreThoseOfTheArchives() throws Exception {
    for (String archive : List.of(NAME + ".tar.gz", NAME + ".zip")) {
      String sum = Files.readString(TARGET.resolve(archive + ".sha256")).strip();
      Program counted = run("sha256sum", "-b", TARGET.resolve(archive).toString());
      assertEquals(counted.out().strip().replace(TARGET + "/", ""), sum);
    }
  }
}
