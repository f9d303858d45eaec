package ib.launcher.service;

import ib.launcher.service.Shells.Attached;
import ib.launcher.service.Shells.Screen;
import ib.launcher.service.Shells.Streams;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * A program that has the folder and the socket of a service, and nothing behind them. While its
 * home has a file {@code slow} it does not answer.
 */
public final class StubService implements Shells {
  private StubService() {}

  /** Runs until it is stopped. */
  public static void main(String[] args) throws Exception {
    Path home = Path.of(args[0]);
    RunFolder folder = RunFolder.of(home);
    FileChannel claimed = folder.claim();
    if (claimed == null) {
      throw new IllegalStateException("there are two");
    }
    Runtime.getRuntime().addShutdownHook(new Thread(() -> release(folder, claimed)));
    while (Files.exists(home.resolve("slow"))) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
    SocketServer.open(
        folder,
        "1.2.3",
        "",
        new StubService(),
        () -> Thread.ofPlatform().start(() -> System.exit(0)));
    while (true) {
      LockSupport.park(); // until it is stopped
    }
  }

  private static void release(RunFolder folder, FileChannel claimed) {
    try {
      folder.release(claimed);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public int execute(String commands, Streams streams, Consumer<AutoCloseable> begun) {
    return 0;
  }

  @Override
  public int attach(Screen screen, InputStream keys, OutputStream out, Consumer<Attached> begun) {
    return 0;
  }
}
