package ib.bench;

import ib.core.verbs.SendFlags;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** RC SEND between two devices, two polling threads. */
final class Sends {
  private Sends() {}

  /** There and back, payload produced and consumed. */
  static final class RoundTrip extends Case {
    private static final int RECEIVES = 8;
    private static final int OFFSET = 64; // of what is received

    private final TwoDevices devices = new TwoDevices();
    private final End here;
    private final End there;
    private final MemorySegment mine;
    private final MemorySegment theirs;
    private final int bytes;
    private final int inline;
    private final boolean receiveFirst;
    private long trips;
    private long served;
    private long sum;
    private long theirSum;

    /**
     * @param receiveFirst whether a receive is posted again before the answer is sent, or after it
     */
    RoundTrip(int bytes, boolean inline, boolean receiveFirst) {
      super(
          "SEND "
              + bytes
              + " B"
              + (inline ? " inline" : "")
              + (receiveFirst ? ", receive posted again before the answer" : ""),
          Kind.EXCHANGE);
      this.bytes = bytes;
      this.inline = inline ? SendFlags.INLINE : 0;
      this.receiveFirst = receiveFirst;
      here = new End(devices.first(), OFFSET + bytes);
      there = new End(devices.second(), OFFSET + bytes);
      End.connect(here, there);
      mine = here.memory.segment();
      theirs = there.memory.segment();
      for (int i = 0; i < RECEIVES; i++) {
        here.receive(OFFSET, bytes);
        there.receive(OFFSET, bytes);
      }
    }

    private void answer(End end, MemorySegment memory, long n) {
      boolean signaled = n % 64 == 0; // so that completions are read now and then
      if (receiveFirst) {
        end.receive(OFFSET, bytes);
      }
      Payload.produce(memory, 0, bytes, n);
      end.send(bytes, inline | (signaled ? SendFlags.SIGNALED : 0));
      if (!receiveFirst) {
        end.receive(OFFSET, bytes);
      }
      if (signaled) {
        End.reap(end.sendCq);
      }
    }

    @Override
    int burst() {
      for (int i = 0; i < RawLimits.TRIPS; i++) {
        answer(here, mine, ++trips); // its receive is for the answer before: one more than needed
        End.reapOne(here.recvCq);
        sum += Payload.consume(mine, OFFSET, bytes);
      }
      return RawLimits.TRIPS;
    }

    @Override
    void serve(Partner partner) {
      while (!partner.stopped()) {
        if (End.reap(there.recvCq) > 0) {
          theirSum += Payload.consume(theirs, OFFSET, bytes);
          answer(there, theirs, ++served);
        } else {
          Thread.onSpinWait();
        }
      }
    }
  }

  /** One way, lists of sixteen, the last one signaled, a receive for each message of the window. */
  static final class Stream extends Case {
    private static final int BYTES = 64;
    private final TwoDevices devices = new TwoDevices();
    private final Credit credit = new Credit();
    private final End here = new End(devices.first(), BYTES);
    private final End there = new End(devices.second(), Credit.WINDOW * BYTES);
    private final MemorySegment mine;
    private final MemorySegment theirs;
    private long sent;
    private long got;
    private long sum;

    Stream() {
      super("SEND 64 B, lists of " + End.BATCH, Kind.EXCHANGE);
      End.connect(here, there);
      mine = here.memory.segment();
      theirs = there.memory.segment();
      for (int i = 0; i < Credit.WINDOW; i++) {
        there.receive(slot(i), BYTES);
      }
    }

    private static long slot(long n) {
      return n % Credit.WINDOW * BYTES;
    }

    @Override
    int burst() {
      for (int k = 0; k < Credit.BATCHES; k++) {
        credit.take();
        mine.set(ValueLayout.JAVA_LONG, 0, sent++);
        here.sendBatch(BYTES);
        End.reap(here.sendCq);
      }
      return Credit.BATCHES * Credit.BATCH;
    }

    @Override
    void serve(Partner partner) {
      for (boolean last = false; ; last = partner.stopped()) {
        int n = End.reap(there.recvCq);
        for (int i = 0; i < n; i++) {
          sum += theirs.get(ValueLayout.JAVA_LONG, slot(got));
          there.receive(slot(got++), BYTES);
        }
        if (n > 0) {
          credit.give(got);
        } else if (last) {
          return;
        } else {
          Thread.onSpinWait();
        }
      }
    }
  }
}
