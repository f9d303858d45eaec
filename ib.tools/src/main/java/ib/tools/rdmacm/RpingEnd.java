package ib.tools.rdmacm;

import ib.core.verbs.Access;
import ib.core.verbs.IbDevice;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WorkCompletion;
import ib.tools.getopt.CommandException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * One end of a ping. The memory holds the message to send, the message received, the data, and a
 * client's copy of them.
 */
final class RpingEnd extends End {
  private static final int MESSAGE = 16;
  private static final int DATA = 2 * MESSAGE;
  private static final int MAX_SENDS = 16;
  private static final int MAX_RECEIVES = 2;
  private static final int RECEIVE_ID = 0;
  private static final int SEND_ID = 1;
  private static final int RDMA_ID = 2;
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  /** A buffer of the peer. */
  record Remote(long address, int rkey, int length) {}

  private final int size;
  private int received;
  private int moved;

  /**
   * Creates an end.
   *
   * @param size bytes of the data
   * @param program which
   */
  RpingEnd(int size, Program program) {
    super(program);
    this.size = size;
  }

  @Override
  protected QpType type() {
    return QpType.RC;
  }

  @Override
  protected Size size(IbDevice device, int port) {
    int access = Access.LOCAL_WRITE | Access.REMOTE_READ | Access.REMOTE_WRITE;
    return new Size(new QpCap(MAX_SENDS, MAX_RECEIVES, 1, 1, 0), DATA + 2L * size, access);
  }

  @Override
  public void initialized(QueuePair initialized) {
    receive(initialized);
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
    check("ibv_post_recv", at, at.postReceive(RECEIVE_ID, m.lkey(), m.iova() + MESSAGE, MESSAGE));
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
    check("ibv_post_send", qp(), qp().wrComplete());
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
    check("ibv_post_send", qp(), qp().wrComplete());
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

  @Override
  protected void completed(WorkCompletion wc) {
    if (wc.wrId() == RECEIVE_ID) {
      if (wc.byteLen() != MESSAGE) {
        throw new CommandException("Received bogus data, size " + wc.byteLen());
      }
      received++;
    } else if (wc.wrId() == RDMA_ID) {
      moved++;
    }
  }
}
