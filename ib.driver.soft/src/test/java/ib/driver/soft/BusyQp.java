package ib.driver.soft;

import ib.core.verbs.PostStatus;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import java.util.BitSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A queue pair that is kept busy by one thread, and the account of its requests (F15). */
final class BusyQp {
  private static final int DEPTH = 64;
  private static final int BYTES = 4096;

  final Side side;
  private final boolean sends;
  private final BitSet completed = new BitSet();
  private final WorkCompletion[] batch = new WorkCompletion[16];
  private int posted;
  private int done;
  private int twice;
  private final AtomicInteger good = new AtomicInteger();
  volatile boolean over;

  BusyQp(Side side, boolean sends) {
    this.side = side;
    this.sends = sends;
    for (int i = 0; i < batch.length; i++) {
      batch[i] = new WorkCompletion();
    }
  }

  /** {@return how many succeeded; any thread} */
  int good() {
    return good.get();
  }

  /** Posts as much as there is room for, polls what is there; over after the first failure. */
  void turn() {
    while (!over && posted - done < DEPTH) {
      if (post() == PostStatus.OK) {
        posted++;
      } else {
        over = true;
      }
    }
    poll();
  }

  private int post() {
    long at = side.mr.iova() + (posted % DEPTH) * (long) BYTES;
    if (!sends) {
      return side.qp.postReceive(posted, side.mr.lkey(), at, BYTES);
    }
    side.qp.wrStart();
    side.qp.wrId(posted).wrFlags(SendFlags.SIGNALED);
    side.qp.wrSend();
    side.qp.wrSetSge(side.mr.lkey(), at, BYTES);
    return side.qp.wrComplete();
  }

  private void poll() {
    int n = side.cq.poll(batch, batch.length);
    for (int i = 0; i < n; i++) {
      int id = (int) batch[i].wrId();
      twice += completed.get(id) || id >= posted ? 1 : 0;
      completed.set(id);
      done++;
      if (batch[i].status() == WcStatus.SUCCESS) {
        good.getAndIncrement();
      } else {
        over = true;
      }
    }
  }

  /** Ends it and takes what is still to come. */
  BusyQp settle() {
    over = true;
    side.qp.drain();
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
    while (done < posted && System.nanoTime() < end) {
      poll();
    }
    poll();
    return this;
  }

  /** {@return empty, or what does not add up} */
  String account() {
    return done == posted && twice == 0 && completed.cardinality() == posted
        ? ""
        : "posted " + posted + " completed " + done + " twice " + twice;
  }
}
