package ib.driver.verbs.object;

import ib.core.verbs.Cqe;
import ib.core.verbs.PostStatus;
import ib.core.verbs.RecvWr;
import ib.driver.verbs.abi.Function;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * Posting receives, to a queue pair's own queue or to a shared one. The claim guards the calls of
 * the provider and the end of the book.
 */
final class ReceiveQueue {
  private static final int CHUNK = 32; // requests in one call

  /** The book of the queue, for the holder of the claim. */
  interface Book extends WorkQueue {
    /** {@return how many requests it can hold} */
    int capacity();

    /** {@return how many more requests fit} */
    int free();

    /** Enters a request after those that are entered and not posted. {@return its number} */
    int enter(long wrId, @Nullable Cqe cqe);

    /** The requests entered are going to be posted: their completions may arrive from now on. */
    void posting();

    /** Of the requests going to be posted, the last ones were not: they leave. */
    void refused(int count);
  }

  private final VerbsContext context;
  private final Function post;
  private final Book book;
  private final Claim claim = new Claim();
  private final ReceiveRequest[] chunk;
  private final MemorySegment bad = Arena.ofAuto().allocate(Long.BYTES, Long.BYTES);
  private long address;
  private volatile int number;

  ReceiveQueue(VerbsContext context, Function post, Book book, int sges) {
    this.context = context;
    this.post = post;
    this.book = book;
    chunk = new ReceiveRequest[Math.clamp(book.capacity(), 1, CHUNK)];
    for (int i = 0; i < chunk.length; i++) {
      chunk[i] = new ReceiveRequest(sges);
    }
  }

  /** Opens the queue. {@return false when the table of queues is full} */
  boolean open(long object) {
    address = object;
    number = context.queues.add(book);
    return number != 0;
  }

  int list(RecvWr first) {
    if (!claim.enter()) {
      first.badWr(first);
      return PostStatus.GONE;
    }
    try {
      int status = check(first);
      if (status != PostStatus.OK) {
        return status;
      }
      first.badWr(null);
      for (RecvWr wr = first; wr != null; ) {
        int n = 0;
        RecvWr begun = wr;
        while (wr != null && n < chunk.length) {
          fill(chunk[n], wr);
          if (n > 0) {
            chunk[n - 1].next(chunk[n]);
          }
          n++;
          wr = wr.next();
        }
        int posted = put(n);
        if (posted != PostStatus.OK) {
          first.badWr(begun);
          return posted;
        }
      }
      return PostStatus.OK;
    } finally {
      claim.leave();
    }
  }

  private int check(RecvWr first) {
    int n = 0;
    int free = book.free();
    for (RecvWr wr = first; wr != null; wr = wr.next()) {
      int status = n++ == free ? PostStatus.QUEUE_FULL : PostStatus.OK;
      status = wr.sgeCount() > chunk[0].maxSges ? PostStatus.INVALID : status;
      if (status != PostStatus.OK) {
        first.badWr(wr);
        return status;
      }
    }
    return PostStatus.OK;
  }

  private void fill(ReceiveRequest r, RecvWr wr) {
    int sges = Math.min(wr.sgeCount(), r.maxSges);
    r.begin(id(book.enter(wr.wrId(), wr.cqe())), sges);
    for (int i = 0; i < sges; i++) {
      r.sge(i, wr.sgeLkey(i), wr.sgeAddr(i), wr.sgeLength(i));
    }
  }

  private long id(int request) {
    return (long) number << Integer.SIZE | request & 0xffff_ffffL;
  }

  int one(long wrId, @Nullable Cqe cqe, int lkey, long where, int length) {
    if (!claim.enter()) {
      return PostStatus.GONE;
    }
    try {
      if (chunk[0].maxSges < 1) {
        return PostStatus.INVALID;
      }
      if (book.free() < 1) {
        return PostStatus.QUEUE_FULL;
      }
      chunk[0].begin(id(book.enter(wrId, cqe)), 1);
      chunk[0].sge(0, lkey, where, length);
      return put(1);
    } finally {
      claim.leave();
    }
  }

  private int put(int n) {
    book.posting();
    int errno = post.data(address, chunk[0].address(), bad.address());
    int posted = errno == 0 ? n : 0;
    if (errno != 0) {
      long refused = bad.get(ValueLayout.JAVA_LONG, 0);
      for (int i = 0; i < n; i++) {
        posted = chunk[i].address() == refused ? i : posted;
      }
    }
    book.refused(n - posted);
    return Failures.post(errno);
  }

  /** Does something while no thread posts. {@return false when the queue has ended} */
  boolean exclusive(Runnable work) {
    if (!claim.enter()) {
      return false;
    }
    try {
      work.run();
      return true;
    } finally {
      claim.leave();
    }
  }

  /** Ends the queue: no thread posts any more. */
  void end() {
    claim.end();
  }

  /** Forgets the queue: late completions find none. */
  void close() {
    context.queues.remove(number);
  }

  /** The queue pair was destroyed: its completions stay until they were taken. */
  void close(VerbsCq cq, ClosedQueue completed) {
    cq.keep(number, completed);
  }
}
