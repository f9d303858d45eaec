package ib.itests;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;
import static org.junit.Assume.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Where a running distribution keeps its bundles: its user's alone, and gone afterwards. */
public class StorageIT {
  private static final Path SETPRIV = Path.of("/usr/bin/setpriv");

  @Rule public final TemporaryFolder folder = new TemporaryFolder(new java.io.File("/tmp"));

  private Path temporary;
  private String options;

  @Before
  public void everybodysTemporaryFolder() throws IOException {
    Files.setPosixFilePermissions(
        folder.getRoot().toPath(), PosixFilePermissions.fromString("rwxr-xr-x"));
    temporary = folder.newFolder("tmp").toPath();
    Files.setAttribute(temporary, "unix:mode", 01777);
    options = "-Djava.io.tmpdir=" + temporary;
  }

  @Test
  public void findingA11OnlyTheUserCanEnterWhereTheBundlesLie() throws Exception {
    try (Shell shell = shell()) {
      shell.runUntil("ibv_devices", says -> says.contains("soft0"));
      Set<Path> there = there();
      assertEquals(there.toString(), 1, there.size());
      Path own = there.iterator().next();
      String mode = PosixFilePermissions.toString(Files.getPosixFilePermissions(own));
      assertEquals(own.toString(), "rwx------", mode);
      try (Stream<Path> bundles = Files.list(own.resolve("cache"))) {
        assertTrue(bundles.count() > Distro.descriptor().bundles().size());
      }
    }
    assertEquals(Set.of(), there());
  }

  @Test
  public void findingA11WhatAKilledRuntimeLeavesIsRemovedAndALivingOneKeepsItsOwn()
      throws Exception {
    try (Shell living = shell()) {
      living.runUntil("ibv_devices", says -> says.contains("soft0"));
      Set<Path> before = there();
      Shell dead = shell();
      dead.runUntil("ibv_devices", says -> says.contains("soft0"));
      dead.kill();
      assertEquals("kill -9 leaves its folder", 2, there().size());
      Program next = Program.ib(Distro.HOME, "", Map.of("IB_OPTS", options), "exec", "lb -s");
      assertEquals(next.err(), 0, next.status());
      assertEquals("", next.err());
      assertEquals("those of the living one", before, there());
      assertTrue(living.run("lb -s ib.core").contains("|Active"));
    }
    assertEquals(Set.of(), there());
  }

  /** As {@code nobody} the other user takes each name that is free for a moment. */
  private static final String OTHER =
      """
      import java.io.File;
      class Other {
        public static void main(String[] arguments) {
          File temporary = new File(arguments[0]);
          while (temporary.exists()) {
            for (File folder : temporary.listFiles((in, name) -> name.startsWith("ib-"))) {
              for (int i = 0; i < 1000; i++) {
                folder.mkdir();
                new File(folder, "cache").mkdir();
              }
            }
          }
        }
      }
      """;

  @Test
  public void findingA11AnotherUserWhoTriesAllTheTimeGetsNoFolder() throws Exception {
    assumeTrue("needs root, to be two users", "root".equals(System.getProperty("user.name")));
    assumeTrue("needs " + SETPRIV, Files.isExecutable(SETPRIV));
    Path program = Files.writeString(temporary.resolveSibling("Other.java"), OTHER);
    Process other =
        new ProcessBuilder(
                List.of(
                    SETPRIV.toString(),
                    "--reuid=65534",
                    "--regid=65534",
                    "--clear-groups",
                    System.getProperty("java.home") + "/bin/java",
                    program.toString(),
                    temporary.toString()))
            .redirectErrorStream(true)
            .redirectOutput(temporary.resolveSibling("other.txt").toFile())
            .start();
    try {
      try (Shell shell = shell()) {
        shell.runUntil("ibv_devices", says -> says.contains("soft0"));
        assertEquals("root's, and nobody else enters", List.of("root rwx------"), storages());
      }
      assertTrue("the other user still tries", other.isAlive());
    } finally {
      other.destroy();
      assertTrue(other.waitFor(Await.HANG_S, TimeUnit.SECONDS));
    }
  }

  /** Owner and mode of each folder right in the temporary one under which bundles lie. */
  private List<String> storages() throws IOException {
    List<String> found = new ArrayList<>();
    for (Path folder : there()) {
      if (Files.exists(folder.resolve("bundle0"))
          || Files.exists(folder.resolve("cache/bundle0"))) {
        PosixFileAttributes is = Files.readAttributes(folder, PosixFileAttributes.class);
        found.add(is.owner().getName() + " " + PosixFilePermissions.toString(is.permissions()));
      }
    }
    return found;
  }

  private Shell shell() throws IOException {
    return new Shell(Distro.HOME, List.of("env", "IB_OPTS=" + options), Await.HANG_S);
  }

  private Set<Path> there() throws IOException {
    try (Stream<Path> files = Files.list(temporary)) {
      return files
          .filter(f -> !f.getFileName().toString().startsWith("hsperfdata"))
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }
}
