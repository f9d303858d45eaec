package ib.kit;

import ib.core.verbs.CompletionQueue;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.Assertions;

/**
 * Completions on one queue at will, from many threads at once: each thread posts receives to a
 * queue pair in ERR, where they are flushed.
 */
final class Flood implements AutoCloseable {
  private static final String PRODUCER = "ib.kit flood ";

  private final End end;
  private final List<QueuePair> qps = new ArrayList<>();
  private final int each;

  Flood(End end, CompletionQueue cq, int threads, int each) {
    this.end = end;
    this.each = each;
    for (int i = 0; i < threads; i++) {
      QueuePair qp = end.pd.createQp(new QpInit(QpType.RC, cq, new QpCap(1, 64, 1, 1, 0)));
      qps.add(qp);
      qp.modify(new QpAttr().state(QpState.INIT).pkeyIndex(0).port(1).accessFlags(0));
      qp.modify(new QpAttr().state(QpState.ERR));
    }
  }

  /** {@return whether a thread is one of a flood, on whose stack no handler may run} */
  static boolean isProducer(Thread thread) {
    return thread.getName().startsWith(PRODUCER);
  }

  int total() {
    return qps.size() * each;
  }

  /** Posts one receive, which completes as flushed, on the caller's thread. */
  void one(long wrId) {
    int status = qps.getFirst().postReceive(wrId, end.lkey(), end.addr(), 8);
    Assertions.assertEquals(PostStatus.OK, status);
  }

  /** Posts one receive if the queue has a free slot. Returns the status of the post. */
  int tryOne(long wrId) {
    return qps.getFirst().postReceive(wrId, end.lkey(), end.addr(), 8);
  }

  /** Posts everything; never more than 100 ahead of what was taken. */
  List<Thread> start(IntSupplier taken) {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < qps.size(); i++) {
      QueuePair qp = qps.get(i);
      int first = i * each;
      threads.add(Thread.ofPlatform().name(PRODUCER + i).start(() -> post(qp, first, taken)));
    }
    return threads;
  }

  private void post(QueuePair qp, int first, IntSupplier taken) {
    int most = 100;
    for (int n = 0; n < each; n++) {
      int ahead = n * qps.size() - most;
      Await.until("room in the completion queue", () -> taken.getAsInt() >= ahead);
      long id = (long) first + n;
      Await.until(
          "room in the receive queue",
          () -> qp.postReceive(id, end.lkey(), end.addr(), 8) == PostStatus.OK);
    }
  }

  @Override
  public void close() {
    qps.forEach(QueuePair::close);
  }
}
