package ib.driver.rxe.udp;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Receives one datagram after the other from channels of Java, and sleeps in a selector. */
final class PortableReceiver extends Receiver {
  private static final int BATCH = 32;
  private static final long NO_ROOM_NS = 20_000;

  private static final Consumer<SelectionKey> READY = key -> {}; // sweep() reads all sockets anyway

  private final Selector selector;
  private final ReceivePool pool;
  private final UdpCounters counters;
  private volatile PortableEndpoint[] endpoints = {};
  private volatile boolean noRoom;
  // the last source and its GID
  private @Nullable InetSocketAddress source;
  private long sourceHigh;
  private long sourceLow;

  PortableReceiver(Inbound inbound, ReceivePool pool, UdpCounters counters, long busyPollNs)
      throws IOException {
    super(inbound, counters, busyPollNs);
    this.selector = Selector.open();
    this.pool = pool;
    this.counters = counters;
  }

  @Override
  void endpoints(Endpoint[] now) throws IOException {
    PortableEndpoint[] mine = new PortableEndpoint[now.length];
    for (int i = 0; i < now.length; i++) {
      mine[i] = (PortableEndpoint) now[i];
      mine[i].register(selector);
    }
    endpoints = mine;
    wake();
  }

  @Override
  int sweep() {
    int n = 0;
    for (PortableEndpoint e : endpoints) {
      int got = 0;
      while (got < BATCH && receive(e)) {
        got++;
      }
      n += got;
    }
    return n;
  }

  private boolean receive(PortableEndpoint e) {
    ReceiveBuffer buffer = pool.buffer();
    if (buffer == null) {
      counters.count(UdpCounter.RX_OVERRUN);
      noRoom = true;
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
    counters.count(UdpCounter.UDP_RCVD);
    inbound.datagram(e, buffer, 0, 0, length, sourceHigh, sourceLow, from.getPort(), 0, 0, 0);
    return true;
  }

  private void takeApart(InetSocketAddress from) {
    var gid = Addresses.gid(from.getAddress());
    sourceHigh = gid.high();
    sourceLow = gid.low();
    source = from;
  }

  @Override
  void sleep() {
    if (noRoom) {
      noRoom = false;
      LockSupport.parkNanos(
          NO_ROOM_NS); // the engine's threads hold all buffers and will release some
    } else {
      select(false);
    }
  }

  /** Lets the selector deregister closed channels, which keep their ports until then. */
  @Override
  void settle() {
    select(true);
  }

  private void select(boolean now) {
    try {
      if (now) {
        selector.selectNow(READY);
      } else {
        selector.select(READY);
      }
    } catch (IOException e) {
      counters.count(UdpCounter.RX_ERROR);
      LockSupport.parkNanos(NO_ROOM_NS);
    }
    if (Thread.interrupted()) {
      counters.count(UdpCounter.RX_ERROR); // the interrupt would keep select() from sleeping
    }
  }

  @Override
  void wake() {
    selector.wakeup();
  }

  @Override
  void release() {
    try {
      selector.close();
    } catch (IOException e) {
      counters.count(UdpCounter.RX_ERROR); // the descriptors are closed all the same
    }
  }
}
