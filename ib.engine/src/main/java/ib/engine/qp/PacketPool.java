package ib.engine.qp;

import ib.core.wire.Psn;
import ib.engine.run.RunList;
import ib.engine.wire.Packet;
import ib.engine.wire.PacketOwner;
import ib.engine.wire.RunContext;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The packets of one direction of a queue pair, used in turn: so few that a receiver that does not
 * keep up stops its sender (link-level flow control, nothing is lost on the soft wire). Made on
 * first use.
 */
public final class PacketPool extends PacketOwner {
  private static final int MAX_REPLICAS = 1024;
  public static final int PSN_BITS = 24;
  private static final @Nullable Packet[] NONE = new @Nullable Packet[0];
  private static final VarHandle REPLICAS;
  private static final VarHandle COPIES;
  private static final VarHandle FAULT;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      REPLICAS = lookup.findVarHandle(PacketPool.class, "replicas", int.class);
      FAULT = lookup.findVarHandle(PacketPool.class, "fault", int.class);
      COPIES = lookup.findVarHandle(PacketPool.class, "copies", AtomicReferenceArray.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final QpCore qp;
  private final int faultBit;
  private @Nullable Packet[] packets = NONE; // made with the first packet
  private final int mask;
  private long base; // the count at which the first of them was taken last
  private long taken;
  private long reclaimed;
  private volatile @Nullable AtomicReferenceArray<Packet> copies; // made on first use
  private volatile int replicas; // under way
  private volatile int fault; // what keepFault keeps

  PacketPool(QpCore qp, int size, int faultBit) {
    this.qp = qp;
    this.faultBit = faultBit;
    this.mask = size - 1;
  }

  /** {@return a free packet, or null; for the holder of the queue pair's claim} */
  public @Nullable Packet take() {
    if (packets.length == 0) {
      packets = new @Nullable Packet[mask + 1];
    }
    Packet p = packets[place(taken)];
    if (p == null) {
      p = another();
    } else if (p.busy()) {
      return null;
    }
    p.occupy();
    p.cookie = 0;
    taken++;
    return p;
  }

  private int place(long count) {
    return (int) (count - base) & mask;
  }

  /**
   * The first one again when all are back, else a new one. So a queue pair has as many packets as
   * it had under way at once, which is one when its wire copies what it sends.
   */
  private Packet another() {
    if (reclaimed() == taken) {
      base = taken;
    }
    int i = place(taken);
    Packet p = packets[i];
    if (p == null) {
      p = new Packet(this);
      packets[i] = p;
    }
    return p;
  }

  /** {@return whether {@link #take} would give one} */
  public boolean available() {
    if (packets.length == 0) {
      return true;
    }
    Packet p = packets[place(taken)];
    return p == null || !p.busy();
  }

  /** {@return how many packets were taken so far} */
  public long taken() {
    return taken;
  }

  /** {@return how many of the packets taken first are back, copies included} */
  public long reclaimed() {
    long r = reclaimed;
    while (r < taken) {
      Packet p = packets[place(r)];
      if (p != null && p.busy()) {
        break;
      }
      r++;
    }
    if (r > reclaimed
        && replicas == 0) { // read last: copies are counted before their original is back
      reclaimed = r;
    }
    return reclaimed;
  }

  /** {@return whether no packet is under way; any thread} */
  boolean idle() {
    for (Packet p : packets) {
      if (p != null && p.busy()) {
        return false;
      }
    }
    return replicas == 0;
  }

  /**
   * Returns what is known of the first packet in sequence whose payload could not be read, once;
   * for the holder of the queue pair's claim, after the signal.
   *
   * @return the packet's syndrome, which says why ({@link Packet#fault}), and in the lower 24 bits
   *     its sequence number; 0 when an earlier call has returned it: of two packets that fail at
   *     once each raises the signal
   */
  public int takeFault() {
    return (int) FAULT.getAndSet(this, 0);
  }

  /**
   * Keeps syndrome and sequence number of a packet that could not be read, unless one before it in
   * sequence is kept. Several threads may release packets at once.
   */
  private void keepFault(int psn, int syndrome) {
    int held = fault;
    while (held == 0 || Psn.diff(psn, held & Psn.MAX) < 0) {
      if (FAULT.compareAndSet(this, held, syndrome << PSN_BITS | psn)) {
        return;
      }
      held = fault;
    }
  }

  @Override
  protected void released(Packet packet, RunContext run) {
    boolean faulty = packet.isFaulty();
    if (faulty) {
      keepFault(packet.psn, packet.syndrome);
    }
    if (packet.cookie < 0) {
      REPLICAS.getAndAdd(this, -1);
    }
    packet.free();
    if (faulty) {
      qp.signal(faultBit, (RunList) run);
    } else {
      qp.packetBack((RunList) run);
    }
  }

  /** Several threads may ask at once: the wire, and the ports that got a copy. */
  @Override
  protected @Nullable Packet replicate(Packet original) {
    AtomicReferenceArray<Packet> all = copies;
    if (all == null) {
      COPIES.compareAndSet(this, null, new AtomicReferenceArray<Packet>(MAX_REPLICAS));
      return replicate(original);
    }
    for (int i = 0; i < MAX_REPLICAS; i++) {
      Packet p = all.get(i);
      if (p == null) {
        p = new Packet(this);
        p.occupy();
        if (!all.compareAndSet(i, null, p)) {
          continue;
        }
      } else if (!p.tryOccupy()) {
        continue;
      }
      p.set(original);
      p.cookie = -1;
      REPLICAS.getAndAdd(this, 1);
      return p;
    }
    return null;
  }
}
