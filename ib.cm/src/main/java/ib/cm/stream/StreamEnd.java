package ib.cm.stream;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import ib.cm.rdma.QpFactory;
import ib.cm.rdma.RdmaConnection;
import ib.cm.rdma.RdmaEnd;
import ib.cm.rdma.RdmaHandler;
import ib.cm.rdma.RdmaOptions;
import ib.core.verbs.AnyContext;
import ib.core.verbs.IbDevice;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.QueuePair;
import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One end of a stream, from the attempt to connect to its close. The threads that read, write and
 * close poll the completion queue, under the lock. A thread that waits enters itself in {@code
 * waiting}, arms the completion queue, looks once more, and parks without the lock.
 */
final class StreamEnd implements QpFactory, RdmaHandler {
  private static final int LOOKS = 16; // for completions, before one at the clock

  private final StreamOptions options;
  private final long pollNs;
  final StreamQueue queue;
  private final KeepAlive keepAlive;
  private final ReentrantLock lock = new ReentrantLock();
  private final Waiters waiters = new Waiters(lock);
  private volatile @Nullable RdmaEnd end;
  private volatile @Nullable RdmaConnection connection;
  private volatile boolean dataCame;
  private volatile boolean closed;

  @GuardedBy("lock")
  private @Nullable Traffic traffic; // while the queue pair is there

  @GuardedBy("lock")
  private boolean gone; // the queue pair

  @GuardedBy("lock")
  private boolean said; // that this side neither reads nor writes

  StreamEnd(StreamOptions options, StreamQueue queue) {
    keepAlive = new KeepAlive(options.keepAlive(), this::probe);
    this.options = options;
    this.pollNs = options.pollTime().toNanos();
    this.queue = queue;
  }

  // ---- the queue pair ----

  @Override
  public QueuePair make(IbDevice device, int port) {
    return queue.make(device, waiters::wake, this::dataCame);
  }

  @Override
  public void initialized(QueuePair made) {
    queue.receive(made);
  }

  @Override
  public byte[] data(RdmaOptions ignored) {
    return queue.terms().toBytes();
  }

  @Override
  public void destroyed(QueuePair old) {
    lock.lock();
    try {
      gone = true;
      traffic = null;
      queue.close();
    } finally {
      lock.unlock();
    }
    waiters.wake();
  }

  // ---- callbacks ----

  @AnyContext
  private void dataCame() {
    dataCame = true;
    RdmaConnection made = connection;
    if (made != null) {
      made.dataArrived();
    }
  }

  @Override
  public void ended(RdmaConnection made, RdmaEnd how) {
    end = how;
    keepAlive.stop();
    waiters.wake();
    if (how.kind() == RdmaEnd.Kind.DEVICE_REMOVAL) {
      made.close(); // the device waits for it
    }
  }

  /**
   * The connection is made, or accepted: tells the peer of the second half of the ring.
   *
   * @param made the connection
   * @param terms what the peer has said
   */
  void begin(RdmaConnection made, StreamTerms terms) {
    connection = made;
    if (dataCame) {
      made.dataArrived();
    }
    lock.lock();
    try {
      if (!gone) {
        traffic = new Traffic(options, queue, terms, made::disconnect);
        progress();
      }
    } finally {
      lock.unlock();
    }
    if (!options.keepAlive().isZero()) {
      keepAlive.start();
    }
  }

  /** Looks whether the peer is there; {@return whether the stream goes on} */
  private boolean probe() {
    lock.lock();
    try {
      progress();
      Traffic t = traffic;
      if (t == null || ended(t)) {
        return false;
      }
      t.probe();
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Handles all completions; {@return whether there was any} */
  @GuardedBy("lock")
  private boolean progress() {
    boolean any = traffic != null && traffic.progress(end != null);
    if (any) {
      waiters.wakeOthers(); // what one thread has handled may be what another one waits for
    }
    return any;
  }

  // ---- calls ----

  boolean isOver() {
    return end != null;
  }

  /**
   * Reads, and waits for the first byte.
   *
   * @param into takes the bytes; is not full
   * @return how many bytes; -1 when the peer writes no more
   */
  int read(ByteBuffer into) throws IOException {
    lock.lock();
    try {
      while (true) {
        boolean late = end != null; // all that came before the end is in the completion queue
        progress();
        Traffic t = traffic;
        int n = t == null ? 0 : t.take(into, end != null);
        if (n > 0) {
          return n;
        }
        if (t != null && t.inputEnded()) {
          return -1;
        }
        checkGoingOn(late);
        await(Long.MAX_VALUE);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Sends all of a message, and waits until there is space for it. */
  void send(Message message) throws IOException {
    lock.lock();
    try {
      while (!message.complete()) {
        if (!message.send(sendable())) {
          await(Long.MAX_VALUE);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** Takes a region back, unless that was done. */
  void unmap(int index) {
    lock.lock();
    try {
      Traffic t = traffic;
      MemoryRegion old = t == null ? null : t.regions.leave(index);
      if (old != null) {
        old.close();
      }
    } finally {
      lock.unlock();
    }
  }

  /** {@return the traffic, by which this side may write} */
  @GuardedBy("lock")
  private Traffic sendable() throws IOException {
    Traffic t = traffic;
    if (t == null || t.scarce() || end != null) {
      progress();
    }
    checkGoingOn(false);
    if (t != null && t.outputEnded()) { // the peer has said so before the connection ended
      throw new SocketException("Broken pipe");
    }
    checkGoingOn(end != null);
    if (t == null) {
      throw new SocketException("Broken pipe");
    }
    return t;
  }

  /** Ends the output; the peer reads what was written, and then the end. */
  void shutdownOutput() throws IOException {
    lock.lock();
    try {
      progress();
      checkGoingOn(end != null);
      while (traffic != null && !traffic.outputEnded() && !traffic.shutdown()) {
        await(Long.MAX_VALUE);
        checkGoingOn(end != null);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Ends both directions, and waits until the peer has all that was written, or too long. */
  void close() {
    boolean interrupted = false;
    lock.lock();
    try {
      closed = true;
      waiters.wake();
      long until = System.nanoTime() + options.closeTimeout().toNanos();
      long left = until - System.nanoTime();
      while (left > 0 && !interrupted && !arrived()) {
        try {
          await(left);
        } catch (ClosedByInterruptException e) {
          interrupted = true;
        }
        left = until - System.nanoTime();
      }
    } finally {
      lock.unlock();
    }
    RdmaConnection made = connection;
    if (made != null) {
      made.close();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Says the end where that was not done; {@return whether the peer has all, or will never} */
  @GuardedBy("lock")
  private boolean arrived() {
    progress();
    Traffic t = traffic;
    if (t == null || ended(t)) {
      return true;
    }
    said |= !said && t.disconnect();
    return said && t.arrived();
  }

  /** Throws when the stream has ended. */
  @GuardedBy("lock")
  private void checkGoingOn(boolean late) throws IOException {
    if (closed) {
      throw new AsynchronousCloseException();
    }
    IOException broken = traffic == null ? null : traffic.broken();
    if (broken != null) {
      throw broken;
    }
    RdmaEnd how = end;
    if (late && how != null) {
      SocketException reset = new SocketException("Connection reset: " + how.why().getMessage());
      reset.initCause(how.why());
      throw reset;
    }
  }

  /** Waits, without the lock, until something may have changed. */
  @GuardedBy("lock")
  private void await(long ns) throws ClosedByInterruptException {
    if (!comes()) {
      int seen = waiters.enter();
      try {
        if (quiet()) {
          waiters.park(seen, ns);
        }
      } finally {
        waiters.leave();
      }
    }
    if (Thread.currentThread().isInterrupted()) {
      throw new ClosedByInterruptException();
    }
  }

  /** Arms the completion queue; {@return false when the caller has to look first} */
  @GuardedBy("lock")
  private boolean quiet() {
    if (traffic == null || ended(traffic)) {
      return false;
    }
    queue.arm();
    return !progress() && traffic != null && !ended(traffic);
  }

  /**
   * Looks for completions a while, which is sooner than to be woken up; {@return whether there was
   * one} Stops when something else changes, or another thread wants the lock.
   */
  @GuardedBy("lock")
  private boolean comes() {
    if (pollNs == 0 || traffic == null || ended(traffic)) {
      return false;
    }
    int seen = waiters.changes();
    long begun = System.nanoTime();
    for (int looks = 1; !progress(); looks++) {
      if (looks % LOOKS == 0 && System.nanoTime() - begun >= pollNs
          || waiters.changes() != seen
          || lock.hasQueuedThreads()
          || Thread.currentThread().isInterrupted()) {
        return false;
      }
      Thread.onSpinWait();
    }
    return true;
  }

  @GuardedBy("lock")
  private boolean ended(Traffic t) {
    return end != null || t.isBroken();
  }
}
