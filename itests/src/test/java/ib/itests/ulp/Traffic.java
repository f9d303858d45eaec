package ib.itests.ulp;

import ib.core.verbs.Access;
import ib.core.verbs.AhAttr;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.IbDevice;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.Mtu;
import ib.core.verbs.PostStatus;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Eight RC queue pairs in four loops on one port, driven by one thread, every request counted. */
final class Traffic implements Runnable {
  private static final int PAIRS = 4;
  private static final int DEPTH = 32;
  private static final int BYTES = 256;

  private final ProtectionDomain pd;
  private final CompletionQueue cq;
  private final MemoryRegion memory;
  private final List<QueuePair> qps = new ArrayList<>();
  private final Thread thread;
  private final WorkCompletion[] completions =
      Stream.generate(WorkCompletion::new).limit(64).toArray(WorkCompletion[]::new);
  private final CountDownLatch flowing = new CountDownLatch(1);
  private volatile boolean stopping;
  private long posted;
  private long completed;
  private long unexpected;
  private int empty; // what the last poll said: 0, or why there will be no more

  Traffic(IbDevice device) {
    pd = device.allocPd();
    cq = device.createCq(new CqInit(PAIRS * 2 * DEPTH * 2 + 1));
    memory = pd.allocMemory(2L * BYTES, 64, Access.LOCAL_WRITE);
    QpCap cap = new QpCap(DEPTH, DEPTH, 1, 1, 0);
    IntStream.range(0, PAIRS * 2)
        .forEach(i -> qps.add(pd.createQp(new QpInit(QpType.RC, cq, cap))));
    int lid = device.port(1).lid();
    for (int i = 0; i < qps.size(); i++) {
      connect(qps.get(i), qps.get(i ^ 1).qpn(), lid);
    }
    thread = Thread.ofPlatform().name("traffic-" + device.name()).unstarted(this);
  }

  private static void connect(QueuePair qp, int peer, int lid) {
    qp.modify(new QpAttr().state(QpState.INIT).pkeyIndex(0).port(1).accessFlags(0));
    qp.modify(
        new QpAttr()
            .state(QpState.RTR)
            .av(new AhAttr(lid, 0, 0, 0, 1, null))
            .pathMtu(Mtu.MTU_1024)
            .destQpn(peer)
            .rqPsn(0)
            .maxDestRdAtomic(1)
            .minRnrTimer(12));
    qp.modify(
        new QpAttr()
            .state(QpState.RTS)
            .timeout(14)
            .retryCount(7)
            .rnrRetry(7)
            .sqPsn(0)
            .maxRdAtomic(1));
  }

  /** Returns when traffic flows. */
  void start() {
    thread.start();
    try {
      if (!flowing.await(10, TimeUnit.MINUTES)) {
        throw new IllegalStateException("no traffic within 10 minutes");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  @Override
  public void run() {
    while (!stopping) {
      for (QueuePair qp : qps) {
        post(qp);
      }
      reap();
      flowing.countDown();
    }
  }

  private void post(QueuePair qp) {
    if (qp.postReceive(1, memory.lkey(), memory.iova() + BYTES, BYTES) == PostStatus.OK) {
      posted++;
    }
    qp.wrStart();
    qp.wrId(2).wrFlags(SendFlags.SIGNALED);
    qp.wrSend();
    qp.wrSetSge(memory.lkey(), memory.iova(), BYTES);
    if (qp.wrComplete() == PostStatus.OK) {
      posted++;
    }
  }

  private void reap() {
    int n;
    while ((n = cq.poll(completions, completions.length)) > 0) {
      for (int i = 0; i < n; i++) {
        completed++;
        WcStatus status = completions[i].status();
        if (status != WcStatus.SUCCESS && !(stopping && status == WcStatus.WR_FLUSH_ERR)) {
          unexpected++;
        }
      }
    }
    empty = n;
  }

  /** Stops posting, drains, closes; returns what became of the requests. */
  String stop() {
    stopping = true;
    try {
      thread.join(TimeUnit.MINUTES.toMillis(5));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (thread.isAlive()) {
      return "FAIL the traffic thread does not end";
    }
    qps.forEach(QueuePair::drain);
    reap();
    qps.forEach(QueuePair::close);
    cq.close();
    memory.close();
    pd.close();
    boolean right = posted == completed && unexpected == 0 && posted > 0;
    return (right ? "ok" : "FAIL")
        + " posted "
        + posted
        + " completed "
        + completed
        + " unexpected "
        + unexpected
        + (empty == 0 ? "" : " last poll " + empty);
  }
}
