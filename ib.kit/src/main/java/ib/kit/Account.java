package ib.kit;

import ib.core.verbs.CompletionQueue;
import ib.core.verbs.PostStatus;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.LongToIntFunction;
import org.junit.jupiter.api.Assertions;

/**
 * Exact accounting of requests whose ids are numbered from 0, and from 0 again when the last id was
 * used: everything accepted completes exactly once, nothing refused completes (F15, B20). Safe from
 * many threads.
 */
final class Account {
  /** The number of ids. */
  static final int IDS = 1 << 16;

  private static final int ACCEPTED = 1;
  private static final int COMPLETED = 1 << 8;
  private static final int POSTING = 1 << 16; // the post of this id has not returned

  private final AtomicIntegerArray book = new AtomicIntegerArray(IDS);
  private final AtomicInteger next = new AtomicInteger();
  private final AtomicInteger accepted = new AtomicInteger();
  private final AtomicInteger completed = new AtomicInteger();
  private final AtomicInteger succeeded = new AtomicInteger();
  private final AtomicInteger foreign = new AtomicInteger();

  /**
   * Posts one request under an id of which no request is open; {@return its status, QUEUE_FULL when
   * the next id still has an open one}
   */
  int post(LongToIntFunction how) {
    int n = next.getAndIncrement();
    int id = n & IDS - 1;
    int before = book.get(id);
    boolean free = before == 0 || before == ACCEPTED + COMPLETED;
    int status = PostStatus.QUEUE_FULL;
    if (free && book.compareAndSet(id, before, POSTING)) {
      status = how.applyAsInt(id);
      book.getAndAdd(id, (status == PostStatus.OK ? ACCEPTED : 0) - POSTING);
    }
    if (status == PostStatus.OK) {
      accepted.getAndIncrement();
    } else {
      next.compareAndSet(n + 1, n); // not used
    }
    return status;
  }

  /** Takes what lies in a queue; {@return how much, or a negative status}. */
  int take(CompletionQueue cq, WorkCompletion[] batch) {
    int n = cq.poll(batch, batch.length);
    for (int i = 0; i < n; i++) {
      enter(batch[i]);
    }
    return n;
  }

  /** Enters one completion. */
  void enter(WorkCompletion wc) {
    long id = wc.wrId();
    if (id < 0 || id >= IDS) {
      foreign.getAndIncrement();
      return;
    }
    book.getAndAdd((int) id, COMPLETED);
    if (wc.status() == WcStatus.SUCCESS) {
      succeeded.getAndIncrement();
    }
    completed.getAndIncrement();
  }

  static WorkCompletion[] batch(int size) {
    WorkCompletion[] batch = new WorkCompletion[size];
    for (int i = 0; i < size; i++) {
      batch[i] = new WorkCompletion();
    }
    return batch;
  }

  int open() {
    return accepted.get() - completed.get();
  }

  int taken() {
    return completed.get();
  }

  int accepted() {
    return accepted.get();
  }

  int succeeded() {
    return succeeded.get();
  }

  /** Polls until every request has completed. Called when no thread posts any more. */
  Account settle(CompletionQueue cq) {
    WorkCompletion[] batch = batch(16);
    Await.until(
        "as many completions as requests",
        () -> {
          take(cq, batch);
          return open() <= 0;
        });
    take(cq, batch);
    return this;
  }

  void assertExact() {
    StringBuilder wrong = new StringBuilder();
    for (int id = 0; id < IDS; id++) {
      int b = book.get(id);
      if (b != 0 && b != ACCEPTED + COMPLETED) {
        wrong.append(" %d: accepted %d, completed %d;".formatted(id, b & 0xff, b >> 8));
      }
    }
    Assertions.assertEquals("", wrong.toString(), "every accepted request completes exactly once");
    Assertions.assertEquals(0, foreign.get(), "completions of requests that were never posted");
  }
}
