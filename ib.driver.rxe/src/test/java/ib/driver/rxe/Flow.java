package ib.driver.rxe;

import ib.core.verbs.PostStatus;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import ib.core.verbs.WrOpcode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/**
 * Verified traffic that needs nobody at the other end: random bytes are written to the peer and
 * read back, in several places at the same time, until it is stopped or a request fails. Every
 * request is counted when it is posted and when it completes.
 */
final class Flow implements Runnable {
  private static final int PLACES = 8;
  private static final int BYTES = 3000; // three packets
  private static final int BACK = RxeSide.BYTES / 4;
  private static final int REMOTE = RxeSide.BYTES / 2; // beside what the peer's own flow uses
  private static final long PATIENCE_S = 300;

  private final RxeSide side;
  private final int rkey;
  private final long remote;
  private final SplittableRandom random = new SplittableRandom(7);
  private final byte[] fresh = new byte[BYTES];
  private final WorkCompletion[] completions =
      Stream.generate(WorkCompletion::new).limit(16).toArray(WorkCompletion[]::new);
  private final int[] perRequest = new int[2 * PLACES]; // under way
  private final Thread thread;
  private volatile boolean stopped;
  private final AtomicLong posted = new AtomicLong();
  private final AtomicLong completed = new AtomicLong();
  private final AtomicLong wrong = new AtomicLong();
  private final AtomicLong rounds = new AtomicLong();
  private volatile WcStatus failed = WcStatus.SUCCESS;

  Flow(RxeSide side, int rkey, long remote) {
    this.side = side;
    this.rkey = rkey;
    this.remote = remote;
    this.thread = Thread.ofPlatform().name("flow").daemon().unstarted(this);
  }

  void start() {
    thread.start();
  }

  void stop() {
    stopped = true;
  }

  @Override
  public void run() {
    for (int place = 0; place < PLACES; place++) {
      post(place);
    }
    long since = System.nanoTime();
    while (posted.get() != completed.get()
        && System.nanoTime() - since < TimeUnit.SECONDS.toNanos(PATIENCE_S)) {
      int n = side.cq.poll(completions, completions.length);
      for (int i = 0; i < n; i++) {
        since = System.nanoTime();
        take(completions[i]);
      }
      if (n == 0) {
        Thread.onSpinWait();
      }
    }
  }

  private void take(WorkCompletion wc) {
    int id = (int) wc.wrId();
    completed.getAndIncrement();
    if (--perRequest[id] != 0) {
      wrong.getAndIncrement(); // one that was not posted, or twice
    }
    if (wc.status() != WcStatus.SUCCESS) {
      failed = failed == WcStatus.SUCCESS ? wc.status() : failed;
    } else if (id >= PLACES) {
      back(id - PLACES);
    }
  }

  /** What was written to a place has come back. */
  private void back(int place) {
    MemorySegment sent = side.memory().asSlice((long) place * BYTES, BYTES);
    if (side.memory().asSlice(BACK + (long) place * BYTES, BYTES).mismatch(sent) != -1) {
      wrong.getAndIncrement();
    }
    rounds.getAndIncrement();
    if (!stopped && failed == WcStatus.SUCCESS) {
      post(place);
    }
  }

  private void post(int place) {
    long offset = (long) place * BYTES;
    random.nextBytes(fresh);
    MemorySegment.copy(fresh, 0, side.memory(), ValueLayout.JAVA_BYTE, offset, BYTES);
    post(place, WrOpcode.RDMA_WRITE, offset, offset);
    post(PLACES + place, WrOpcode.RDMA_READ, BACK + offset, offset);
  }

  private void post(int id, WrOpcode op, long at, long remoteAt) {
    SendWr wr = new SendWr(1).wrId(id).opcode(op).flags(SendFlags.SIGNALED);
    wr.rkey(rkey)
        .remoteAddr(remote + REMOTE + remoteAt)
        .addSge(side.mr.lkey(), side.mr.iova() + at, BYTES);
    if (side.qp.postSend(wr) == PostStatus.OK) {
      perRequest[id]++;
      posted.getAndIncrement();
    }
  }

  /** Waits until all has completed; {@link #report} then. */
  String settle() {
    try {
      thread.join(TimeUnit.SECONDS.toMillis(PATIENCE_S + 60));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return report();
  }

  /** Posted, completed, wrong, rounds, the first failure, when all had completed. */
  String report() {
    return posted + " " + completed + " " + wrong + " " + rounds + " " + failed;
  }
}
