package ib.cm.stream;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import ib.cm.rdma.QpFactory;
import ib.cm.rdma.RdmaConnection;
import ib.cm.rdma.RdmaEnd;
import ib.cm.rdma.RdmaHandler;
import ib.cm.rdma.RdmaOptions;
import ib.core.verbs.Access;
import ib.core.verbs.AnyContext;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.EventType;
import ib.core.verbs.IbDevice;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.NotifyFlags;
import ib.core.verbs.PostStatus;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.ProtocolException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One end of a stream: queue pair, memory, and what has been sent and heard. Whoever reads, writes
 * or closes polls the completion queue under {@link #lock}; a thread that waits has entered itself
 * in {@link #waiting}, arms the completion queue, and parks without the lock.
 */
final class StreamEnd implements QpFactory, RdmaHandler {
  private static final int PAGE = 4096;
  private static final int CONTROLS = 4; // messages without credits (RS-7)
  private static final int FIRST_CHUNK = 2048; // of a write; each further one is twice as long
  private static final int MAX_CHUNK = 1 << 16;
  private static final int BATCH = 16;
  private static final long RECEIVE = -1; // request numbers; data have their length
  private static final long CONTROL = -2;
  private static final Thread[] NONE = {};

  /** A message that carries no data, and which the peer hears of by its immediate. */
  private enum Message {
    CREDITS,
    SHUTDOWN,
    DISCONNECT
  }

  private final StreamOptions options;
  private final ReentrantLock lock = new ReentrantLock();
  private final AtomicInteger changes = new AtomicInteger();
  private volatile Thread[] waiting = NONE; // written under the lock
  private volatile @Nullable RdmaEnd end;
  private volatile @Nullable RdmaConnection connection;
  private volatile boolean dataCame;
  private volatile boolean closed;

  // written before the connection is made, and cleared under the lock when the queue pair is gone
  private @Nullable ProtectionDomain pd;
  private @Nullable CompletionQueue cq;
  private @Nullable MemoryRegion open; // the list of buffers, and the ring for the peer's data
  private @Nullable MemoryRegion own; // data and an entry on their way to the peer
  private @Nullable QueuePair qp;
  private boolean gone;

  @GuardedBy("lock")
  private @Nullable Flow flow;

  @GuardedBy("lock")
  private long remoteList;

  @GuardedBy("lock")
  private int remoteKey;

  @GuardedBy("lock")
  private final WorkCompletion[] completions = new WorkCompletion[BATCH];

  @GuardedBy("lock")
  private int slots; // of the send queue, for data

  @GuardedBy("lock")
  private int controls = CONTROLS;

  @GuardedBy("lock")
  private int unsent; // free bytes of the send buffer

  @GuardedBy("lock")
  private int sendAt;

  @GuardedBy("lock")
  private boolean inputEnded;

  @GuardedBy("lock")
  private boolean outputEnded;

  @GuardedBy("lock")
  private @Nullable IOException broken;

  StreamEnd(StreamOptions options) {
    this.options = options;
    slots = options.sendQueue();
    unsent = options.sendBuffer();
    Arrays.setAll(completions, i -> new WorkCompletion());
  }

  // ---- the queue pair ----

  @Override
  public QueuePair make(IbDevice device, int port) {
    int receives = options.receiveQueue() + 2 * CONTROLS;
    int sends = options.sendQueue() + CONTROLS;
    try {
      ProtectionDomain domain = device.allocPd();
      pd = domain;
      CompletionQueue queue =
          device.createCq(new CqInit(sends + receives, (q, context) -> wake(), null));
      cq = queue;
      long list = (long) StreamTerms.ENTRIES * Flow.ENTRY;
      int rights = Access.LOCAL_WRITE | Access.REMOTE_WRITE;
      open = domain.allocMemory(list + options.receiveBuffer(), PAGE, rights);
      own = domain.allocMemory((long) Flow.ENTRY + options.sendBuffer(), PAGE, Access.LOCAL_WRITE);
      QpCap cap = new QpCap(sends, receives, 1, 1, Flow.ENTRY);
      QueuePair made =
          domain.createQp(
              new QpInit(QpType.RC, queue, cap)
                  .withEventHandler(
                      (event, context) -> {
                        if (event.type() == EventType.COMM_EST) {
                          dataCame();
                        }
                      },
                      null));
      qp = made;
      return made;
    } catch (RuntimeException e) {
      free();
      throw e;
    }
  }

  @Override
  public void initialized(QueuePair made) {
    for (int i = 0; i < options.receiveQueue() + 2 * CONTROLS; i++) {
      int status = made.postReceive(RECEIVE, 0, 0, 0);
      if (status != PostStatus.OK) {
        throw new IllegalStateException(PostStatus.text(status));
      }
    }
  }

  @Override
  public byte[] data(RdmaOptions ignored) {
    MemoryRegion ring = given(open);
    int list = StreamTerms.ENTRIES * Flow.ENTRY;
    return new StreamTerms(
            ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN,
            options.receiveQueue(),
            ring.iova(),
            ring.rkey(),
            ring.iova() + list,
            ring.rkey(),
            options.receiveBuffer() / 2)
        .toBytes();
  }

  @Override
  public void destroyed(QueuePair old) {
    lock.lock();
    try {
      gone = true;
      free();
    } finally {
      lock.unlock();
    }
    wake();
  }

  private void free() {
    for (@Nullable AutoCloseable each : new AutoCloseable[] {own, open, cq, pd}) {
      close(each);
    }
    own = null;
    open = null;
    cq = null;
    pd = null;
  }

  private static void close(@Nullable AutoCloseable made) {
    try {
      if (made != null) {
        made.close();
      }
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e); // none of them throws any other
    }
  }

  private static <T> T given(@Nullable T made) {
    if (made == null) {
      throw new IllegalStateException("not connected");
    }
    return made;
  }

  // ---- callbacks ----

  /** Lets the threads that wait look again. */
  @AnyContext
  private void wake() {
    changes.incrementAndGet();
    for (Thread each : waiting) {
      LockSupport.unpark(each);
    }
  }

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
    wake();
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
        MemorySegment list = given(open).segment();
        flow = new Flow(list, options.receiveBuffer(), options.receiveQueue(), terms);
        remoteList = terms.listAddress();
        remoteKey = terms.listKey();
        progress();
      }
    } finally {
      lock.unlock();
    }
  }

  // ---- completions ----

  /** Handles all completions, and gives the peer credits; {@return whether there was any} */
  @GuardedBy("lock")
  private boolean progress() {
    if (gone || flow == null) {
      return false;
    }
    CompletionQueue queue = given(cq);
    boolean any = false;
    for (int n = queue.poll(completions, BATCH); n > 0; n = queue.poll(completions, BATCH)) {
      any = true;
      for (int i = 0; i < n; i++) {
        try {
          completed(completions[i], flow);
        } catch (ProtocolException e) {
          fail(e);
        }
      }
    }
    if (flow.due() && controls > 0 && broken == null && end == null) {
      post(Message.CREDITS);
    }
    if (any) {
      wake(); // what one thread has handled may be what another one waits for
    }
    return any;
  }

  @GuardedBy("lock")
  private void completed(WorkCompletion c, Flow f) throws ProtocolException {
    if (c.status() != WcStatus.SUCCESS) {
      if (c.status() != WcStatus.WR_FLUSH_ERR) {
        fail(new SocketException("Connection reset: " + c.status()));
      }
    } else if (c.wrId() == RECEIVE) {
      heard(c, f);
      if (end == null) {
        post(given(qp).postReceive(RECEIVE, 0, 0, 0));
      }
    } else if (c.wrId() == CONTROL) {
      controls++;
    } else {
      slots++;
      unsent += (int) c.wrId();
    }
  }

  @GuardedBy("lock")
  private void heard(WorkCompletion c, Flow f) throws ProtocolException {
    int value = Immediate.value(c.immData());
    switch (Immediate.type(c.immData())) {
      case DATA -> f.heard(value);
      case CREDITS -> f.credited(value, c.byteLen() > 0);
      case CONTROL -> {
        inputEnded |= value == Immediate.SHUTDOWN || value == Immediate.DISCONNECT;
        outputEnded |= value == Immediate.DISCONNECT;
      }
      case OTHER -> {} // reserved, RS-3
    }
  }

  @GuardedBy("lock")
  private void fail(IOException why) {
    if (broken == null) {
      broken = why;
      RdmaConnection made = connection;
      if (made != null) {
        made.disconnect();
      }
    }
  }

  @GuardedBy("lock")
  private void post(int status) {
    if (status != PostStatus.OK) {
      fail(new SocketException("Connection reset: " + PostStatus.text(status)));
    }
  }

  /** Posts a message without data; there is a slot for it. */
  @GuardedBy("lock")
  private void post(Message message) {
    controls--;
    Flow f = given(flow);
    QueuePair pair = given(qp);
    boolean buffer = message == Message.CREDITS && f.buffer();
    int immediate =
        switch (message) {
          case CREDITS -> Immediate.CREDITS.of(f.credits());
          case SHUTDOWN -> Immediate.CONTROL.of(Immediate.SHUTDOWN);
          case DISCONNECT -> Immediate.CONTROL.of(Immediate.DISCONNECT);
        };
    pair.wrStart().wrId(CONTROL).wrFlags(SendFlags.SIGNALED);
    if (buffer) {
      MemoryRegion ring = given(open);
      MemorySegment entry = given(own).segment().asSlice(0, Flow.ENTRY);
      f.write(entry, ring.iova() + (long) StreamTerms.ENTRIES * Flow.ENTRY, ring.rkey());
      pair.wrRdmaWriteImm(remoteKey, f.entry(), immediate).wrSetInline(entry, 0, Flow.ENTRY);
    } else {
      pair.wrRdmaWriteImm(remoteKey, remoteList, immediate);
    }
    post(pair.wrComplete());
    if (message == Message.CREDITS) {
      f.granted();
    }
  }

  // ---- calls ----

  /**
   * Reads, and waits for the first byte.
   *
   * @param into takes the bytes; has room
   * @return how many bytes; -1 when the peer writes no more
   */
  int read(ByteBuffer into) throws IOException {
    lock.lock();
    try {
      while (true) {
        boolean late = end != null; // what came before the end is in the queue
        progress();
        Flow f = flow;
        if (!gone && f != null && f.readable() > 0) {
          return take(into, f);
        }
        if (inputEnded) {
          return -1;
        }
        goingOn(late);
        await(Long.MAX_VALUE);
      }
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private int take(ByteBuffer into, Flow f) {
    MemorySegment ring = given(open).segment();
    int all = 0;
    while (into.hasRemaining() && f.readable() > 0) {
      int n = Math.min(into.remaining(), f.piece());
      long from = (long) StreamTerms.ENTRIES * Flow.ENTRY + f.readAt();
      MemorySegment to = MemorySegment.ofBuffer(into);
      MemorySegment.copy(ring, ValueLayout.JAVA_BYTE, from, to, ValueLayout.JAVA_BYTE, 0, n);
      into.position(into.position() + n);
      f.read(n);
      all += n;
    }
    progress(); // the peer may send on
    return all;
  }

  /** Writes all of a buffer, and waits for room. */
  int write(ByteBuffer from) throws IOException {
    int all = from.remaining();
    int chunk = FIRST_CHUNK;
    lock.lock();
    try {
      while (from.hasRemaining()) {
        progress();
        goingOn(end != null);
        if (outputEnded) {
          throw new SocketException("Broken pipe");
        }
        int n = slots == 0 ? 0 : Math.min(given(flow).room(), piece());
        n = Math.min(Math.min(n, chunk), from.remaining());
        if (n > 0) {
          send(from, n);
          chunk = Math.min(2 * chunk, MAX_CHUNK);
        } else {
          await(Long.MAX_VALUE);
        }
      }
    } finally {
      lock.unlock();
    }
    return all;
  }

  /** {@return bytes of the send buffer that are free in one piece} */
  @GuardedBy("lock")
  private int piece() {
    return Math.min(unsent, options.sendBuffer() - sendAt);
  }

  @GuardedBy("lock")
  private void send(ByteBuffer from, int n) {
    MemoryRegion buffer = given(own);
    Flow f = given(flow);
    long at = Flow.ENTRY + (long) sendAt;
    MemorySegment bytes = MemorySegment.ofBuffer(from);
    MemorySegment.copy(
        bytes, ValueLayout.JAVA_BYTE, 0, buffer.segment(), ValueLayout.JAVA_BYTE, at, n);
    from.position(from.position() + n);
    slots--;
    unsent -= n;
    sendAt = (sendAt + n) % options.sendBuffer();
    QueuePair pair = given(qp);
    pair.wrStart().wrId(n).wrFlags(SendFlags.SIGNALED);
    pair.wrRdmaWriteImm(f.key(), f.address(), Immediate.DATA.of(n));
    post(pair.wrSetSge(buffer.lkey(), buffer.iova() + at, n).wrComplete());
    f.sent(n);
  }

  /** Ends the output; the peer reads what was written, and then the end. */
  void shutdownOutput() throws IOException {
    lock.lock();
    try {
      while (!outputEnded) {
        progress();
        goingOn(end != null);
        if (controls > 0) {
          post(Message.SHUTDOWN);
          outputEnded = true;
        } else {
          await(Long.MAX_VALUE);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** Ends both directions, and waits until the peer has what was written, or too long. */
  void close() {
    boolean interrupted = false;
    lock.lock();
    try {
      closed = true;
      wake();
      long until = System.nanoTime() + options.closeTimeout().toNanos();
      boolean said = false;
      while (flow != null && !gone && broken == null && end == null) {
        progress();
        if (!said && controls > 0) {
          post(Message.DISCONNECT);
          said = true;
        }
        if (said && slots == options.sendQueue() && controls == CONTROLS) {
          break;
        }
        long left = until - System.nanoTime();
        if (left <= 0 || interrupted) {
          break;
        }
        try {
          await(left);
        } catch (ClosedByInterruptException e) {
          interrupted = true;
        }
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

  /** Throws when the stream has ended. */
  @GuardedBy("lock")
  private void goingOn(boolean late) throws IOException {
    if (closed) {
      throw new AsynchronousCloseException();
    }
    if (broken != null) {
      throw renewed(broken);
    }
    RdmaEnd how = end;
    if (late && how != null) {
      SocketException reset = new SocketException("Connection reset: " + how.why().getMessage());
      reset.initCause(how.why());
      throw reset;
    }
  }

  private static IOException renewed(IOException first) {
    IOException again =
        first instanceof ProtocolException
            ? new ProtocolException(first.getMessage())
            : new SocketException(first.getMessage());
    again.initCause(first);
    return again;
  }

  /** Waits, without the lock, until something may have changed. */
  @GuardedBy("lock")
  private void await(long ns) throws ClosedByInterruptException {
    Thread me = Thread.currentThread();
    int seen = changes.get();
    Thread[] more = Arrays.copyOf(waiting, waiting.length + 1);
    more[waiting.length] = me;
    waiting = more;
    try {
      if (gone || end != null || broken != null) {
        return; // the caller looks at that first
      }
      given(cq).requestNotify(NotifyFlags.NEXT_COMP);
      if (progress() || end != null || broken != null) {
        return; // that came since the caller has looked
      }
      lock.unlock();
      try {
        long until = System.nanoTime() + ns;
        long left = ns;
        while (changes.get() == seen && left > 0 && !me.isInterrupted()) {
          LockSupport.parkNanos(this, left);
          left = ns == Long.MAX_VALUE ? ns : until - System.nanoTime();
        }
      } finally {
        lock.lock();
      }
    } finally {
      waiting = Arrays.stream(waiting).filter(t -> !t.equals(me)).toArray(Thread[]::new);
    }
    if (me.isInterrupted()) {
      throw new ClosedByInterruptException();
    }
  }
}
