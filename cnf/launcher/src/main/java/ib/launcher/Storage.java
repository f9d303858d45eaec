package ib.launcher;

import ib.launcher.service.PrivateFolder;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.UserPrincipal;
import org.jspecify.annotations.Nullable;

/**
 * The folder of one runtime's bundles, in the temporary folder; only its owner can enter it. The
 * framework may delete and create {@link #cache} inside it, since no other user can use that name.
 *
 * <p>The runtime holds a lock on the file {@code lock} beside the cache until it ends. So the next
 * runtime of the same user recognizes folders of killed runtimes, and removes them. A lock is used
 * instead of a process number, because two containers may share a temporary folder.
 */
final class Storage implements AutoCloseable {
  private static final String PREFIX = "ib-";
  private static final String LOCK = "lock";
  private static final int ATTEMPTS = 10;

  private final Path folder;
  private final FileChannel lock;

  private Storage(Path folder, FileChannel lock) {
    this.folder = folder;
    this.lock = lock;
  }

  /**
   * Creates the folder, and removes folders of killed runtimes.
   *
   * @param temporary the temporary folder
   * @param err takes warnings about folders that cannot be removed
   * @throws IOException when the folder cannot be created, or other users can enter it
   */
  static Storage open(Path temporary, PrintStream err) throws IOException {
    for (int i = 0; i < ATTEMPTS; i++) {
      Path folder = Files.createTempDirectory(temporary, PREFIX);
      Path file = folder.resolve(LOCK);
      FileChannel channel =
          FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      // another starting runtime may have removed the file before it was locked
      if (channel.tryLock() != null && Files.exists(file)) {
        UserPrincipal user = Files.getOwner(file);
        PrivateFolder.require(folder, user, "the runtime keeps its bundles");
        removeLeftOvers(temporary, folder, user, err);
        Storage storage = new Storage(folder, channel);
        Files.createDirectory(storage.temporary());
        return storage;
      }
      channel.close();
    }
    throw new IOException(temporary + ": no folder of its own for the runtime");
  }

  private static void removeLeftOvers(
      Path temporary, Path own, UserPrincipal user, PrintStream err) {
    try (DirectoryStream<Path> folders = Files.newDirectoryStream(temporary, PREFIX + "*")) {
      for (Path folder : folders) {
        if (!folder.equals(own)) {
          removeIfDead(folder, user, err);
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      err.println("ib: what killed runtimes have left in " + temporary + " stays: " + e);
    }
  }

  /**
   * Removes the folder of a killed runtime. Holds its lock meanwhile, so that no other runtime
   * removes it too.
   */
  private static void removeIfDead(Path folder, UserPrincipal user, PrintStream err) {
    try {
      Path file = folder.resolve(LOCK);
      if (PrivateFolder.fault(folder, user) == null
          && Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
            FileLock dead = channel.tryLock()) {
          if (dead != null) {
            delete(folder);
          }
        }
      }
    } catch (NoSuchFileException e) {
      return; // the folder's own runtime has removed it meanwhile
    } catch (IOException e) {
      err.println("ib: " + folder + ", which a killed runtime has left, stays: " + e);
    }
  }

  /** {@return the framework's folder, which the framework creates} */
  Path cache() {
    return folder.resolve("cache");
  }

  /** {@return the folder for files that bundles unpack} */
  Path temporary() {
    return folder.resolve("tmp");
  }

  /** Removes the folder and releases its lock. */
  @Override
  public void close() throws IOException {
    try (lock) {
      delete(folder);
    }
  }

  private static void delete(Path folder) throws IOException {
    Files.walkFileTree(
        folder,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path inner, @Nullable IOException e)
              throws IOException {
            if (e != null) {
              throw e;
            }
            Files.deleteIfExists(inner);
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
