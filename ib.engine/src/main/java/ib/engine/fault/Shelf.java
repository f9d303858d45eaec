package ib.engine.fault;

import ib.engine.mr.Copier;
import ib.engine.time.NanoClock;
import ib.engine.wire.Packet;
import ib.engine.wire.PacketOwner;
import ib.engine.wire.RunContext;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Copies of packets, bytes included, that go on at once or are held back until they are due. A copy
 * refers to nothing of the sender's, so a packet that is held keeps neither a queue pair's packet
 * nor registered memory. Made on first use, then used again.
 */
final class Shelf extends PacketOwner {
  private static final int FREE = 0;
  private static final int TAKEN = 1;
  private static final int HELD = 2;
  private static final int BYTES_INITIAL = 4096;

  /** Where packets go from here. */
  @FunctionalInterface
  interface Exit {
    /** Takes a packet over. */
    void pass(Packet packet, RunContext run);
  }

  private final Exit exit;
  private final NanoClock clock;
  private final @Nullable Packet[] packets;
  private final MemorySegment[] buffers;
  private final AtomicIntegerArray states;
  private final long[] dueSeq; // written before its state is HELD
  private final long[] dueNs;
  private final AtomicInteger held = new AtomicInteger();
  private final AtomicLong passed = new AtomicLong();
  private volatile boolean closed;

  Shelf(Exit exit, NanoClock clock, int most) {
    this.exit = exit;
    this.clock = clock;
    this.packets = new @Nullable Packet[most];
    this.buffers = new MemorySegment[most];
    this.states = new AtomicIntegerArray(most);
    this.dueSeq = new long[most];
    this.dueNs = new long[most];
  }

  /** {@return where packets go from here} */
  Exit exit() {
    return exit;
  }

  /** {@return whether nothing is held back} */
  boolean isEmpty() {
    return held.get() == 0;
  }

  int held() {
    return held.get();
  }

  /** {@return copies that were not released yet, those held back included} */
  int taken() {
    int n = 0;
    for (int i = 0; i < states.length(); i++) {
      n += states.get(i) == FREE ? 0 : 1;
    }
    return n;
  }

  /**
   * A copy with the bytes as they are now.
   *
   * @param from the original; its fault is set when its payload cannot be read
   * @return the copy, or null when there is none to be had
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
      from.fault = true;
      return false;
    }
    p.occupy();
    p.set(from);
    p.cookie = i;
    p.payload.clear();
    if (length > 0) {
      p.payload.add(bytes, 0, length);
    }
    if (header != null) { // allocates: only RoCE over IPv4 has one
      MemorySegment.copy(header, 0, bytes, length, header.byteSize());
      p.networkHeader = bytes.asSlice(length, header.byteSize());
    }
    return true;
  }

  /**
   * Holds a copy back.
   *
   * @param p a copy of this shelf
   * @param others how many packets may overtake it, Integer.MAX_VALUE for any number
   * @param ns how long at most
   */
  void hold(Packet p, int others, long ns) {
    int i = (int) p.cookie;
    dueSeq[i] = passed.get() + others;
    dueNs[i] = clock.nanoTime() + ns;
    held.getAndIncrement();
    states.setRelease(i, HELD);
  }

  /** A packet has passed: lets go those that were overtaken often enough. */
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
   * Lets go those whose time has come.
   *
   * @return nanoseconds until the next one is due, Long.MAX_VALUE when there is none
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
      held.getAndDecrement();
      if (closed) {
        p.release(run);
      } else {
        exit.pass(p, run);
      }
    }
  }

  /** Nothing passes any more; what is held is forgotten. */
  void close() {
    closed = true;
    for (int i = 0; i < states.length(); i++) {
      if (states.compareAndSet(i, HELD, FREE)) {
        held.getAndDecrement();
      }
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
