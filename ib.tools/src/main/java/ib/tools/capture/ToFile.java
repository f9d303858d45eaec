package ib.tools.capture;

import ib.core.spi.PacketCapture;
import ib.core.spi.PacketCapture.Filter;
import ib.core.spi.PacketCapture.Session;
import ib.core.verbs.IbException;
import ib.tools.getopt.CommandException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/** A capture to a file that only the user of this process can read. */
record ToFile(String device, Path file, Session session) implements Target {
  /**
   * Opens the file and starts the capture.
   *
   * @param force whether an existing file is overwritten; an existing pipe is written to
   */
  static ToFile open(PacketCapture capture, Path file, boolean force, Filter filter) {
    boolean there = force && Files.exists(file);
    FileChannel channel = CaptureFile.open("ib:capture", file, there);
    try {
      return new ToFile(capture.device(), file, capture.start(channel, filter));
    } catch (IbException e) {
      close(channel, file, there);
      throw e;
    }
  }

  private static void close(FileChannel channel, Path file, boolean there) {
    try {
      channel.close();
      if (!there) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new CommandException("ib:capture: cannot close " + file + ": " + CaptureFile.reason(e));
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
        .map(f -> Captures.FAILED + f)
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
