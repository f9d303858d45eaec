package ib.driver.rxe.udp;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicInteger;

/** Receives with recvmmsg(2). Linux may join several packets of one sender into one datagram. */
final class NativeReceiver extends Receiver {
  private static final int BATCH = 16;
  private static final int STREAM = 8; // packets in one receive that make a batch
  private static final int POLL_BYTES = 8; // of a struct pollfd
  private static final int EVENTS = 6; // what poll(2) has found, in a struct pollfd
  private static final int READABLE = 1;
  private static final int UNTIL_READY = -1; // no time limit
  private static final int FIRST_POLL_FDS = 16;
  private static final int CLOSED = Integer.MIN_VALUE;

  private final Libc libc;
  private final ReceivePool pool;
  private final UdpCounters counters;
  private final Arrivals arrivals = new Arrivals(BATCH);
  private final Arena arena = Arena.ofShared();
  private final MemorySegment state = arena.allocate(Libc.stateBytes(), 8);
  private final MemorySegment ringState = arena.allocate(Libc.stateBytes(), 8);
  private final MemorySegment rung = arena.allocate(ValueLayout.JAVA_LONG);
  private final Backlog backlog =
      new Backlog(arena.allocate(Backlog.bytes(), 8), arena.allocate(Libc.stateBytes(), 8));
  private final int bell;
  private boolean rang; // used by the receiver's thread only

  /**
   * How many threads are ringing the bell, and {@link #CLOSED} from {@link #release} on. A consumer
   * that polls may ring while the device goes: the bell's descriptor may be another file's then.
   */
  private final AtomicInteger ringers = new AtomicInteger();

  private volatile MemorySegment pollFds =
      pollFds(FIRST_POLL_FDS); // one struct pollfd per descriptor
  private volatile NativeEndpoint[] endpoints = {}; // stored after pollFds has a place for each

  /**
   * A receiver without endpoints, whose thread does not run yet.
   *
   * @throws IOException when the process has no free file descriptor for the bell
   */
  NativeReceiver(
      Libc libc, Inbound inbound, ReceivePool pool, UdpCounters counters, long busyPollNs)
      throws IOException {
    super(inbound, counters, busyPollNs);
    this.libc = libc;
    this.pool = pool;
    this.counters = counters;
    this.bell = libc.bell(state);
    if (bell < 0) {
      IOException why = libc.failure(state, "eventfd");
      arrivals.close();
      arena.close();
      throw why;
    }
  }

  private MemorySegment pollFds(int descriptors) {
    return arena.allocate((long) POLL_BYTES * descriptors, POLL_BYTES);
  }

  @Override
  void endpoints(Endpoint[] now) {
    int room = (int) (pollFds.byteSize() / POLL_BYTES);
    if (room < now.length + 1) { // the old array stays until release: a thread may be polling it
      pollFds = pollFds(Math.max(2 * room, now.length + 1));
    }
    NativeEndpoint[] mine = new NativeEndpoint[now.length];
    for (int i = 0; i < now.length; i++) {
      mine[i] = (NativeEndpoint) now[i];
    }
    endpoints = mine;
    wake();
  }

  @Override
  int sweep() {
    int n = 0;
    for (NativeEndpoint e : endpoints) {
      int got = arrivals.receive(libc, e.fd(), pool);
      if (got < 0) {
        counters.count(UdpCounter.RX_ERROR);
        continue;
      }
      if (got > 0 && backlog.isDue(got, arrivals.bytes(got))) {
        backlog.look(libc, e.fd());
      }
      for (int i = 0; i < got; i++) {
        inbound.marked(backlog.marks());
        accept(e, i);
      }
      backlog.clear();
      n += got;
    }
    return n;
  }

  private void accept(NativeEndpoint e, int i) {
    ReceiveBuffer buffer = arrivals.take(i);
    arrivals.look(i);
    int length = arrivals.length(i);
    long high = arrivals.high(i, e.four);
    long low = arrivals.low(i, e.four);
    int port = arrivals.port(i);
    int each = arrivals.segment > 0 ? arrivals.segment : length;
    int packets = Math.max(1, (length + each - 1) / Math.max(1, each));
    counters.count(UdpCounter.UDP_RCVD, packets);
    buffer.use(packets - 1); // Arrivals has counted one use
    int number = 0;
    int at = 0;
    do {
      int bytes = Math.min(each, length - at);
      inbound.datagram(
          e,
          buffer,
          number++,
          at,
          bytes,
          high,
          low,
          port,
          arrivals.trafficClass,
          arrivals.flowLabel,
          arrivals.hopLimit);
      at += bytes;
    } while (at < length);
    if (number >= STREAM) {
      inbound.finish(); // ends the batch while the data is in a cache
    }
  }

  @Override
  void sleep() {
    ready(UNTIL_READY);
    if (rang) {
      libc.unring(state, bell, rung.address());
    }
  }

  /** {@return whether the bell was rung when {@link #ready} looked last} */
  boolean rang() {
    return rang;
  }

  /**
   * Waits until a socket has a datagram or the bell was rung. Only the receiver's thread may call.
   *
   * @param ms the longest wait in milliseconds; 0 only looks, a negative number sets no limit
   * @return how many sockets have a datagram, and one more if the bell was rung
   */
  int ready(int ms) {
    NativeEndpoint[] now = endpoints;
    MemorySegment all = pollFds;
    watch(all, 0, bell);
    for (int i = 0; i < now.length; i++) {
      watch(all, i + 1, now[i].fd());
    }
    int found = libc.poll(state, all.address(), now.length + 1, ms);
    rang = all.get(ValueLayout.JAVA_SHORT, EVENTS) != 0;
    return found;
  }

  private static void watch(MemorySegment all, int i, int fd) {
    all.set(ValueLayout.JAVA_INT, (long) i * POLL_BYTES, fd);
    all.set(ValueLayout.JAVA_INT, (long) i * POLL_BYTES + 4, READABLE);
  }

  @Override
  void settle() {}

  @Override
  void wake() {
    try {
      if (ringers.getAndIncrement() >= 0) {
        libc.ring(ringState, bell);
      }
    } finally {
      ringers.getAndDecrement();
    }
  }

  @Override
  void release() {
    ringers.getAndAdd(CLOSED);
    while (ringers.get() != CLOSED) { // for one system call, which does not wait
      Thread.onSpinWait();
    }
    arrivals.close();
    libc.close(state, bell);
    arena.close();
  }
}
