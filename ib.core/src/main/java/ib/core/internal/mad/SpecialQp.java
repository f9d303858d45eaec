package ib.core.internal.mad;

import ib.core.mad.MadAddress;
import ib.core.verbs.AddressHandle;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.Cqe;
import ib.core.verbs.IbException;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QueuePair;
import ib.core.verbs.RecvWr;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WellKnown;
import ib.core.verbs.WorkCompletion;
import ib.core.wire.MadHeader;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** QP0 or QP1 with its send and receive buffers. Sends are the port's queue's business alone. */
final class SpecialQp implements AutoCloseable {
  private static final int BUFFER = WellKnown.GRH_BYTES + MadHeader.MAD_BYTES;

  private static final String GOES = "the device goes";

  private record Waiting(MemorySegment mad, MadAddress to, Wire.Done done) {}

  private final QpWire wire;
  final QueuePair qp;
  private final MemoryRegion memory;
  private final long receivesAt;
  private final int receives;
  private final List<SendSlot> slots = new ArrayList<>();
  private final ArrayDeque<SendSlot> free = new ArrayDeque<>();
  private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
  private boolean ended; // the port's queue's
  private volatile boolean idle =
      true; // written by the port's queue: nothing waits or is under way
  private final SendWr sendWr = new SendWr(1); // the port's queue's
  private final RecvWr againWr = new RecvWr(1); // the queue's callbacks', which come one by one

  SpecialQp(QpWire wire, QueuePair qp, MemoryRegion memory, long at, int sends, int receives) {
    this.wire = wire;
    this.qp = qp;
    this.memory = memory;
    this.receives = receives;
    this.receivesAt = at + (long) sends * BUFFER;
    for (int i = 0; i < sends; i++) {
      slots.add(new SendSlot(at + (long) i * BUFFER));
    }
    free.addAll(slots);
  }

  /** {@return the memory that one direction of so many needs} */
  static long bytes(int slots) {
    return (long) slots * BUFFER;
  }

  /** Posts all receives. */
  void fill() {
    RecvWr wr = new RecvWr(1);
    for (int i = 0; i < receives; i++) {
      new ReceiveSlot(receivesAt + (long) i * BUFFER).post(wr);
    }
  }

  /** Sends a datagram, or queues it until a send completes. The bytes must not change meanwhile. */
  void send(MemorySegment mad, MadAddress to, Wire.Done done) {
    if (ended) {
      done.sent(GOES);
      return;
    }
    SendSlot slot = free.poll();
    if (slot == null) {
      waiting.add(new Waiting(mad, to, done));
      return;
    }
    idle = false;
    String failure = slot.post(mad, to, done);
    if (failure != null) {
      back(slot);
      done.sent(failure);
    }
  }

  private void back(SendSlot slot) {
    free.add(slot);
    idle = waiting.isEmpty() && free.size() == slots.size();
  }

  /** {@return whether all datagrams that were given to it have left} */
  boolean isIdle() {
    return idle;
  }

  /** Fails what is under way or waits, and refuses what will be sent: the queue pair has gone. */
  void end() {
    ended = true;
    slots.forEach(slot -> slot.tell(GOES));
    for (Waiting w = waiting.poll(); w != null; w = waiting.poll()) {
      w.done.sent(GOES);
    }
  }

  /**
   * Ends the queue pair. RESET drops the receives; without it each of them would be flushed, and
   * its completion polled, to be ignored.
   */
  @Override
  public void close() {
    try {
      qp.modify(new QpAttr().state(QpState.RESET));
    } finally {
      qp.close();
    }
  }

  private final class SendSlot implements Cqe {
    private final long at;
    private Wire.@Nullable Done done;

    SendSlot(long at) {
      this.at = at;
    }

    /** {@return null, or why it was not posted} */
    @Nullable String post(MemorySegment mad, MadAddress to, Wire.Done whenDone) {
      MemorySegment.copy(mad, 0, memory.segment(), at, MadHeader.MAD_BYTES);
      SendWr wr = sendWr.clearSges();
      wr.addSge(memory.lkey(), memory.iova() + at, MadHeader.MAD_BYTES);
      wr.cqe(this).flags(SendFlags.SIGNALED);
      wr.remoteQpn(to.qpn()).remoteQkey(to.qkey());
      wr.pkeyIndex(to.pkeyIndex() < 0 ? wire.defaultPartition() : to.pkeyIndex());
      try (AddressHandle ah = qp.pd().createAh(to.ah())) { // may go right after the post (S5)
        int status = qp.postSend(wr.ah(ah));
        if (status != PostStatus.OK) {
          return "post_send returns " + status;
        }
      } catch (IbException e) {
        return e.getMessage();
      }
      done = whenDone;
      return null;
    }

    /** Tells the sender of the datagram under way, if there is one, what has become of it. */
    void tell(@Nullable String failure) {
      Wire.Done d = done;
      done = null;
      if (d != null) {
        d.sent(failure);
      }
    }

    @Override
    public void done(CompletionQueue cq, WorkCompletion wc) {
      WcStatus status = wc.status();
      wire.run(
          () -> {
            back(this);
            tell(status == WcStatus.SUCCESS ? null : "the send completed with " + status);
            Waiting next = waiting.poll();
            if (next != null) {
              send(next.mad, next.to, next.done);
            }
          });
    }
  }

  private final class ReceiveSlot implements Cqe {
    private final long at;

    ReceiveSlot(long at) {
      this.at = at;
    }

    /** Posts itself by a request that is free again when this returns. */
    void post(RecvWr wr) {
      wr.cqe(this).clearSges().addSge(memory.lkey(), memory.iova() + at, BUFFER);
      if (qp.postReceive(wr) != PostStatus.OK) {
        wire.starved(qp.qpn());
      }
    }

    @Override
    public void done(CompletionQueue cq, WorkCompletion wc) {
      if (wc.status() == WcStatus.SUCCESS) {
        wire.received(qp.qpn(), memory.segment().asSlice(at, BUFFER), wc);
        post(againWr);
      }
    }
  }
}
