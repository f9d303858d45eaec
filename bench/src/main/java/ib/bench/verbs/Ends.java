package ib.bench.verbs;

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
import ib.core.verbs.QueuePairs;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import ib.core.verbs.WrOpcode;

/** Two connected queue pairs of one device, and what is measured between them. */
final class Ends implements AutoCloseable {
  private static final int DEPTH = 128;
  private static final int MAX_BYTES = 65_536;
  private static final int BATCH = 16;

  private final End a;
  private final End b;

  Ends(IbDevice device) {
    a = new End(device);
    b = new End(device);
    QueuePairs.connect(a.qp, b.qp);
  }

  /** A queue pair, its completions and its memory. */
  private static final class End {
    private final ProtectionDomain pd;
    private final CompletionQueue cq;
    private final MemoryRegion mr;
    private final QueuePair qp;
    private final WorkCompletion[] done = new WorkCompletion[BATCH];

    End(IbDevice device) {
      pd = device.allocPd();
      cq = device.createCq(new CqInit(2 * DEPTH));
      mr = pd.allocMemory(MAX_BYTES, 4096, Access.LOCAL_WRITE | Access.REMOTE_WRITE);
      qp = pd.createQp(new QpInit(QpType.RC, cq, new QpCap(DEPTH, DEPTH, 1, 1, 0)));
      for (int i = 0; i < BATCH; i++) {
        done[i] = new WorkCompletion();
      }
    }

    void receive(int bytes) {
      good(qp.postReceive(0, mr.lkey(), mr.iova(), bytes));
    }

    /** Spins until something has completed; {@return how many} */
    int poll() {
      int n = 0;
      while (n == 0) {
        n = cq.poll(done, BATCH);
      }
      for (int i = 0; i < n; i++) {
        if (done[i].status() != WcStatus.SUCCESS) {
          throw new IllegalStateException("completed with " + done[i].status());
        }
      }
      return n;
    }

    void close() {
      qp.close();
      mr.close();
      cq.close();
      pd.close();
    }
  }

  private static void good(int status) {
    if (status < 0) {
      throw new IllegalStateException("post: " + PostStatus.text(status));
    }
  }

  private static SendWr send(End from, int bytes) {
    return new SendWr(1)
        .opcode(WrOpcode.SEND)
        .flags(SendFlags.SIGNALED)
        .addSge(from.mr.lkey(), from.mr.iova(), bytes);
  }

  /** Plays ping-pong by SEND; {@return nanoseconds of a round trip} */
  double roundTrip(int bytes, int trips) throws InterruptedException {
    int ahead = Math.min(DEPTH, trips);
    for (int i = 0; i < ahead; i++) {
      a.receive(bytes);
      b.receive(bytes);
    }
    Thread echo = Thread.ofPlatform().name("echo").start(() -> play(b, bytes, trips, false));
    long begun = System.nanoTime();
    play(a, bytes, trips, true);
    long ns = System.nanoTime() - begun;
    echo.join();
    return (double) ns / trips;
  }

  /**
   * Each turn is two completions, of the send and of the answer, in either order. Many receives are
   * posted ahead, as ibv_rc_pingpong does.
   */
  private static void play(End end, int bytes, int trips, boolean first) {
    SendWr wr = send(end, bytes);
    int sent = 0;
    int received = 0;
    if (first) {
      good(end.qp.postSend(wr));
      sent++;
    }
    int completed = 0;
    int asked = Math.min(DEPTH, trips);
    while (received < trips || completed < trips) {
      int n = end.poll();
      for (int i = 0; i < n; i++) {
        if (end.done[i].opcode().isReceive()) {
          received++;
          if (sent < trips) {
            good(end.qp.postSend(wr));
            sent++;
          }
          if (asked < trips) { // while the answer is on its way
            end.receive(bytes);
            asked++;
          }
        } else {
          completed++;
        }
      }
    }
  }

  /** Writes a stream; {@return bytes a nanosecond} */
  double stream(int bytes, int writes) {
    SendWr wr =
        new SendWr(1)
            .opcode(WrOpcode.RDMA_WRITE)
            .flags(SendFlags.SIGNALED)
            .remoteAddr(b.mr.iova())
            .rkey(b.mr.rkey())
            .addSge(a.mr.lkey(), a.mr.iova(), bytes);
    long begun = System.nanoTime();
    int posted = 0;
    int completed = 0;
    while (completed < writes) {
      while (posted < writes && posted - completed < DEPTH) {
        good(a.qp.postSend(wr));
        posted++;
      }
      completed += a.poll();
    }
    return (double) bytes * writes / (System.nanoTime() - begun);
  }

  @Override
  public void close() {
    a.close();
    b.close();
  }
}
