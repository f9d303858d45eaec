package ib.driver.verbs.object;

import ib.core.verbs.MemoryWork;
import ib.core.verbs.PostStatus;
import ib.core.verbs.SendWr;
import ib.core.verbs.WrOpcode;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The list form of posting sends: up to 32 requests are written into structures of C and posted in
 * one call. The claim of the queue guards the structures.
 */
final class SendList {
  private static final int CHUNK = 32;

  private final SendQueue queue;
  private final SendRequest[] chunk;

  SendList(SendQueue queue) {
    this.queue = queue;
    this.chunk = new SendRequest[Math.clamp(queue.capacity(), 1, CHUNK)];
    for (int i = 0; i < chunk.length; i++) {
      chunk[i] = queue.request();
    }
  }

  /** Posts a list. {@return OK, or why it is refused} */
  int post(SendWr first) {
    if (!queue.claim.enter()) {
      first.badWr(first);
      return PostStatus.GONE;
    }
    try {
      int n = check(first);
      if (n < 0) {
        return n;
      }
      first.badWr(null);
      if (n > chunk.length) {
        return postLong(first);
      }
      int status = queue.put(chunk, n);
      if (status != PostStatus.OK) {
        first.badWr(first);
      }
      return status;
    } finally {
      queue.claim.leave();
    }
  }

  /** Posts a list that was checked and has more requests than one call takes. */
  private int postLong(SendWr first) {
    SendQueue.drop(chunk, chunk.length);
    for (SendWr wr = first; wr != null; ) {
      int n = 0;
      SendWr begun = wr;
      while (wr != null && n < chunk.length) {
        int again = fill(chunk[n], wr);
        again = again == PostStatus.OK ? queue.check(chunk[n]) : again;
        n++;
        if (again != PostStatus.OK) { // another thread has changed it since it was checked
          SendQueue.drop(chunk, n);
          first.badWr(wr);
          return again;
        }
        wr = wr.next();
      }
      int posted = queue.put(chunk, n);
      if (posted != PostStatus.OK) {
        first.badWr(begun);
        return posted;
      }
    }
    return PostStatus.OK;
  }

  /**
   * Checks all requests of a list by filling each, and that there is place for them. Those of a
   * list that one call takes are ready to be posted then.
   *
   * @return how many there are, or why the list is refused
   */
  private int check(SendWr first) {
    if (!queue.accepts()) {
      first.badWr(first);
      return PostStatus.INVALID;
    }
    int n = 0;
    for (SendWr wr = first; wr != null; wr = wr.next()) {
      SendRequest r = chunk[n % chunk.length];
      SendQueue.drop(r);
      int status = n++ == queue.book.capacity ? PostStatus.QUEUE_FULL : fill(r, wr);
      status = status == PostStatus.OK ? queue.check(r) : status;
      if (status != PostStatus.OK) {
        SendQueue.drop(chunk, Math.min(n, chunk.length));
        first.badWr(wr);
        return status;
      }
    }
    if (!queue.place(n)) {
      SendQueue.drop(chunk, Math.min(n, chunk.length));
      SendWr wr = first;
      for (int free = queue.book.free(); free > 0 && wr != null && wr.next() != null; free--) {
        wr = wr.next();
      }
      first.badWr(wr);
      return PostStatus.QUEUE_FULL;
    }
    return n;
  }

  /** Writes a request of the list form. The request has a count of the address handle then. */
  private int fill(SendRequest r, SendWr wr) {
    WrOpcode opcode = wr.opcode();
    r.begin(wr.wrId(), wr.cqe(), opcode.value(), wr.flags());
    if (!queue.offers(opcode)) {
      return PostStatus.NOT_SUPPORTED;
    }
    for (int i = 0; i < wr.sgeCount(); i++) {
      if (i >= queue.maxSges || !r.sge(wr.sgeLkey(i), wr.sgeAddr(i), wr.sgeLength(i))) {
        return PostStatus.INVALID;
      }
    }
    MemorySegment data = wr.inlineSegment();
    if (data != null && !r.inline(data, wr.inlineOffset(), wr.inlineLength())) {
      return PostStatus.INVALID;
    }
    switch (opcode) {
      case ATOMIC_CMP_AND_SWP, ATOMIC_FETCH_AND_ADD ->
          r.atomic(wr.remoteAddr(), wr.rkey(), wr.compareAdd(), wr.swap());
      case BIND_MW -> {
        return bind(r, wr.memory());
      }
      case RDMA_WRITE, RDMA_READ -> r.rdma(wr.remoteAddr(), wr.rkey());
      case RDMA_WRITE_WITH_IMM -> {
        r.rdma(wr.remoteAddr(), wr.rkey());
        r.imm(wr.immData());
      }
      case SEND_WITH_IMM -> r.imm(wr.immData());
      case SEND_WITH_INV, LOCAL_INV -> r.invalidate(wr.invalidateRkey());
      default -> {} // SEND; the others are not offered
    }
    return queue.datagram
        ? queue.address(r, wr.ah(), wr.remoteQpn(), wr.remoteQkey())
        : PostStatus.OK;
  }

  private static int bind(SendRequest r, @Nullable MemoryWork m) {
    if (m == null || !(m.window() instanceof VerbsMw mw) || !(m.region() instanceof VerbsMr mr)) {
      return PostStatus.INVALID;
    }
    r.bind(mw, mr, m.key(), m.address(), m.length());
    r.rights(m.access());
    return PostStatus.OK;
  }
}
