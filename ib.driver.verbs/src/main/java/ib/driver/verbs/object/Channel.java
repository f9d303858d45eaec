package ib.driver.verbs.object;

import ib.driver.verbs.abi.Frame;
import ib.driver.verbs.abi.Layout;
import ib.driver.verbs.abi.Waiter;
import java.lang.foreign.ValueLayout;

/**
 * A completion channel and the thread that reads its events (V5). An event names the completion
 * queue by the number that is its context in C. The thread hands the queue to the core and runs no
 * consumer code.
 */
final class Channel {
  private static final long BYTES = Layout.size("ibv_comp_channel");
  private static final long FD = Layout.at("ibv_comp_channel", "fd", 4);

  private final Host host;
  final int vector;
  final long address;
  private final int fd;
  private final Waiter waiter;
  private final Thread thread;
  private volatile boolean closing;

  /** The host, as far as a channel needs it. */
  interface Host {
    /** {@return the name of the device, for the thread} */
    String device();

    /**
     * {@return the address of a new channel}
     *
     * @throws ib.core.verbs.IbException when the kernel gives none
     */
    long make();

    /** Destroys a channel. */
    void destroy(long channel);

    /**
     * Makes reads of a file descriptor return at once.
     *
     * @throws ib.core.verbs.IbException when the kernel refuses
     */
    void waitless(int fd);

    /**
     * {@return a bell for the thread}
     *
     * @throws ib.core.verbs.IbException when the process may open no more files
     */
    Waiter waiter();

    /** Reads the events of a channel that there are, and hands their queues to the core. */
    void read(Frame frame, long channel);
  }

  private Channel(Host host, int vector, long address, Waiter waiter) {
    this.host = host;
    this.vector = vector;
    this.address = address;
    this.fd = fd(address);
    this.waiter = waiter;
    this.thread =
        Thread.ofPlatform()
            .daemon()
            .name("ib-" + host.device() + "-completions-" + vector)
            .unstarted(this::run);
  }

  private static int fd(long address) {
    return Frame.at(address, BYTES).get(ValueLayout.JAVA_INT, FD);
  }

  /**
   * Makes a channel, and starts its thread. Nothing is left when that fails.
   *
   * @throws ib.core.verbs.IbException when the host refuses a part of it
   */
  static Channel open(Host host, int vector) {
    long address = host.make();
    Waiter waiter = null;
    boolean started = false;
    try {
      host.waitless(fd(address));
      waiter = host.waiter();
      Channel channel = new Channel(host, vector, address, waiter);
      channel.thread.start();
      started = true;
      return channel;
    } finally {
      if (!started) {
        if (waiter != null) {
          waiter.close();
        }
        host.destroy(address);
      }
    }
  }

  private void run() {
    while (!closing) {
      try (Frame frame = new Frame()) {
        if (waiter.await(frame, fd, -1)) {
          host.read(frame, address);
        }
      }
    }
  }

  void close() {
    closing = true;
    waiter.ring();
    Threads.join(thread);
    waiter.close();
    host.destroy(address);
  }
}
