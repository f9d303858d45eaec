package ib.bench;

import io.aeron.ExclusivePublication;
import io.aeron.Subscription;
import io.aeron.logbuffer.FragmentHandler;
import java.nio.ByteBuffer;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Aeron IPC, driven by the threads that measure. */
final class AeronCases {
  private static final int BYTES = 64;

  private AeronCases() {}

  private static UnsafeBuffer buffer() {
    return new UnsafeBuffer(ByteBuffer.allocateDirect(BYTES));
  }

  /** Messages of 64 bytes there and back, produced and consumed. */
  static final class RoundTrip extends Case {
    private static final int MAX_POLLS = 1024;
    private final AeronIpc aeron = new AeronIpc();
    private final Subscription in = aeron.subscribe(1);
    private final Subscription back = aeron.subscribe(2);
    private final ExclusivePublication there = aeron.publish(1);
    private final ExclusivePublication answer = aeron.publish(2);
    private final UnsafeBuffer mine = buffer();
    private final UnsafeBuffer theirs = buffer();
    private final Patience patience = new Patience("Aeron round trip");
    private long got;
    private long sum;
    private long theirSum;
    private final FragmentHandler arrived =
        (buffer, offset, length, header) -> {
          sum += consume(buffer, offset);
          got++;
        };
    private final FragmentHandler handler =
        (buffer, offset, length, header) -> {
          theirSum += consume(buffer, offset);
          produce(theirs, theirSum);
          while (answer.offer(theirs, 0, length) < 0 && !answer.isClosed()) {
            Thread.onSpinWait();
          }
        };

    RoundTrip() {
      super("Aeron IPC, 64 B", Kind.EXCHANGE);
    }

    private static long consume(DirectBuffer buffer, int offset) {
      long all = 0;
      for (int i = 0; i < BYTES; i += Long.BYTES) {
        all += buffer.getLong(offset + i);
      }
      return all;
    }

    private static void produce(UnsafeBuffer buffer, long seed) {
      for (int i = 0; i < BYTES; i += Long.BYTES) {
        buffer.putLong(i, seed + i);
      }
    }

    @Override
    int burst() {
      aeron.work();
      for (int i = 0; i < RawLimits.TRIPS; i++) {
        produce(mine, got);
        while (there.offer(mine, 0, BYTES) < 0) {
          aeron.work();
          patience.spin();
        }
        long before = got;
        for (int polls = 1; got == before; polls++) {
          if (back.poll(arrived, 1) == 0) {
            patience.spin();
            if (polls % MAX_POLLS == 0) {
              aeron.work(); // the answer may wait for its window: nobody else moves it
            }
          }
        }
        patience.rest();
      }
      return RawLimits.TRIPS;
    }

    @Override
    void serve(Partner partner) {
      while (!partner.stopped()) {
        if (in.poll(handler, 1) == 0) {
          Thread.onSpinWait();
        }
      }
    }

    @Override
    public void close() {
      aeron.close();
    }
  }

  /** Messages of 64 bytes one way, each payload read. */
  static final class Stream extends Case {
    private final AeronIpc aeron = new AeronIpc();
    private final Subscription in = aeron.subscribe(3);
    private final ExclusivePublication out = aeron.publish(3);
    private final UnsafeBuffer message = buffer();
    private final Patience patience = new Patience("Aeron stream");
    private long sum;
    private int batches;
    private final FragmentHandler handler =
        (buffer, offset, length, header) -> sum += buffer.getLong(offset);

    Stream() {
      super("Aeron IPC, a stream of 64 B", Kind.TOGETHER);
    }

    @Override
    int burst() {
      for (int i = 0; i < Credit.BATCH; i++) {
        message.putLong(0, batches);
        while (out.offer(message, 0, BYTES) < 0) {
          aeron.work();
          patience.spin();
        }
      }
      patience.rest();
      if (++batches % Credit.BATCH == 0) {
        aeron.work();
      }
      return Credit.BATCH;
    }

    @Override
    void serve(Partner partner) {
      for (boolean last = false; ; last = partner.stopped()) {
        if (in.poll(handler, Credit.BATCH) == 0) {
          if (last) {
            return;
          }
          Thread.onSpinWait();
        }
      }
    }

    @Override
    public void close() {
      aeron.close();
    }
  }
}
