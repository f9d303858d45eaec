package ib.engine.wire;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Packets that have arrived at a queue pair, in order. Two inlets: a plain list for the claim
 * holder, and a lock-free stack for all other threads, which the holder reverses when it has
 * emptied the list. The holder adds to its list only while the stack is empty, so packets of one
 * sender stay in order, whichever inlet they took.
 */
public final class PacketQueue {
  private static final VarHandle STACK;

  static {
    try {
      STACK = MethodHandles.lookup().findVarHandle(PacketQueue.class, "stack", Packet.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private @Nullable Packet first; // claim holder only
  private @Nullable Packet last; // claim holder only; meaningful when first is not null
  private volatile @Nullable Packet stack;

  /** Makes an empty queue. */
  public PacketQueue() {}

  /**
   * Adds a packet; any thread. Schedule the queue pair afterwards.
   *
   * @param packet the packet
   */
  public void push(Packet packet) {
    for (; ; ) {
      Packet top = stack;
      packet.next = top;
      if (STACK.compareAndSet(this, top, packet)) {
        return;
      }
      Thread.onSpinWait();
    }
  }

  /**
   * Adds a packet; for the claim holder.
   *
   * @param packet the packet
   */
  public void add(Packet packet) {
    if (stack != null) {
      push(packet);
      return;
    }
    packet.next = null;
    Packet before = last;
    if (first == null || before == null) {
      first = packet;
    } else {
      before.next = packet;
    }
    last = packet;
  }

  /** {@return the oldest packet, which stays in the queue, or null; for the claim holder} */
  public @Nullable Packet peek() {
    if (first == null && stack != null) {
      turn();
    }
    return first;
  }

  /** Removes the packet that {@link #peek} returned; for the claim holder. */
  public void remove() {
    Packet p = first;
    if (p != null) {
      first = p.next;
      p.next = null;
    }
  }

  /** {@return whether the queue is empty; for the claim holder} */
  public boolean isEmpty() {
    return first == null && stack == null;
  }

  private void turn() {
    Packet p = (Packet) STACK.getAndSet(this, (Packet) null);
    last = p;
    Packet reversed = null;
    while (p != null) {
      Packet below = p.next;
      p.next = reversed;
      reversed = p;
      p = below;
    }
    first = reversed;
  }
}
