package ib.tools.perftest;

import ib.cm.rdma.RdmaConnection;
import ib.cm.rdma.RdmaEnd;
import ib.core.verbs.Access;
import ib.core.verbs.IbDevice;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WorkCompletion;
import ib.tools.getopt.CommandException;
import ib.tools.rdmacm.End;
import ib.tools.rdmacm.Program;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The connection by address that carries the exchange in place of TCP: each record is a message.
 * The memory holds the record to send, then the one received. For the run's thread, but for the
 * callbacks.
 */
final class Control extends End implements Carrier {
  private static final int RECORD = 64; // no record is longer
  private static final int SEND_ID = 1;
  private static final int RECEIVE_ID = 2;

  /** The last messages of a peer that has left may still have to be looked at. */
  private static final long LEFT_NS = TimeUnit.SECONDS.toNanos(1);

  /** Held by the run's thread while it has objects at the device, for which a removal waits. */
  final ReentrantLock inUse = new ReentrantLock();

  private final Program program;
  private final boolean client;
  private volatile Side.@Nullable Place place;
  private int sent;
  private int received;
  private int length; // of the record received
  private long leftNs;

  Control(Program program, boolean client) {
    super(program);
    this.program = program;
    this.client = client;
  }

  @Override
  public void destroyed(QueuePair destroyed) {
    inUse.lock(); // the run sees that its queue pairs are flushed, and ends
    inUse.unlock();
    super.destroyed(destroyed);
  }

  @Override
  protected QpType type() {
    return QpType.RC;
  }

  @Override
  protected Size size(IbDevice device, int port) {
    place = new Side.Place(device, port, -1);
    return new Size(new QpCap(1, 1, 1, 1, 0), 2L * RECORD, Access.LOCAL_WRITE);
  }

  @Override
  public void initialized(QueuePair qp) {
    receive(qp);
  }

  private void receive(QueuePair at) {
    MemoryRegion m = memory();
    check("ibv_post_recv", at, at.postReceive(RECEIVE_ID, m.lkey(), m.iova() + RECORD, RECORD));
  }

  @Override
  protected void completed(WorkCompletion wc) {
    if (wc.wrId() == SEND_ID) {
      sent++;
    } else {
      received++;
      length = wc.byteLen();
    }
  }

  /** Waits until the connection is made; {@return the port at which it is} */
  Side.Place awaitPlace(RdmaConnection connection) {
    while (!connection.isOpen()) {
      RdmaEnd how = end();
      if (how != null) {
        throw failed(how);
      }
      idle();
    }
    return Objects.requireNonNull(place, "the queue pair was made");
  }

  private CommandException failed(RdmaEnd how) {
    return new CommandException(program.name() + ": " + how + "\n" + how.why().getMessage());
  }

  /**
   * Ends the run if the user has stopped it, the device goes, or the peer has left a while ago.
   *
   * @throws CommandException then
   */
  void goOn() {
    program.goOn();
    RdmaEnd how = end();
    if (how == null) {
      return;
    }
    long now = System.nanoTime();
    leftNs = leftNs == 0 ? now : leftNs;
    if (how.kind() == RdmaEnd.Kind.DEVICE_REMOVAL || now - leftNs > LEFT_NS) {
      throw failed(how);
    }
  }

  @Override
  public byte[] exchange(byte[] mine, long patienceNs) throws IOException {
    long until = System.nanoTime() + Math.min(patienceNs, Long.MAX_VALUE / 2);
    if (client) {
      send(mine, until);
    }
    while (received == 0) {
      progress(until);
    }
    received--;
    if (length != mine.length) {
      throw new IOException(length + " bytes instead of a record of " + mine.length);
    }
    byte[] theirs = new byte[length];
    MemorySegment.copy(memory().segment(), ValueLayout.JAVA_BYTE, RECORD, theirs, 0, length);
    receive(qp());
    if (!client) {
      send(mine, until);
    }
    return theirs;
  }

  private void send(byte[] mine, long until) throws IOException {
    MemoryRegion m = memory();
    MemorySegment.copy(mine, 0, m.segment(), ValueLayout.JAVA_BYTE, 0, mine.length);
    QueuePair qp = qp();
    qp.wrStart();
    qp.wrId(SEND_ID).wrFlags(SendFlags.SIGNALED).wrSend();
    qp.wrSetSge(m.lkey(), m.iova(), mine.length);
    check("ibv_post_send", qp, qp.wrComplete());
    while (sent == 0) {
      progress(until);
    }
    sent--;
  }

  private void progress(long until) throws IOException {
    if (!progress()) {
      RdmaEnd how = Objects.requireNonNull(end(), "it has ended");
      throw new IOException("the other end hung up: " + how, how.why());
    }
    if (System.nanoTime() - until > 0) {
      throw new IOException("the other end was too slow");
    }
  }

  @Override
  public boolean binary() {
    return true;
  }

  /** Does nothing: the owner of the connection closes it. */
  @Override
  public void close() {}
}
