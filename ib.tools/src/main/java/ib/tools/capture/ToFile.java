package ib.tools.capture;

import ib.core.spi.PacketCapture;
import ib.core.spi.PacketCapture.Filter;
import ib.core.spi.PacketCapture.Session;
import ib.core.verbs.IbException;
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

/** A capture to a file that only the user of this process can read. */
record ToFile(String device, Path file, Session session) implements Target {
  private static final Set<PosixFilePermission> PRIVATE =
      PosixFilePermissions.fromString("rw-------");

  /**
   * Opens the file and starts the capture.
   *
   * @param force whether an existing file is overwritten; an existing pipe is written to
   */
  static ToFile open(PacketCapture capture, Path file, boolean force, Filter filter) {
    boolean there = force && Files.exists(file);
    FileChannel channel;
    try {
      channel = there ? overwrite(file) : create(file);
    } catch (IOException e) {
      throw new CommandException("ib:capture: cannot write " + file + ": " + reason(e));
    }
    try {
      return new ToFile(capture.device(), file, capture.start(channel, filter));
    } catch (IbException e) {
      close(channel, file, there);
      throw e;
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
  private static String reason(IOException e) {
    return switch (e) {
      case FileAlreadyExistsException _ -> "it is there already; --force overwrites it";
      case NoSuchFileException _ -> "there is no such folder";
      case AccessDeniedException _ -> "permission denied";
      case FileSystemException f when f.getReason() != null -> f.getReason();
      default -> String.valueOf(e.getMessage());
    };
  }

  private static void close(FileChannel channel, Path file, boolean there) {
    try {
      channel.close();
      if (!there) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new CommandException("ib:capture: cannot close " + file + ": " + reason(e));
    }
  }

  @Override
  public String where() {
    return file.toString();
  }

  @Override
  public String state() {
    return session
        .failure()
        .map(f -> "failed: " + f)
        .orElse(session.running() ? "running" : "ended");
  }

  @Override
  public long written() {
    return session.written();
  }

  @Override
  public long dropped() {
    return session.dropped();
  }

  @Override
  public void close() {
    session.close();
  }
}
