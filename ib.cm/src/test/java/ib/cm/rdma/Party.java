package ib.cm.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import ib.core.verbs.Access;
import ib.core.verbs.AddressHandle;
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
import ib.core.verbs.SharedReceiveQueue;
import ib.core.verbs.SrqAttr;
import ib.core.verbs.SrqInit;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** One end of a connection: its queue pair with a receive posted, and what it hears. */
final class Party implements QpFactory, RdmaHandler {
  private static final int AREA = 256;

  /** What was heard: ESTABLISHED, or the event of the end. */
  final BlockingQueue<String> heard = new LinkedBlockingQueue<>();

  private final QpType type;
  private final boolean shared;
  private final Deque<AutoCloseable> made = new ArrayDeque<>();
  private volatile @Nullable ProtectionDomain domain;
  private volatile @Nullable MemoryRegion memory;
  private volatile @Nullable CompletionQueue cq;
  private volatile @Nullable SharedReceiveQueue srq;
  private volatile @Nullable QueuePair qp;
  volatile @Nullable RdmaEnd end;

  Party() {
    this(QpType.RC);
  }

  Party(QpType type) {
    this(type, false);
  }

  /** An end whose receives are in a shared receive queue. */
  Party(QpType type, boolean shared) {
    this.type = type;
    this.shared = shared;
  }

  @Override
  public synchronized QueuePair make(IbDevice device, int port) {
    ProtectionDomain pd = device.allocPd();
    made.push(pd);
    domain = pd;
    cq = device.createCq(new CqInit(8));
    made.push(cq);
    memory = pd.allocMemory(2 * AREA, AREA, Access.LOCAL_WRITE | Access.REMOTE_READ);
    made.push(memory);
    if (shared) {
      srq = pd.createSrq(new SrqInit(new SrqAttr(4, 1, 0), null, null));
      made.push(srq);
    }
    QpInit init = new QpInit(type, cq, new QpCap(4, 4, 1, 1, 0)).withRecvCq(cq);
    qp = pd.createQp(init.withSrq(srq));
    return qp;
  }

  @Override
  public void initialized(QueuePair initialized) {
    SharedReceiveQueue pool = srq;
    int status =
        pool == null
            ? initialized.postReceive(1, memory.lkey(), memory.iova(), AREA)
            : pool.postReceive(1, memory.lkey(), memory.iova(), AREA);
    assertEquals(PostStatus.OK, status);
  }

  @Override
  public synchronized void destroyed(QueuePair destroyed) {
    while (!made.isEmpty()) {
      try {
        made.pop().close();
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    }
  }

  @Override
  public void established(RdmaConnection connection) {
    heard.add("ESTABLISHED");
  }

  @Override
  public void ended(RdmaConnection connection, RdmaEnd how) {
    end = how;
    heard.add(how.toString());
  }

  /** Waits for what is heard next. */
  String hear() throws InterruptedException {
    String next = heard.poll(1, TimeUnit.MINUTES);
    return next == null ? fail("nothing was heard") : next;
  }

  /** Sends bytes from the second half of the memory. */
  void send(int length) {
    qp.wrStart();
    qp.wrId(2).wrFlags(SendFlags.SIGNALED).wrSend();
    qp.wrSetSge(memory.lkey(), memory.iova() + AREA, length);
    assertEquals(PostStatus.OK, qp.wrComplete());
  }

  /** Sends bytes as a datagram, with this queue pair's number as immediate data, as udaddy does. */
  void send(RdmaDestination to, int length) {
    AddressHandle ah = domain.createAh(to.way());
    qp.wrStart();
    qp.wrId(2).wrFlags(SendFlags.SIGNALED).wrSendImm(qp.qpn());
    qp.wrSetUdAddress(ah, to.qpn(), to.qkey());
    qp.wrSetSge(memory.lkey(), memory.iova() + AREA, length);
    assertEquals(PostStatus.OK, qp.wrComplete());
    completion(2);
    ah.close();
  }

  /** {@return the length of a received message} */
  int receive() {
    return completion(1);
  }

  /** {@return the length of the completion of a request} */
  int completion(long id) {
    WorkCompletion[] one = {new WorkCompletion()};
    for (int i = 0; i < 60_000; i++) {
      if (cq.poll(one, 1) == 1) {
        assertEquals(WcStatus.SUCCESS, one[0].status());
        if (one[0].wrId() == id) {
          return one[0].byteLen();
        }
      }
      LockSupport.parkNanos(1_000_000);
    }
    return fail("no completion");
  }

  /** {@return the queue pair} */
  QueuePair qp() {
    return qp;
  }
}
