package ib.tools.rdmacm;

import ib.cm.rdma.QpFactory;
import ib.cm.rdma.RdmaConnection;
import ib.cm.rdma.RdmaEnd;
import ib.cm.rdma.RdmaHandler;
import ib.core.verbs.Access;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
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
import ib.tools.getopt.CommandException;
import ib.tools.run.Made;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One end of a ping: the queue pair and its memory. The memory holds the message to send, the
 * message received, the data, and a client's copy of them. For the command's thread, but for the
 * callbacks.
 */
final class RpingEnd implements QpFactory, RdmaHandler {
  private static final int MESSAGE = 16;
  private static final int DATA = 2 * MESSAGE;
  private static final int PAGE = 4096;
  private static final int MAX_SENDS = 16;
  private static final int MAX_RECEIVES = 2;
  private static final int RECEIVE_ID = 0;
  private static final int SEND_ID = 1;
  private static final int RDMA_ID = 2;
  private static final long LOOK_MS = 200;
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  /** A buffer of the peer. */
  record Remote(long address, int rkey, int length) {}

  private final int size;
  private final Runnable stop;
  private final Semaphore wakeUp = new Semaphore(0);
  private final Made made = new Made();
  private final WorkCompletion[] one = {new WorkCompletion()};
  private @Nullable CompletionQueue cq;
  private @Nullable MemoryRegion memory;
  private @Nullable QueuePair qp;
  private volatile @Nullable RdmaEnd end;
  private int received;
  private int moved;

  /**
   * Creates an end.
   *
   * @param size bytes of the data
   * @param stop called while nothing happens; throws to abort the run
   */
  RpingEnd(int size, Runnable stop) {
    this.size = size;
    this.stop = stop;
  }

  @Override
  public QueuePair make(IbDevice device, int port) {
    try {
      ProtectionDomain pd = made.make("ibv_alloc_pd failed", device::allocPd);
      CqInit init = new CqInit(MAX_SENDS + MAX_RECEIVES, (queue, c) -> wakeUp.release(), null);
      CompletionQueue queue = made.make("ibv_create_cq failed", () -> device.createCq(init));
      int access = Access.LOCAL_WRITE | Access.REMOTE_READ | Access.REMOTE_WRITE;
      memory = made.make("reg_mr failed", () -> pd.allocMemory(DATA + 2L * size, PAGE, access));
      cq = queue;
      QpCap cap = new QpCap(MAX_SENDS, MAX_RECEIVES, 1, 1, 0);
      qp = pd.createQp(new QpInit(QpType.RC, queue, cap));
      return qp;
    } catch (RuntimeException e) {
      made.close();
      throw e;
    }
  }

  @Override
  public void initialized(QueuePair initialized) {
    receive(initialized);
  }

  @Override
  public void destroyed(QueuePair destroyed) {
    made.close();
  }

  @Override
  public void established(RdmaConnection connection) {
    wakeUp.release();
  }

  @Override
  public void ended(RdmaConnection connection, RdmaEnd how) {
    end = how;
    wakeUp.release();
  }

  /** {@return how the connection has ended; null while it has not} */
  @Nullable RdmaEnd end() {
    return end;
  }

  private MemoryRegion memory() {
    if (memory == null) {
      throw new IllegalStateException("no memory yet");
    }
    return memory;
  }

  private QueuePair qp() {
    if (qp == null) {
      throw new IllegalStateException("no queue pair yet");
    }
    return qp;
  }

  /** {@return the buffer into which the peer's data go} */
  MemorySegment data() {
    return memory().segment().asSlice(DATA, size);
  }

  /** {@return the buffer of a client's data} */
  MemorySegment start() {
    return memory().segment().asSlice(DATA + (long) size, size);
  }

  private void receive(QueuePair at) {
    MemoryRegion m = memory();
    check("ibv_post_recv", at.postReceive(RECEIVE_ID, m.lkey(), m.iova() + MESSAGE, MESSAGE));
  }

  private static void check(String what, int status) {
    if (status != PostStatus.OK) {
      throw new CommandException(what + " failed: " + PostStatus.text(status));
    }
  }

  /**
   * Sends address, key and length of a buffer to the peer.
   *
   * @param copy whether that is the buffer of {@link #start}, else of {@link #data}
   */
  void advertise(boolean copy) {
    MemoryRegion m = memory();
    MemorySegment message = m.segment();
    message.set(LONG, 0, m.iova() + DATA + (copy ? size : 0));
    message.set(INT, 8, m.rkey());
    message.set(INT, 12, size);
    send();
  }

  /** Sends a message, whose content does not matter. */
  void send() {
    MemoryRegion m = memory();
    qp().wrStart();
    qp().wrId(SEND_ID).wrFlags(SendFlags.SIGNALED).wrSend();
    qp().wrSetSge(m.lkey(), m.iova(), MESSAGE);
    check("ibv_post_send", qp().wrComplete());
  }

  /**
   * Reads the peer's buffer, or writes to it, and waits until that is done.
   *
   * @return false when the connection has ended before
   */
  boolean move(boolean read, Remote peer, int length) {
    MemoryRegion m = memory();
    qp().wrStart();
    qp().wrId(RDMA_ID).wrFlags(SendFlags.SIGNALED);
    if (read) {
      qp().wrRdmaRead(peer.rkey(), peer.address());
    } else {
      qp().wrRdmaWrite(peer.rkey(), peer.address());
    }
    qp().wrSetSge(m.lkey(), m.iova() + DATA, length);
    check("ibv_post_send", qp().wrComplete());
    while (moved == 0) {
      if (!progress()) {
        return false;
      }
    }
    moved--;
    return true;
  }

  /** Waits for a message; {@return the buffer that it names, or null at the end} */
  @Nullable Remote message() {
    while (received == 0) {
      if (!progress()) {
        return null;
      }
    }
    received--;
    MemorySegment m = memory().segment().asSlice(MESSAGE, MESSAGE);
    Remote named = new Remote(m.get(LONG, 0), m.get(INT, 8), m.get(INT, 12));
    receive(qp());
    return named;
  }

  /** Handles a completion, or waits for one a moment; {@return whether the connection goes on} */
  private boolean progress() {
    if (cq != null && (poll(cq) || cq.requestNotify(NotifyFlags.NEXT_COMP) >= 0 && poll(cq))) {
      return true;
    }
    if (end != null) {
      return false;
    }
    idle();
    return true;
  }

  /** Waits a moment for a callback. */
  void idle() {
    stop.run();
    pause();
  }

  private void pause() {
    try {
      wakeUp.tryAcquire(LOOK_MS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      stop.run(); // throws
    }
  }

  private boolean poll(CompletionQueue queue) {
    if (queue.poll(one, 1) != 1) {
      return false;
    }
    WorkCompletion wc = one[0];
    if (wc.status() == WcStatus.WR_FLUSH_ERR) {
      return true; // the end of the connection follows
    }
    if (wc.status() != WcStatus.SUCCESS) {
      throw new CommandException("cq completion failed status " + wc.status().value());
    }
    if (wc.wrId() == RECEIVE_ID) {
      if (wc.byteLen() != MESSAGE) {
        throw new CommandException("Received bogus data, size " + wc.byteLen());
      }
      received++;
    } else if (wc.wrId() == RDMA_ID) {
      moved++;
    }
    return true;
  }
}
