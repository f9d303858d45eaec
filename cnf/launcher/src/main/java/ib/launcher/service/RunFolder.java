package ib.launcher.service;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The folder of a service: its socket, log, process number and bundles. Only its user can enter it.
 *
 * @param path the folder
 */
public record RunFolder(Path path) {
  /** System property: the folder; {@code bin/ib} sets it from {@code IB_RUN}. */
  public static final String PROPERTY = "ib.run";

  private static final int MAX_SOCKET_PATH = 107; // sun_path of Linux, without its zero

  /**
   * Finds the folder.
   *
   * @param home the distribution
   * @return what the property says, else {@code run} in the distribution
   */
  public static RunFolder of(Path home) {
    return new RunFolder(
        Path.of(System.getProperty(PROPERTY, home.resolve("run").toString())).toAbsolutePath());
  }

  /** {@return the socket} */
  public Path socket() {
    return path.resolve("socket");
  }

  /** {@return the file with the process number, for systemd} */
  public Path pid() {
    return path.resolve("pid");
  }

  /** {@return what the process prints beside its log} */
  public Path console() {
    return path.resolve("console.log");
  }

  /** {@return the file with the address and the password of the page} */
  public Path page() {
    return path.resolve("page");
  }

  /**
   * Creates the folder where it is missing.
   *
   * @throws IOException when that is not possible, others can enter it, or its path is too long
   */
  public void create() throws IOException {
    int length = socket().toString().getBytes(StandardCharsets.UTF_8).length;
    if (length > MAX_SOCKET_PATH) {
      throw new IOException(
          "%s: %d bytes are too many for the path of a socket, at most %d: name another folder with IB_RUN"
              .formatted(socket(), length, MAX_SOCKET_PATH));
    }
    if (!Files.exists(path)) {
      try {
        Files.createDirectories(path.getParent());
        Files.createDirectory(
            path,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      } catch (IOException e) {
        throw new IOException(path + " cannot be made, name another folder with IB_RUN", e);
      }
    } else if (!Files.isWritable(path)) {
      throw new IOException(path + " cannot be written, name another folder with IB_RUN");
    }
  }

  /**
   * Claims the folder for this process until the channel is closed, or the process ends.
   *
   * @return the lock, or null when a running service has it
   * @throws IOException see {@link #create}
   */
  public @Nullable FileChannel claim() throws IOException {
    create();
    requirePrivate();
    FileChannel lock =
        FileChannel.open(path.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    if (lock.tryLock() == null) {
      lock.close();
      return null;
    }
    Files.deleteIfExists(socket()); // of a service that was killed
    Files.deleteIfExists(page());
    name(ProcessHandle.current().pid());
    return lock;
  }

  /**
   * Names the service's process to all who look, from its first moment.
   *
   * @param process its number
   */
  public void name(long process) throws IOException {
    Path whole = path.resolve("pid." + ProcessHandle.current().pid()); // no reader sees a part
    Files.writeString(whole, process + "\n");
    Files.move(whole, pid(), StandardCopyOption.ATOMIC_MOVE);
  }

  /**
   * {@return the process of the service, which may not answer yet or no longer; null when none
   * runs} A process that is younger than its name has the number of a service that was killed; a
   * process without a command has ended, and its parent has not seen it.
   */
  public @Nullable ProcessHandle process() throws IOException {
    try {
      Instant named = Files.getLastModifiedTime(pid()).toInstant().plusSeconds(1);
      return ProcessHandle.of(Long.parseLong(Files.readString(pid()).strip()))
          .filter(p -> p.info().command().isPresent())
          .filter(p -> !p.info().startInstant().orElse(named).isAfter(named))
          .orElse(null);
    } catch (NoSuchFileException e) {
      return null; // no service was started, or it has ended
    }
  }

  /**
   * Waits until no other program of this folder starts or stops the service.
   *
   * @return the lock, to be closed
   */
  public FileChannel lockChange() throws IOException {
    FileChannel channel =
        FileChannel.open(
            path.resolve("change"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    boolean locked = false;
    try {
      channel.lock();
      locked = true;
      return channel;
    } finally {
      if (!locked) {
        channel.close();
      }
    }
  }

  private void requirePrivate() throws IOException {
    // its owner is this process's user, whatever that user is called
    Path probe = Files.createTempFile(path, "claim", "");
    try {
      PrivateFolder.require(path, Files.getOwner(probe), "a service has its socket");
    } finally {
      Files.delete(probe);
    }
  }

  /**
   * Releases the folder.
   *
   * @param lock what {@link #claim} has returned
   */
  public void release(FileChannel lock) throws IOException {
    try (lock) {
      Files.deleteIfExists(socket());
      Files.deleteIfExists(pid());
      Files.deleteIfExists(page());
    }
  }
}
