package ib.bench;

import ib.core.verbs.PostStatus;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.WrOpcode;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** RC WRITE from one device to another. */
final class Writes {
  private Writes() {}

  /** Two connected ends. */
  private abstract static class Connected extends Case {
    final TwoDevices devices = new TwoDevices();
    final End here;
    final End there;
    final int bytes;

    Connected(String name, Kind kind, int bytes) {
      super(name, kind);
      this.bytes = bytes;
      here = new End(devices.first(), bytes, 0);
      there = new End(devices.second(), bytes, End.PAGE / 2);
      End.connect(here, there);
    }
  }

  /** One at a time, signaled, from post to completion. */
  static final class Single extends Connected {
    private static final long MIN_BURST_BYTES = 512 * 1024;

    /** Turns of a loop that each write waits for: a slowdown that {@code bench/check} must see. */
    private static final int PLANTED = Integer.getInteger("ib.bench.planted", 0);

    private final int count;

    Single(int bytes) {
      super("WRITE " + bytes + " B, one at a time", Kind.ALONE, bytes);
      count = (int) Math.clamp(MIN_BURST_BYTES / bytes, 1, 64);
    }

    @Override
    int burst() {
      for (int i = 0; i < count; i++) {
        here.write(there, bytes, SendFlags.SIGNALED);
        End.reapOne(here.sendCq);
        for (int k = 0; k < PLANTED; k++) {
          Thread.onSpinWait(); // what computes would overlap with the next write
        }
      }
      return count;
    }
  }

  /** Sixteen in one batch, the last one signaled. */
  static final class Batch extends Connected {
    private final int count;

    Batch(int bytes) {
      super("WRITE " + bytes + " B, batches of " + End.BATCH, Kind.ALONE, bytes);
      count = bytes < 1024 ? 8 : 1;
    }

    @Override
    int burst() {
      for (int i = 0; i < count; i++) {
        here.writeBatch(there, bytes);
        End.reapOne(here.sendCq);
      }
      return count * End.BATCH;
    }
  }

  /** One at a time, each on a random one of many queue pairs. */
  static final class RandomQueuePair extends Case {
    private static final int DEPTH = 4;
    private static final int TURNS = 1 << 16;
    private static final int COUNT = 32;

    private final TwoDevices devices = new TwoDevices();
    private final int[] turns = new int[TURNS];
    private final List<End> senders = new ArrayList<>();
    private final List<End> receivers = new ArrayList<>();
    private int turn;

    RandomQueuePair(int queuePairs) {
      super("WRITE 64 B, a random one of " + queuePairs + " queue pairs", Kind.ALONE);
      for (int i = 0; i < queuePairs; i++) {
        End a = i == 0 ? new End(devices.first(), 64) : senders.getFirst().sibling(DEPTH);
        End b = i == 0 ? new End(devices.second(), 64) : receivers.getFirst().sibling(DEPTH);
        End.connect(a, b);
        senders.add(a);
        receivers.add(b);
      }
      SplittableRandom random = new SplittableRandom(1);
      for (int i = 0; i < TURNS; i++) {
        turns[i] = random.nextInt(queuePairs);
      }
    }

    @Override
    int burst() {
      for (int k = 0; k < COUNT; k++) {
        int i = turns[turn++ & TURNS - 1];
        senders.get(i).write(receivers.get(i), 64, SendFlags.SIGNALED);
        End.reapOne(senders.get(i).sendCq);
      }
      return COUNT;
    }
  }

  /** Post lists of one, every sixteenth signaled, by one or two threads. */
  static final class Posters extends Connected {
    private static final int COUNT = 64;
    private final boolean two;
    private final SendWr mine = new SendWr(1);
    private final SendWr theirs = new SendWr(1);
    private int posted;
    private long theirPosted;

    Posters(boolean two) {
      super(
          two ? "two threads post to one queue pair" : "one thread posts to one queue pair",
          two ? Kind.TOGETHER : Kind.ALONE,
          64);
      this.two = two;
    }

    private void post(SendWr wr, long count) {
      wr.clearSges().addSge(here.lkey, here.address, bytes);
      wr.opcode(WrOpcode.RDMA_WRITE)
          .rkey(there.memory.rkey())
          .remoteAddr(there.address)
          .flags(count % End.BATCH == 0 ? SendFlags.SIGNALED : 0);
      while (here.qp.postSend(wr) != PostStatus.OK) {
        End.reap(here.sendCq);
      }
    }

    @Override
    int burst() {
      for (int i = 0; i < COUNT; i++) {
        post(mine, ++posted);
      }
      return COUNT;
    }

    @Override
    void serve(Partner partner) {
      while (two && !partner.stopped()) {
        post(theirs, ++theirPosted);
      }
    }

    @Override
    long served() {
      return theirPosted;
    }
  }

  /** Two threads, a pair of queue pairs and of devices each, one write at a time. */
  static final class TwoPairs extends Case {
    private final Single mine = new Single(64);
    private final Single theirs = new Single(64);
    private long served;

    TwoPairs() {
      super("WRITE 64 B, one at a time, two threads on a pair each", Kind.TOGETHER);
    }

    @Override
    int burst() {
      return mine.burst();
    }

    @Override
    void serve(Partner partner) {
      while (!partner.stopped()) {
        served += theirs.burst();
      }
    }

    @Override
    long served() {
      return served;
    }
  }
}
