package ib.driver.verbs;

import ib.driver.verbs.abi.Libc;
import ib.driver.verbs.abi.Uevents;
import java.util.function.Consumer;

/**
 * The thread that watches the host's devices (V2): it hears the kernel's announcements, and looks
 * every 2 s whatever they say. One thread starts it and closes it.
 */
final class HostNews implements AutoCloseable {
  private static final int LOOK_MS = 2000;

  private final Uevents uevents;
  private final Runnable look;
  private final Consumer<String> log;
  private final Thread thread;
  private volatile boolean closing;

  /**
   * Creates the watch.
   *
   * @param libc the C library
   * @param look called after each announcement about RDMA, and every 2 s
   * @param log takes warnings
   */
  HostNews(Libc libc, Runnable look, Consumer<String> log) {
    this.look = look;
    this.log = log;
    this.uevents = Uevents.open(libc, log);
    this.thread = Thread.ofPlatform().daemon().name("ib-verbs-host").unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  private void run() {
    while (!closing) {
      try {
        look.run();
        uevents.await(LOOK_MS);
      } catch (Throwable e) {
        log.accept("RDMA devices of the host: a look at them failed: " + e);
        uevents.pause(LOOK_MS);
      }
    }
  }

  @Override
  public void close() {
    closing = true;
    uevents.ring();
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    uevents.close();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
