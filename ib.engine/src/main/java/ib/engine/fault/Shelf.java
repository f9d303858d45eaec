package ib.engine.fault;

import ib.engine.mr.Copier;
import ib.engine.time.NanoClock;
import ib.engine.wire.Epoch;
import ib.engine.wire.Packet;
import ib.engine.wire.PacketOwner;
import ib.engine.wire.RunContext;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Copies of packets with their bytes, which are passed on at once or held until they are due. A
 * copy refers to no memory of the sender, so a held packet occupies neither a queue pair's packet
 * nor registered memory. Copies are created on first use and reused. Any thread may call; calls do
 * not block.
 */
final class Shelf extends PacketOwner {
  private static final int FREE = 0;
  private static final int TAKEN = 1;
  private static final int HELD = 2;
  private static final int BYTES_INITIAL = 4096;

  /** Passes packets on. */
  @FunctionalInterface
  interface Exit {
    /** Takes a packet over; its receiver releases it. */
    void pass(Packet packet, RunContext run);
  }

  /** Where packets are passed on to. */
  final Exit exit;

  private final NanoClock clock;
  private final Epoch epoch;
  private final @Nullable Packet[] packets;
  private final MemorySegment[] buffers;
  private final AtomicIntegerArray states;
  private final long[] dueSeq; // written before the state HELD
  private final long[] dueNs;
  private final AtomicInteger held = new AtomicInteger();
  private final AtomicLong passed = new AtomicLong();
  private volatile boolean closed;

  Shelf(Exit exit, NanoClock clock, int most, Epoch epoch) {
    this.exit = exit;
    this.clock = clock;
    this.epoch = epoch;
    this.packets = new @Nullable Packet[most];
    this.buffers = new MemorySegment[most];
    this.states = new AtomicIntegerArray(most);
    this.dueSeq = new long[most];
    this.dueNs = new long[most];
  }

  /** {@return whether no packet is held} */
  boolean isEmpty() {
    return held.get() == 0;
  }

  int held() {
    return held.get();
  }

  /** {@return the number of copies in use, held ones included} */
  int taken() {
    int n = 0;
    for (int i = 0; i < states.length(); i++) {
      n += states.get(i) == FREE ? 0 : 1;
    }
    return n;
  }

  /**
   * Copies a packet with its present bytes.
   *
   * @param from the original; its fault is set when its payload cannot be read
   * @return the copy; null when all copies are in use or the payload cannot be read
   */
  @Nullable Packet copy(Packet from) {
    for (int i = 0; i < states.length(); i++) {
      if (states.get(i) == FREE && states.compareAndSet(i, FREE, TAKEN)) {
        Packet p = packets[i];
        if (p == null) {
          p = new Packet(this);
          packets[i] = p;
        }
        if (fill(i, p, from)) {
          return p;
        }
        states.set(i, FREE);
        return null;
      }
    }
    return null;
  }

  private boolean fill(int i, Packet p, Packet from) {
    int length = from.payload.length();
    MemorySegment header = from.networkHeader;
    int room = length + (header == null ? 0 : (int) header.byteSize());
    MemorySegment bytes = buffers[i];
    if (bytes == null || bytes.byteSize() < room) {
      bytes = MemorySegment.ofArray(new byte[Math.max(BYTES_INITIAL, room)]);
      buffers[i] = bytes;
    }
    if (Copier.toSegment(from.payload, bytes, 0) != Copier.OK) {
      from.fault();
      return false;
    }
    p.occupy();
    p.set(from);
    p.cookie = i;
    p.payload.clear();
    if (length > 0) {
      p.payload.add(bytes, 0, length);
    }
    if (header != null) { // allocates, but only UD packets of RoCE have this header
      MemorySegment.copy(header, 0, bytes, length, header.byteSize());
      p.networkHeader = bytes.asSlice(length, header.byteSize());
    }
    return true;
  }

  /**
   * Holds a copy.
   *
   * @param p a copy of this object
   * @param others how many packets may overtake it; Integer.MAX_VALUE for any number
   * @param ns how long at most, in nanoseconds
   */
  void hold(Packet p, int others, long ns) {
    int i = (int) p.cookie;
    dueSeq[i] = passed.get() + others;
    dueNs[i] = clock.nanoTime() + ns;
    if (held.getAndIncrement() == 0) {
      epoch.changed();
    }
    states.setRelease(i, HELD);
  }

  /**
   * Counts a packet that has passed, and releases held packets that were overtaken often enough.
   */
  void count(RunContext run) {
    long n = passed.incrementAndGet();
    int left = held.get();
    for (int i = 0; left > 0 && i < states.length(); i++) {
      if (states.get(i) == HELD) {
        left--;
        if (dueSeq[i] < n) {
          let(i, run);
        }
      }
    }
  }

  /**
   * Releases held packets whose time is over.
   *
   * @return nanoseconds until the next one is due; Long.MAX_VALUE when there is none
   */
  long expire(RunContext run) {
    long now = clock.nanoTime();
    long earliest = Long.MAX_VALUE;
    int left = held.get();
    for (int i = 0; left > 0 && i < states.length(); i++) {
      if (states.get(i) == HELD) {
        left--;
        long wait = dueNs[i] - now;
        if (wait <= 0) {
          let(i, run);
        } else {
          earliest = Math.min(earliest, wait);
        }
      }
    }
    return earliest;
  }

  private void let(int i, RunContext run) {
    Packet p = packets[i];
    if (p != null && states.compareAndSet(i, HELD, TAKEN)) {
      less();
      if (closed) {
        p.release(run);
      } else {
        exit.pass(p, run);
      }
    }
  }

  /** Drops held packets; from now on released packets are not passed on. */
  void close() {
    closed = true;
    for (int i = 0; i < states.length(); i++) {
      if (states.compareAndSet(i, HELD, FREE)) {
        less();
      }
    }
  }

  /** One less is held; with the last one the way past it is open again. */
  private void less() {
    if (held.decrementAndGet() == 0) {
      epoch.changed();
    }
  }

  @Override
  protected void released(Packet packet, RunContext run) {
    packet.free();
    states.setRelease((int) packet.cookie, FREE);
  }

  @Override
  protected @Nullable Packet replicate(Packet original) {
    return copy(original);
  }
}
