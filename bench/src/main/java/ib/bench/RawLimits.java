package ib.bench;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** The machine's own limits: the flag round trip F, the ring round trip R, a ring, the copy C. */
final class RawLimits {
  static final int TRIPS = 32;
  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

  private RawLimits() {}

  private static MemorySegment memory(long bytes) {
    return Arena.ofAuto().allocate(bytes, 128);
  }

  /** F: two threads, one flag each way. */
  static final class Flag extends Case {
    private final MemorySegment ping = memory(128);
    private final MemorySegment pong = memory(128);
    private long turn;
    private long seen;

    Flag() {
      super("F: two threads, one flag each way", Kind.EXCHANGE);
    }

    @Override
    int burst() {
      for (int i = 0; i < TRIPS; i++) {
        long t = ++turn;
        LONG.setRelease(ping, 0L, t);
        while ((long) LONG.getAcquire(pong, 0L) != t) {
          Thread.onSpinWait();
        }
      }
      return TRIPS;
    }

    @Override
    void serve(Partner partner) {
      long expect = seen + 1;
      while (!partner.stopped()) {
        if ((long) LONG.getAcquire(ping, 0L) == expect) {
          LONG.setRelease(pong, 0L, expect++);
        } else {
          Thread.onSpinWait();
        }
      }
      seen = expect - 1;
    }
  }

  /** Slots of 64 bytes, copied in and out; the first word of a slot says which message it holds. */
  private static final class Slots {
    static final int BYTES = 64;
    private static final int COUNT = 256;
    private final MemorySegment slots = memory(COUNT * BYTES);

    private static long slot(long n) {
      return n % COUNT * BYTES;
    }

    void put(long n, MemorySegment from) {
      long slot = slot(n);
      MemorySegment.copy(from, 8, slots, slot + 8, BYTES - 8);
      LONG.setRelease(slots, slot, n);
    }

    boolean take(long n, MemorySegment into) {
      long slot = slot(n);
      if ((long) LONG.getAcquire(slots, slot) != n) {
        return false;
      }
      MemorySegment.copy(slots, slot + 8, into, 8, BYTES - 8);
      return true;
    }
  }

  /** R: two threads, a ring each way, what came goes back. */
  static final class Ring extends Case {
    private final Slots there = new Slots();
    private final Slots back = new Slots();
    private final MemorySegment mine = memory(Slots.BYTES);
    private final MemorySegment theirs = memory(Slots.BYTES);
    private long turn;
    private long seen;

    Ring() {
      super("R: the same through a ring of 64 B", Kind.EXCHANGE);
    }

    @Override
    int burst() {
      for (int i = 0; i < TRIPS; i++) {
        long n = ++turn;
        there.put(n, mine);
        while (!back.take(n, mine)) {
          Thread.onSpinWait();
        }
      }
      return TRIPS;
    }

    @Override
    void serve(Partner partner) {
      long expect = seen + 1;
      while (!partner.stopped()) {
        if (there.take(expect, theirs)) {
          back.put(expect++, theirs);
        } else {
          Thread.onSpinWait();
        }
      }
      seen = expect - 1;
    }
  }

  /** A ring one way, sixteen messages at a time. */
  static final class Stream extends Case {
    private final Slots ring = new Slots();
    private final Credit credit = new Credit();
    private final MemorySegment mine = memory(Slots.BYTES);
    private final MemorySegment theirs = memory(Slots.BYTES);
    private long put;
    private long got;
    private long sum;

    Stream() {
      super("own ring, a stream of 64 B", Kind.EXCHANGE);
    }

    @Override
    int burst() {
      for (int k = 0; k < Credit.BATCHES; k++) {
        credit.take();
        for (int i = 0; i < Credit.BATCH; i++) {
          mine.set(ValueLayout.JAVA_LONG, 8, put);
          ring.put(++put, mine);
        }
      }
      return Credit.BATCHES * Credit.BATCH;
    }

    @Override
    void serve(Partner partner) {
      for (boolean last = false; ; last = partner.stopped()) {
        int n = 0;
        while (n < Credit.BATCH && ring.take(got + 1, theirs)) {
          sum += theirs.get(ValueLayout.JAVA_LONG, 8);
          got++;
          n++;
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

  /** The ring with both ends on one thread: code of the JVM's that is not the engine's. */
  static final class Alone extends Case {
    private static final int COUNT = 256;
    private final Slots ring = new Slots();
    private final MemorySegment mine = memory(Slots.BYTES);
    private final MemorySegment theirs = memory(Slots.BYTES);
    private long put;
    private long got;
    private long sum;

    Alone() {
      super("own ring, both ends on one thread", Kind.ALONE);
    }

    @Override
    int burst() {
      for (int i = 0; i < COUNT; i++) {
        Payload.produce(mine, 8, Slots.BYTES - 8, sum);
        ring.put(++put, mine);
        while (ring.take(got + 1, theirs)) {
          got++;
          sum += Payload.consume(theirs, 8, Slots.BYTES - 8);
        }
      }
      return COUNT;
    }
  }

  /**
   * C: one copy between two segments. Copies of 64 bytes go there and back in turn, each takes what
   * the one before it brought: else they overlap, and the figure is that of the loop around them.
   */
  static final class Copy extends Case {
    private static final int MIN_BURST_BYTES = 512 * 1024;
    private final MemorySegment one;
    private final MemorySegment other;
    private final MemorySegment nextFrom;
    private final MemorySegment nextTo;
    private final int bytes;
    private final int pairs;

    Copy(int bytes) {
      super("C: one copy of " + bytes + " B", Kind.ALONE);
      this.bytes = bytes;
      one = inPage(bytes, 0);
      other = inPage(bytes, End.PAGE / 2);
      boolean back = bytes <= 64;
      nextFrom = back ? other : one;
      nextTo = back ? one : other;
      pairs = Math.max(1, MIN_BURST_BYTES / bytes / 2);
    }

    private static MemorySegment inPage(int bytes, int at) {
      MemorySegment memory = memory(bytes + End.PAGE);
      return memory.asSlice(End.skipped(memory, at), bytes);
    }

    @Override
    int burst() {
      for (int i = 0; i < pairs; i++) {
        MemorySegment.copy(one, 0, other, 0, bytes);
        MemorySegment.copy(nextFrom, 0, nextTo, 0, bytes);
      }
      return 2 * pairs;
    }
  }
}
