package ib.launcher;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.launcher.service.PrivateFolder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("A11: only its user can enter a runtime's folder, which is removed at the end")
class StorageTest {
  @TempDir private Path temporary;

  private final ByteArrayOutputStream said = new ByteArrayOutputStream();
  private final PrintStream err = new PrintStream(said, true);

  @Test
  @DisplayName("the cache lies inside a folder that only its owner can enter")
  void inside() throws IOException {
    try (Storage storage = Storage.open(temporary, err)) {
      Path folder = storage.cache().getParent();
      assertEquals("rwx------", mode(folder));
      assertEquals(temporary, folder.getParent());
      assertFalse(Files.exists(storage.cache()), "the framework makes it");
      Files.createDirectories(storage.cache().resolve("bundle0"));
      Files.writeString(storage.cache().resolve("bundle0/bundle.jar"), "x");
    }
    try (var left = Files.list(temporary)) {
      assertEquals(0, left.count());
    }
  }

  @Test
  @DisplayName("a folder that others can enter, or of another user, is refused with the reason")
  void refused() throws IOException {
    UserPrincipal me = Files.getOwner(temporary);
    Path open = folder("ib-open", "rwxr-xr-x");
    IOException e =
        assertThrows(IOException.class, () -> PrivateFolder.require(open, me, "bundles are kept"));
    assertTrue(e.getMessage().contains("has mode rwxr-xr-x, not rwx------"), e.getMessage());
    Path mine = folder("ib-mine", "rwx------");
    PrivateFolder.require(mine, me, "bundles are kept");
    UserPrincipal root =
        mine.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("1234567");
    e =
        assertThrows(
            IOException.class, () -> PrivateFolder.require(mine, root, "bundles are kept"));
    assertTrue(e.getMessage().contains("belongs to " + me.getName()), e.getMessage());
    Path link = Files.createSymbolicLink(temporary.resolve("ib-link"), mine);
    assertThrows(IOException.class, () -> PrivateFolder.require(link, me, "bundles are kept"));
  }

  @Test
  @DisplayName("the folder of a killed runtime is removed at the next start, and nothing else")
  void leftOvers() throws IOException {
    Path dead = folder("ib-dead", "rwx------");
    Files.createFile(dead.resolve("lock"));
    Files.createDirectories(dead.resolve("cache/bundle0"));
    Files.writeString(dead.resolve("cache/bundle0/bundle.jar"), "x");
    Path precious = Files.writeString(folder("precious", "rwx------").resolve("x"), "x");
    Files.createSymbolicLink(dead.resolve("cache/away"), precious.getParent());
    Path unknown = folder("ib-unknown", "rwx------");
    Path others = folder("ib-others", "rwxr-xr-x");
    Files.createFile(others.resolve("lock"));
    Path file = Files.writeString(temporary.resolve("ib-file"), "x");
    Path link = Files.createSymbolicLink(temporary.resolve("ib-link"), precious.getParent());
    try (Storage storage = Storage.open(temporary, err)) {
      assertTrue(Files.exists(storage.cache().getParent()), "its own stays");
      assertFalse(Files.exists(dead));
      assertTrue(Files.exists(precious), "what a link names");
      assertTrue(Files.exists(unknown), "who made it is not known");
      assertTrue(Files.exists(others));
      assertTrue(Files.exists(file));
      assertTrue(Files.isSymbolicLink(link));
    }
    assertEquals("", said.toString(UTF_8));
  }

  private Path folder(String name, String mode) throws IOException {
    Path folder = Files.createDirectory(temporary.resolve(name));
    return Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString(mode));
  }

  private static String mode(Path folder) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(folder));
  }
}
