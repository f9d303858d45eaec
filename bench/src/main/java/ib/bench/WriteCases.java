package ib.bench;

import ib.core.spi.StandaloneFabric;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QueuePairs;
import ib.core.verbs.SendFlags;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** WRITEs between two devices as perftest's programs do them. */
final class WriteCases {
  private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();

  private WriteCases() {}

  /** Two queue pairs. */
  private abstract static class Pair extends Case {
    final End here;
    final End there;

    Pair(String name, Kind kind, StandaloneFabric fabric, int bytes) {
      super(name, kind);
      here = new End(fabric.device(fabric.names().getFirst()), bytes, 0);
      there = new End(fabric.device(fabric.names().getLast()), bytes, End.PAGE / 2);
      QueuePairs.connect(here.qp, there.qp);
    }
  }

  /**
   * A byte there and back, as {@code ib_write_lat -s 1}: each end polls its memory for the number
   * of the turn, and takes the completion of its own write. Or as a stream has to do it: WRITE with
   * immediate, and the completion of a receive is polled.
   */
  static final class Trip extends Pair {
    private static final int RECEIVES = 64;
    private static final int IN = 64; // where the peer writes
    private static final int LOOKS = 16; // at memory, before one at the completion queue
    private final boolean immediate;
    private int turn;
    private int seen;

    Trip(StandaloneFabric fabric, boolean immediate) {
      super(
          immediate
              ? "WRITE with immediate of 1 B, completions polled"
              : "WRITE of 1 B, memory polled, as ib_write_lat",
          Kind.EXCHANGE,
          fabric,
          2 * IN);
      this.immediate = immediate;
      for (int i = 0; i < RECEIVES && immediate; i++) {
        here.receive(0, 0);
        there.receive(0, 0);
      }
    }

    private static byte value(int turn) {
      return (byte) (turn % 100 + 1);
    }

    private void put(End from, End to, int n) {
      from.memory.segment().set(ValueLayout.JAVA_BYTE, from.address - from.memory.iova(), value(n));
      from.qp.wrStart();
      from.qp.wrId(n).wrFlags(SendFlags.SIGNALED);
      if (immediate) {
        from.qp.wrRdmaWriteImm(to.memory.rkey(), to.address + IN, n);
      } else {
        from.qp.wrRdmaWrite(to.memory.rkey(), to.address + IN);
      }
      int status = from.qp.wrSetSge(from.lkey, from.address, 1).wrComplete();
      if (status != PostStatus.OK) {
        throw new IllegalStateException(PostStatus.text(status));
      }
      if (immediate) {
        End.reap(from.sendCq); // there is space for many
      } else {
        End.reapOne(from.sendCq);
      }
    }

    private boolean has(End end, int n) {
      if (immediate) {
        if (End.reap(end.recvCq) == 0) {
          return false;
        }
        end.receive(0, 0);
        return true;
      }
      long at = end.address - end.memory.iova() + IN;
      return (byte) BYTE.getAcquire(end.memory.segment(), at) == value(n);
    }

    /** Where the thread that polls receives (rxe), it has to poll a queue now and then. */
    private void await(End end, int n) {
      for (int looks = 1; !has(end, n); looks++) {
        if (looks % LOOKS == 0 && !immediate) {
          End.reap(end.sendCq);
        }
        Thread.onSpinWait();
      }
    }

    @Override
    int burst() {
      for (int i = 0; i < RawLimits.TRIPS; i++) {
        put(here, there, ++turn);
        await(here, turn);
      }
      return RawLimits.TRIPS;
    }

    @Override
    void serve(Partner partner) {
      for (int looks = 1; !partner.stopped(); looks++) {
        if (has(there, seen + 1)) {
          put(there, here, ++seen);
        } else if (looks % LOOKS == 0 && !immediate) {
          End.reap(there.sendCq);
        } else {
          Thread.onSpinWait();
        }
      }
    }
  }

  /**
   * WRITEs of 64 KiB, as {@code ib_write_bw}: 128 at a time, each with a completion; the other end
   * does nothing.
   */
  static final class Window extends Pair {
    private static final int DEPTH = 128;
    private static final int COUNT = StreamCases.COUNT;
    private int under;

    Window(StandaloneFabric fabric) {
      super("WRITE of 64 KiB, as ib_write_bw", Kind.EXCHANGE, fabric, StreamCases.MESSAGE);
    }

    @Override
    int burst() {
      int done = 0;
      while (done < COUNT) {
        while (under < DEPTH) {
          here.write(there, StreamCases.MESSAGE, SendFlags.SIGNALED);
          under++;
        }
        int n = End.reap(here.sendCq);
        under -= n;
        done += n;
      }
      return done;
    }

    @Override
    void serve(Partner partner) {
      while (!partner.stopped()) {
        Thread.onSpinWait();
      }
    }
  }
}
