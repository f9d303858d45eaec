package samples.nvmet;

import ib.cm.rdma.QpFactory;
import ib.cm.rdma.RdmaCm;
import ib.cm.rdma.RdmaConnection;
import ib.cm.rdma.RdmaEnd;
import ib.cm.rdma.RdmaHandler;
import ib.cm.rdma.RdmaOptions;
import ib.core.verbs.Access;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.IbDevice;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.PostStatus;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WcFlags;
import ib.core.verbs.WcOpcode;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A queue of a host, for one thread: what Linux's nvme-rdma does, and anything else, too. It fails
 * with {@link IllegalStateException}.
 */
final class HostQueue implements QpFactory, RdmaHandler, AutoCloseable {
  private static final long WAIT_NS = TimeUnit.MINUTES.toNanos(1);
  private static final int SLOT = Capsule.COMMAND + Limits.IN_CAPSULE;
  private static final long RECEIVE = 1L << 32;
  private static final int READS = 16; // of the target at once

  /**
   * A response.
   *
   * @param status the status field of the completion
   * @param result the first 8 bytes
   * @param head SQHD
   * @param invalidated the key that the target has invalidated, 0 for none
   */
  record Response(int status, long result, int head, int invalidated) {}

  final int qid;
  final int depth;
  private final int dataBytes;
  private final int receives;
  private final RdmaConnection connection;
  private final Map<Integer, Response> responses = new HashMap<>();
  private volatile RdmaEnd end;
  private volatile WcStatus failure;
  private int lastCid;

  private ProtectionDomain pd;
  private MemoryRegion data;
  private volatile MemoryRegion fast;
  private CompletionQueue cq;
  private MemoryRegion area;
  private QueuePair qp;

  /**
   * Sizes of a queue.
   *
   * @param qid 0 for the admin queue
   * @param depth commands at once, and one more
   * @param dataBytes of the memory that the target reads and writes
   * @param receives for responses, one for each, or fewer
   */
  record Sizes(int qid, int depth, int dataBytes, int receives) {}

  /** Connects. */
  HostQueue(RdmaCm cm, InetSocketAddress to, RdmaOptions options, Sizes sizes)
      throws InterruptedException {
    this.qid = sizes.qid;
    this.depth = sizes.depth;
    this.dataBytes = sizes.dataBytes;
    this.receives = sizes.receives;
    byte[] greeting = greeting(0, qid, depth, depth);
    connection = cm.start(to, options.reads(READS, 0).data(greeting), this, this);
    try {
      connection.established().get(1, TimeUnit.MINUTES);
    } catch (java.util.concurrent.ExecutionException | java.util.concurrent.TimeoutException e) {
      connection.close();
      throw new IllegalStateException(e);
    }
    Wire.u16(MemorySegment.ofArray(connection.data()), 2); // CRQSIZE is there
  }

  static byte[] greeting(int format, int qid, int receives, int depth) {
    byte[] bytes = new byte[32];
    MemorySegment s = MemorySegment.ofArray(bytes);
    Wire.u16(s, 0, format);
    Wire.u16(s, 2, qid);
    Wire.u16(s, 4, receives);
    Wire.u16(s, 6, depth - 1);
    return bytes;
  }

  @Override
  public QueuePair make(IbDevice device, int port) {
    pd = device.allocPd();
    cq = device.createCq(new CqInit(8 * depth));
    int remote = Access.LOCAL_WRITE | Access.REMOTE_READ | Access.REMOTE_WRITE;
    data = pd.allocMemory(dataBytes, 4096, remote);
    area = pd.allocMemory((long) depth * (SLOT + Capsule.RESPONSE), 64, Access.LOCAL_WRITE);
    qp = pd.createQp(new QpInit(QpType.RC, cq, new QpCap(4 * depth, depth, 1, 1, 0)));
    return qp;
  }

  @Override
  public void initialized(QueuePair made) {
    for (int i = 0; i < receives; i++) {
      receive(i);
    }
  }

  /** Posts a receive for a response. */
  void receive(int slot) {
    long at = area.iova() + responseAt(slot);
    posted(qp.postReceive(RECEIVE | slot, area.lkey(), at, Capsule.RESPONSE));
  }

  private static void posted(int status) {
    if (status != PostStatus.OK) {
      throw new IllegalStateException(PostStatus.text(status));
    }
  }

  private long responseAt(int slot) {
    return (long) depth * SLOT + (long) slot * Capsule.RESPONSE;
  }

  @Override
  public void destroyed(QueuePair old) {
    if (fast != null) {
      fast.close();
    }
    area.close();
    data.close();
    cq.close();
    pd.close();
  }

  /** The device may go, so what is on it is given back at once. */
  @Override
  public void ended(RdmaConnection ended, RdmaEnd how) {
    synchronized (this) {
      end = how;
    }
    ended.close();
  }

  /** {@return a region for commands to register, which is closed with this} */
  MemoryRegion registers(int segments) {
    fast = pd.allocFastRegistration(segments);
    return fast;
  }

  RdmaConnection connection() {
    return connection;
  }

  /** {@return memory that the target reads and writes} */
  MemorySegment segment() {
    return data.segment();
  }

  /** A command for data in the memory, or in another region. */
  Sqe keyed(Sqe command, long offset, int length) {
    return command.keyed(data.iova() + offset, length, data.rkey());
  }

  /** Sends a command; {@return its id} */
  int submit(Sqe command) {
    return submit(command, new byte[0]);
  }

  /** Sends a command with data in its capsule; {@return its id} */
  int submit(Sqe command, byte[] more) {
    int cid = next();
    byte[] bytes = new byte[Capsule.COMMAND + more.length];
    System.arraycopy(command.id(cid).bytes(), 0, bytes, 0, Capsule.COMMAND);
    System.arraycopy(more, 0, bytes, Capsule.COMMAND, more.length);
    qp.wrStart();
    send(cid, bytes);
    posted(qp.wrComplete());
    return cid;
  }

  /** Registers memory for the target and sends the command behind that, as Linux does (NV-6). */
  int submitRegistered(Sqe command, MemoryRegion region, int length, int key) {
    int cid = next();
    qp.wrStart();
    qp.wrId(0).wrFlags(0).wrRegMr(region, key, Access.REMOTE_READ | Access.REMOTE_WRITE | 1);
    command.keyed(region.iova(), length, key).invalidating();
    send(cid, command.id(cid).bytes());
    posted(qp.wrComplete());
    return cid;
  }

  private int next() {
    lastCid = (lastCid + 1) & 0xffff;
    return lastCid;
  }

  /** Sends any bytes. */
  void sendRaw(byte[] bytes) {
    qp.wrStart();
    send(next(), bytes);
    posted(qp.wrComplete());
  }

  private void send(int cid, byte[] bytes) {
    long at = (long) (cid % depth) * SLOT;
    MemorySegment.copy(bytes, 0, area.segment(), ValueLayout.JAVA_BYTE, at, bytes.length);
    qp.wrId(cid).wrFlags(SendFlags.SIGNALED).wrSend();
    qp.wrSetSge(area.lkey(), area.iova() + at, bytes.length);
  }

  /** Sends a command and waits. */
  Response run(Sqe command) {
    return await(submit(command));
  }

  Response run(Sqe command, byte[] more) {
    return await(submit(command, more));
  }

  /** Waits for the response of a command. */
  Response await(int cid) {
    long until = System.nanoTime() + WAIT_NS;
    while (!responses.containsKey(cid)) {
      poll();
      if (failure != null || System.nanoTime() > until) {
        throw new IllegalStateException("no response to " + cid + ": " + failure + ", " + end);
      }
    }
    return responses.remove(cid);
  }

  /** Waits for the response of a command; {@return null when the connection has ended instead} */
  Response awaitOrEnd(int cid) {
    long until = System.nanoTime() + WAIT_NS;
    while (!responses.containsKey(cid) && end == null) {
      poll();
      if (System.nanoTime() > until) {
        throw new IllegalStateException("no response to " + cid + ", and the connection goes on");
      }
    }
    return responses.remove(cid);
  }

  /** {@return how many responses have come that no caller has waited for} */
  int unread() {
    return responses.size();
  }

  /** Waits until the connection has ended. */
  RdmaEnd awaitEnd() {
    long until = System.nanoTime() + WAIT_NS;
    while (end == null) {
      poll();
      if (System.nanoTime() > until) {
        throw new IllegalStateException("the connection goes on");
      }
    }
    return end;
  }

  private void poll() {
    take();
    LockSupport.parkNanos(20_000);
  }

  private synchronized void take() {
    WorkCompletion[] one = {new WorkCompletion()};
    while (end == null && cq.poll(one, 1) == 1) {
      WorkCompletion wc = one[0];
      if (wc.status() != WcStatus.SUCCESS) {
        failure = failure == null ? wc.status() : failure;
      } else if (wc.opcode() == WcOpcode.RECV) {
        take((int) wc.wrId(), wc);
      }
    }
  }

  private void take(int slot, WorkCompletion wc) {
    if (wc.byteLen() != Capsule.RESPONSE) {
      throw new IllegalStateException("a response of " + wc.byteLen() + " bytes");
    }
    MemorySegment r = area.segment().asSlice(responseAt(slot), Capsule.RESPONSE);
    boolean invalidated = (wc.wcFlags() & WcFlags.WITH_INVALIDATE) != 0;
    Response response =
        new Response(
            Wire.u16(r, Capsule.RESPONSE_STATUS),
            Wire.u64(r, 0),
            Wire.u16(r, Capsule.RESPONSE_SQHD),
            invalidated ? wc.immData() : 0);
    int cid = Wire.u16(r, Capsule.RESPONSE_CID);
    receive(slot);
    if (responses.put(cid, response) != null) {
      throw new IllegalStateException("two responses to " + cid);
    }
  }

  @Override
  public void close() {
    connection.close();
  }
}
