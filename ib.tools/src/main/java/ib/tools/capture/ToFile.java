package ib.tools.capture;

import ib.core.spi.PacketCapture;
import ib.core.spi.PacketCapture.Filter;
import ib.core.spi.PacketCapture.Session;
import ib.core.verbs.IbException;
import ib.tools.getopt.CommandException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A capture to a file, which is overwritten. */
record ToFile(String device, Path file, Session session) implements Target {

  static ToFile open(PacketCapture capture, Path file, Filter filter) {
    FileChannel channel;
    try {
      channel =
          FileChannel.open(
              file,
              StandardOpenOption.CREATE,
              StandardOpenOption.TRUNCATE_EXISTING,
              StandardOpenOption.WRITE);
    } catch (IOException e) {
      throw new CommandException("ib:capture: cannot write " + file, e);
    }
    try {
      return new ToFile(capture.device(), file, capture.start(channel, filter));
    } catch (IbException e) {
      close(channel);
      throw e;
    }
  }

  private static void close(FileChannel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      throw new CommandException("ib:capture: cannot close the file", e);
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
