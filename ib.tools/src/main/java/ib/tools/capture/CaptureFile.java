package ib.tools.capture;

import ib.tools.getopt.CommandException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** The files that commands write captures to: only the user of this process can read them. */
public final class CaptureFile {
  private static final Set<PosixFilePermission> PRIVATE =
      PosixFilePermissions.fromString("rw-------");

  private CaptureFile() {}

  /**
   * Opens a file to write a capture to.
   *
   * @param command the name of the command, for messages
   * @param file the file; its folder exists
   * @param overwrite whether the file exists and is overwritten; else it must not exist
   * @return the file, empty
   * @throws CommandException with the reason, when it cannot be written
   */
  public static FileChannel open(String command, Path file, boolean overwrite) {
    try {
      return overwrite ? overwrite(file) : create(file);
    } catch (IOException e) {
      throw new CommandException(command + ": cannot write " + file + ": " + reason(e));
    }
  }

  private static FileChannel create(Path file) throws IOException {
    return FileChannel.open(
        file,
        Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
        PosixFilePermissions.asFileAttribute(PRIVATE));
  }

  private static FileChannel overwrite(Path file) throws IOException {
    if (Files.isRegularFile(file)) {
      Files.setPosixFilePermissions(file, PRIVATE);
    }
    return FileChannel.open(file, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE);
  }

  /**
   * {@return the reason of a failure, in words} The message of some of these exceptions is only the
   * file's name.
   */
  static String reason(IOException e) {
    return switch (e) {
      case FileAlreadyExistsException _ -> "it is there already; --force overwrites it";
      case NoSuchFileException _ -> "there is no such folder";
      case AccessDeniedException _ -> "permission denied";
      case FileSystemException f when f.getReason() != null -> f.getReason();
      default -> String.valueOf(e.getMessage());
    };
  }
}
