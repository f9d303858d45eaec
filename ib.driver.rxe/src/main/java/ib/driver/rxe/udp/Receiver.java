package ib.driver.rxe.udp;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.Selector;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The thread that receives for a device: it looks at every socket in turn, goes on looking for a
 * while when there is nothing (busy polling), and then sleeps in a selector.
 */
final class Receiver implements Runnable {
  private static final int BATCH = 32;
  private static final int FORGET_S = 5;
  private static final long NO_ROOM_NS = 20_000;

  private final Selector selector;
  private final Inbound inbound;
  private final ReceivePool pool;
  private final UdpCounters counters;
  private final long busyPollNs;
  private volatile PortableEndpoint[] endpoints = {};
  private volatile @Nullable CountDownLatch forget;
  private volatile boolean stopped;
  private @Nullable Thread thread;
  // the last source, taken apart
  private @Nullable InetSocketAddress source;
  private long sourceHigh;
  private long sourceLow;

  Receiver(Inbound inbound, ReceivePool pool, UdpCounters counters, long busyPollNs)
      throws IOException {
    this.selector = Selector.open();
    this.inbound = inbound;
    this.pool = pool;
    this.counters = counters;
    this.busyPollNs = busyPollNs;
  }

  void start(String name) {
    thread = Thread.ofPlatform().name(name).daemon().start(this);
  }

  /** Looks at these from now on; all others are closed or will be. */
  void endpoints(PortableEndpoint[] now) {
    endpoints = now;
    selector.wakeup();
  }

  /** Lets it sleep on an endpoint. */
  void register(PortableEndpoint endpoint) throws IOException {
    endpoint.register(selector);
  }

  @Override
  public void run() {
    long idleSince = System.nanoTime();
    while (!stopped) {
      CountDownLatch waiting = forget;
      if (waiting != null) {
        forget = null;
        select(true);
        waiting.countDown();
      }
      if (sweep() > 0) {
        idleSince = System.nanoTime();
      } else if (System.nanoTime() - idleSince < busyPollNs) {
        Thread.onSpinWait();
      } else {
        select(false);
      }
    }
  }

  /** Waits until the selector has let go of closed channels: only then are their ports free. */
  void forget() {
    CountDownLatch done = new CountDownLatch(1);
    forget = done;
    selector.wakeup();
    try {
      if (!done.await(FORGET_S, TimeUnit.SECONDS)) {
        counters.count(UdpCounter.RX_ERROR);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the ports are free soon
    }
  }

  private int sweep() {
    int n = 0;
    for (PortableEndpoint e : endpoints) {
      int got = 0;
      while (got < BATCH && receive(e)) {
        got++;
      }
      n += got;
    }
    if (n > 0) {
      inbound.finish();
    }
    return n;
  }

  private boolean receive(PortableEndpoint e) {
    ReceiveBuffer buffer = pool.buffer();
    if (buffer == null) {
      counters.count(UdpCounter.RX_OVERRUN);
      LockSupport.parkNanos(NO_ROOM_NS); // the engine's threads have them all and give them back
      return false;
    }
    InetSocketAddress from = e.receive(buffer.view);
    if (from == null) {
      return false;
    }
    if (!from.equals(source)) {
      takeApart(from);
    }
    buffer.use();
    int length = buffer.view.position();
    inbound.datagram(e, buffer, 0, 0, length, sourceHigh, sourceLow, from.getPort(), 0);
    buffer.unuse();
    return true;
  }

  private void takeApart(InetSocketAddress from) {
    var gid = Addresses.gid(from.getAddress());
    sourceHigh = gid.high();
    sourceLow = gid.low();
    source = from;
  }

  private void select(boolean now) {
    try {
      if (now) {
        selector.selectNow();
      } else {
        selector.select();
      }
      selector.selectedKeys().clear();
    } catch (IOException e) {
      counters.count(UdpCounter.RX_ERROR);
      LockSupport.parkNanos(NO_ROOM_NS);
    }
    if (Thread.interrupted()) {
      counters.count(UdpCounter.RX_ERROR); // means nothing here, and would keep it from sleeping
    }
  }

  /** Ends the thread and waits for it. */
  void stop() {
    stopped = true;
    selector.wakeup();
    Thread t = thread;
    boolean interrupted = false;
    while (t != null && t.isAlive()) {
      try {
        t.join();
      } catch (InterruptedException e) {
        interrupted = true; // it ends as soon as it has seen stopped
      }
    }
    try {
      selector.close();
    } catch (IOException e) {
      counters.count(UdpCounter.RX_ERROR); // its descriptors are free all the same
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
